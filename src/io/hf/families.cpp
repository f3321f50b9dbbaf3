#include "families.hpp"

#include <algorithm>

namespace smelt::hf {

const std::vector<Family>& all_families() {
  static const std::vector<Family> kFamilies = [] {
    std::vector<Family> all;
    for (const auto& group :
         {dense_families(), windowed_families(), early_families(), moe_families(),
          dense_first_families(), latent_families(), hybrid_families(), looped_families()}) {
      all.insert(all.end(), group.begin(), group.end());
    }
    std::sort(all.begin(), all.end(),
              [](const Family& a, const Family& b) { return a.facts.name < b.facts.name; });
    return all;
  }();
  return kFamilies;
}

namespace {

bool lists(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

const Family* family_of_type(std::string_view model_type) {
  for (const Family& family : all_families()) {
    if (family.facts.name == model_type || lists(family.facts.model_types, model_type) ||
        lists(family.facts.wrappers, model_type)) {
      return &family;
    }
  }
  return nullptr;
}

bool is_wrapper(const Family& family, std::string_view model_type) {
  return lists(family.facts.wrappers, model_type);
}

const Family* family_of_architecture(std::string_view architecture) {
  for (const Family& family : all_families()) {
    if (lists(family.facts.architectures, architecture)) return &family;
  }
  return nullptr;
}

}  // namespace smelt::hf
