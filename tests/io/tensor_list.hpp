#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "smelt/model.hpp"

/// One weight tensor of a model, as a training framework would allocate it.
struct Tensor {
  std::string name;
  std::vector<std::int64_t> shape;
  bool lookup = false;         ///< an embedding table or an untied output head
  bool vector = false;         ///< a norm, a bias or the like: not a matrix product
  std::int64_t used = 1;       ///< of the tensor's first dimension a token uses 1 / used
  std::int64_t per_token = 1;  ///< times a token passes it in one forward pass
};

/// Every tensor of the model, multi-token-prediction modules left out. Written from the layouts of
/// the frameworks, without the product's counting code.
std::vector<Tensor> list_tensors(const smelt::Model& model);

/// The tensors of the multi-token-prediction modules.
std::vector<Tensor> list_mtp_tensors(const smelt::Model& model);

/// Elements that each token leaves in the cache, layer by layer and visit by visit.
std::int64_t walk_cache(const smelt::Model& model);
