#include <iostream>

#include "smelt/cost.hpp"
#include "smelt/numbers.hpp"

/// Prints the KV elements per token of a small looped model; exits with 0 when they are the
/// 2 x 2 x 64 x 6 that 6 executed layers with two key-value heads of 64 write.
int main() {
  smelt::Layer layer;
  layer.attention =
      smelt::GroupedQueryAttention{.num_heads = 8, .num_key_value_heads = 2, .head_dim = 64};
  layer.ffn.dense_width = 2048;
  const smelt::Model model = smelt::uniform_stack(512, 4, layer, smelt::LoopSpan{1, 2, 2});
  const smelt::Count elements = smelt::kv_elements_per_token(model);
  std::cout << smelt::with_separators(elements) << '\n';
  return elements == smelt::Count(1536) ? 0 : 1;
}
