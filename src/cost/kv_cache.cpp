#include "smelt/kv_cache.hpp"

#include <algorithm>

#include "core/enum_names.hpp"

namespace smelt {

namespace {

/// Sum over layers of cached x `elements(layer)`.
template <typename Elements>
Count sum_cached(const Model& model, Elements elements) {
  Count total;
  for (const Layer& layer : model.layers) {
    total += Count(layer_counts(model, layer).attention.cached) * elements(layer);
  }
  return total;
}

}  // namespace

Count kv_elements_per_token(const Model& model) {
  return sum_cached(model, [](const Layer& layer) { return cache_width(layer.attention); });
}

Count kv_elements_per_token(const Model& model, KvPolicy policy) {
  Model other = model;
  other.loop.kv = policy;
  return kv_elements_per_token(other);
}

Count kv_elements_per_token_unbounded(const Model& model) {
  return sum_cached(model, [](const Layer& layer) {
    return layer.window.bounded() ? 0 : cache_width(layer.attention);
  });
}

Count kv_slots(const Model& model) {
  return sum_cached(model,
                    [](const Layer& layer) { return cache_width(layer.attention) > 0 ? 1 : 0; });
}

Count kv_state_elements(const Model& model) {
  return sum_cached(model, [](const Layer& layer) { return state_elements(layer.attention); });
}

Count kv_elements_at(const Model& model, std::int64_t context) {
  return sum_cached(model, [&](const Layer& layer) {
    const std::int64_t tokens =
        layer.window.bounded() ? std::min(context, layer.window.tokens) : context;
    return Count(cache_width(layer.attention)) * tokens;
  });
}

Count kv_elements_reserved(const Model& model, std::int64_t context) {
  return kv_elements_per_token(model) * context;
}

namespace {

constexpr EnumNames<KvDtype, 4> kDtypes = {{{{KvDtype::kBf16, "bf16"},
                                             {KvDtype::kFp8, "fp8"},
                                             {KvDtype::kFp32, "fp32"},
                                             {KvDtype::kInt4, "int4"}}}};

Count int4_bytes(Count elements) {
  const std::int64_t count = elements.value();
  const Count groups = count / kInt4Group + (count % kInt4Group != 0 ? 1 : 0);
  return Count(count / 2 + count % 2) + groups * kInt4ScaleBytes;
}

}  // namespace

KvDtype parse_kv_dtype(std::string_view text, std::string_view where) {
  return kDtypes.parse(text, "cache type", where);
}

std::string_view kv_dtype_name(KvDtype dtype) { return kDtypes.of(dtype); }

Count kv_bytes(Count elements, KvDtype dtype) {
  switch (dtype) {
    case KvDtype::kInt4:
      return int4_bytes(elements);
    case KvDtype::kFp8:
      return elements;
    case KvDtype::kFp32:
      return elements * 4;
    case KvDtype::kBf16:
      break;
  }
  return elements * 2;
}

}  // namespace smelt
