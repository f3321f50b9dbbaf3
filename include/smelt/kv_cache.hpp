#pragma once

#include <cstdint>
#include <string_view>

#include "smelt/model.hpp"

namespace smelt {

/// Elements of the KV cache per token of context while the context is inside every window, under
/// the model's own cache policy or another one.
Count kv_elements_per_token(const Model& model);
Count kv_elements_per_token(const Model& model, KvPolicy policy);

/// Elements that each further token adds once the context has passed every window.
Count kv_elements_per_token_unbounded(const Model& model);

/// Caches kept: one per layer, visit and policy; layers without a cache have none.
Count kv_slots(const Model& model);

/// Elements of linear attention's fixed states per sequence.
Count kv_state_elements(const Model& model);

/// Elements cached for one sequence of `context` tokens: the least that attention needs, a window
/// holding no more than its tokens.
Count kv_elements_at(const Model& model, std::int64_t context);

/// Elements that an engine takes which reserves the full context in every layer.
Count kv_elements_reserved(const Model& model, std::int64_t context);

/// The element type of a KV cache. int4 stores a 16-bit scale for every 32 elements beside them.
enum class KvDtype { kBf16, kFp8, kFp32, kInt4 };
KvDtype parse_kv_dtype(std::string_view text, std::string_view where);
std::string_view kv_dtype_name(KvDtype dtype);

/// Elements that share one scale of an int4 cache, and the bytes of that scale.
inline constexpr std::int64_t kInt4Group = 32;
inline constexpr std::int64_t kInt4ScaleBytes = 2;

/// Bytes of so many elements; partial groups and bytes are rounded up.
Count kv_bytes(Count elements, KvDtype dtype);

}  // namespace smelt
