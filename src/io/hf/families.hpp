#pragma once

#include <string_view>
#include <vector>

#include "config.hpp"
#include "smelt/model.hpp"

namespace smelt::hf {

/// A family and how its configs become a model.
struct Family {
  HfFamily facts;
  Model (*build)(Config&);
};

std::vector<Family> dense_families();
std::vector<Family> windowed_families();
std::vector<Family> early_families();  ///< GPT-2, GPT-NeoX, ALBERT: LayerNorm and biases
std::vector<Family> moe_families();
std::vector<Family> dense_first_families();  ///< mixtures whose first layers are dense
std::vector<Family> latent_families();
std::vector<Family> hybrid_families();
std::vector<Family> looped_families();

/// All of them, sorted by name.
const std::vector<Family>& all_families();

/// Null for an unknown model_type.
const Family* family_of_type(std::string_view model_type);
/// Whether configs of this model_type nest the family's own in text_config.
bool is_wrapper(const Family& family, std::string_view model_type);
const Family* family_of_architecture(std::string_view architecture);

}  // namespace smelt::hf
