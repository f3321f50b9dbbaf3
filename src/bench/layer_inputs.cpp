#include "bench/layer_inputs.hpp"

#include <cassert>
#include <cmath>
#include <mutex>

#include "smelt/parallel.hpp"
#include "smelt/random.hpp"

namespace smelt {

void fill_inputs(LayerRun& run, const LayerShape& shape, std::uint64_t seed) {
  std::mutex writing;
  parallel_for(kNumInputTensors, 0, [&](std::size_t i) {
    const auto tensor = static_cast<Tensor>(i);
    RandomStream random(seed, i);
    const double scale = 1 / std::sqrt(static_cast<double>(weight_fan_in(shape, tensor)));
    std::vector<float> values(static_cast<std::size_t>(tensor_size(shape, tensor)));
    for (float& value : values) value = static_cast<float>(scale * random.normal());
    const std::lock_guard<std::mutex> lock(writing);
    run.write(tensor, values);
  });
}

std::vector<std::int32_t> routing_with_rows(const std::vector<std::int64_t>& rows,
                                            std::int64_t tokens, std::int64_t top_k) {
  std::vector<std::int32_t> experts(static_cast<std::size_t>(tokens * top_k));
  // Experts one after the other over the tokens in turn: one with at most T rows meets none twice.
  std::int64_t place = 0;
  for (std::size_t expert = 0; expert < rows.size(); ++expert) {
    assert(rows[expert] <= tokens);
    for (std::int64_t row = 0; row < rows[expert]; ++row, ++place) {
      const std::int64_t slot = place % tokens * top_k + place / tokens;
      experts[static_cast<std::size_t>(slot)] = static_cast<std::int32_t>(expert);
    }
  }
  assert(place == tokens * top_k);
  return experts;
}

}  // namespace smelt
