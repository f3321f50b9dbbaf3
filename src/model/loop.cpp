#include "smelt/loop.hpp"

#include <fmt/format.h>

#include <string>

#include "core/enum_names.hpp"
#include "smelt/error.hpp"
#include "smelt/numbers.hpp"
#include "smelt/rational.hpp"

namespace smelt {

namespace {

constexpr const char* kLoopForms =
    "write 1/2x2 (middle half, twice), 4-9x2 (layers 4 to 9) or none";

/// m = fraction x L layers with floor((L - m) / 2) before them.
LoopSpan middle_span(std::string_view text, std::size_t slash, std::int64_t num_layers,
                     std::string_view where) {
  const std::int64_t num = parse_count(text.substr(0, slash), where, 1);
  const std::int64_t den = parse_count(text.substr(slash + 1), where, 1);
  const Rational length = Rational(num, den) * Rational(num_layers);
  if (!length.is_integer() || num > den) {
    throw InputError(std::string(where),
                     fmt::format("{} of {} layers is no whole number of them", text, num_layers),
                     "name the layers instead, as in 4-9x2");
  }
  return {(num_layers - length.num()) / 2, length.num(), 1};
}

/// Layers first to last, counted from 1.
LoopSpan named_span(std::string_view text, std::size_t dash, std::int64_t num_layers,
                    std::string_view where) {
  const std::int64_t first = parse_count(text.substr(0, dash), where, 1);
  const std::int64_t last = parse_count(text.substr(dash + 1), where, 1);
  if (first > last || last > num_layers) {
    throw InputError(std::string(where), fmt::format("layers {} leave the stack", text),
                     fmt::format("first to last within 1 to {}", num_layers));
  }
  return {first - 1, last - first + 1, 1};
}

}  // namespace

std::optional<LoopSpan> parse_loop(std::string_view text, std::int64_t num_layers,
                                   std::string_view where) {
  if (text == "none") return std::nullopt;
  const std::size_t times = text.rfind('x');
  const std::string_view span_text = text.substr(0, times);
  const std::size_t slash = span_text.find('/');
  const std::size_t dash = span_text.find('-');
  if (times == std::string_view::npos || (slash == std::string_view::npos && dash == 0) ||
      (slash == std::string_view::npos && dash == std::string_view::npos)) {
    throw InputError(std::string(where), fmt::format("'{}' is no loop", text), kLoopForms);
  }
  LoopSpan span = slash != std::string_view::npos ? middle_span(span_text, slash, num_layers, where)
                                                  : named_span(span_text, dash, num_layers, where);
  span.visits = parse_count(text.substr(times + 1), where, 1, kMostVisits);
  return span;
}

namespace {

constexpr EnumNames<KvPolicy, 5> kKvPolicies = {{{{KvPolicy::kPerVisit, "per_visit"},
                                                  {KvPolicy::kShared, "shared"},
                                                  {KvPolicy::kFirst, "first"},
                                                  {KvPolicy::kLast, "last"},
                                                  {KvPolicy::kBudget, "budget"}}}};
constexpr EnumNames<LoopOrder, 2> kLoopOrders = {
    {{{LoopOrder::kBlock, "block"}, {LoopOrder::kLayer, "layer"}}}};

}  // namespace

KvPolicy parse_kv_policy(std::string_view text, std::string_view where) {
  return kKvPolicies.parse(text, "cache policy", where);
}

std::string_view kv_policy_name(KvPolicy policy) { return kKvPolicies.of(policy); }

LoopOrder parse_loop_order(std::string_view text, std::string_view where) {
  return kLoopOrders.parse(text, "loop order", where);
}

std::string_view loop_order_name(LoopOrder order) { return kLoopOrders.of(order); }

}  // namespace smelt
