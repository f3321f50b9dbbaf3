#include "smelt/attention.hpp"

#include "smelt/count.hpp"

namespace smelt {

std::optional<HeadGeometry> head_geometry(const Attention& attention) {
  const auto* grouped = std::get_if<GroupedQueryAttention>(&attention);
  if (grouped == nullptr) return std::nullopt;
  return HeadGeometry{grouped->num_heads, grouped->num_key_value_heads, grouped->head_dim};
}

void set_head_geometry(Attention& attention, const HeadGeometry& geometry) {
  if (auto* grouped = std::get_if<GroupedQueryAttention>(&attention)) {
    grouped->num_heads = geometry.num_heads;
    grouped->num_key_value_heads = geometry.num_key_value_heads;
    grouped->head_dim = geometry.head_dim;
  }
}

namespace {

struct ScoreWidth {
  Count operator()(const GroupedQueryAttention& a) const {
    return Count(2) * a.num_heads * a.head_dim;
  }
  Count operator()(const LatentAttention& a) const {
    return Count(a.num_heads) * (Count(a.qk_head_dim()) + a.v_head_dim);
  }
  Count operator()(const GatedLinearAttention&) const { return 0; }
};

struct CacheWidth {
  Count operator()(const GroupedQueryAttention& a) const {
    return a.own_keys_values ? Count(2) * a.num_key_value_heads * a.head_dim : Count(0);
  }
  Count operator()(const LatentAttention& a) const {
    return Count(a.kv_lora_rank) + a.qk_rope_head_dim;
  }
  Count operator()(const GatedLinearAttention&) const { return 0; }
};

}  // namespace

std::int64_t score_width(const Attention& attention) {
  return std::visit(ScoreWidth{}, attention).value();
}

std::int64_t cache_width(const Attention& attention) {
  return std::visit(CacheWidth{}, attention).value();
}

std::int64_t state_elements(const Attention& attention) {
  const auto* linear = std::get_if<GatedLinearAttention>(&attention);
  if (linear == nullptr) return 0;
  const Count recurrent = Count(linear->value_width()) * linear->key_head_dim;
  return (recurrent + Count(linear->conv_width()) * linear->conv_kernel).value();
}

}  // namespace smelt
