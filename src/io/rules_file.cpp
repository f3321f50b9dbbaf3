#include "smelt/rules_file.hpp"

#include <fmt/format.h>

#include "io/decimal.hpp"
#include "io/named_file.hpp"
#include "io/object_writer.hpp"
#include "smelt/numbers.hpp"
#include "smelt/object_reader.hpp"
#include "smelt/rule_flags.hpp"

namespace smelt {
namespace {

constexpr const char* kHiddenWidth = "hidden";
constexpr const char* kFreeWidth = "free";

/// The axes by their keys; read and written alike.
struct AxisKey {
  const char* key;
  Axis Rules::*member;
};
constexpr AxisKey kAxes[] = {
    {"hidden_size", &Rules::hidden_size},
    {"num_experts", &Rules::num_experts},
    {"moe_intermediate_size", &Rules::moe_intermediate_size},
    {"head_dim", &Rules::head_dim},
    {"num_key_value_heads", &Rules::num_key_value_heads},
    {"kv_lora_rank", &Rules::kv_lora_rank},
};

/// The shape ratios by their keys.
struct RatioKey {
  const char* key;
  RatioRange Rules::*member;
};
constexpr RatioKey kRatios[] = {
    {"ffn_ratio", &Rules::ffn_ratio},
    {"query_ratio", &Rules::query_ratio},
};

Axis read_range(ObjectReader range) {
  Axis axis;
  axis.lowest = range.count("min", 1, kLargestAxisValue);
  axis.highest = range.count("max", 1, kLargestAxisValue);
  axis.multiple_of = range.count("multiple_of", 1, kLargestAxisValue).value_or(1);
  range.reject_unknown_keys();
  return axis;
}

Axis read_list(const JsonValue::Array& items, const std::string& where) {
  if (items.empty()) throw InputError(where, "is an empty list", "at least one value");
  Axis axis;
  Mistakes mistakes;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::string place = json_pointer(where, std::to_string(i));
    try {
      const std::string* text = items[i].if_number();
      if (text == nullptr) {
        throw InputError(place, fmt::format("is {}, not a whole number", items[i].kind()));
      }
      axis.values.push_back(parse_count(*text, place, 1, kLargestAxisValue));
    } catch (const InputError& error) {
      mistakes.add(error);
    }
  }
  mistakes.throw_if_any();
  return axis;
}

/// An axis as a number, a list or a range.
Axis axis_value(ObjectReader& file, std::string_view key, const JsonValue& value) {
  if (value.if_number() != nullptr) {
    Axis axis;
    if (const auto only = file.count(key, 1, kLargestAxisValue)) axis.values = {*only};
    return axis;
  }
  if (const JsonValue::Array* items = value.if_array()) return read_list(*items, file.pointer(key));
  if (value.if_object() != nullptr) return read_range(*file.object(key));
  throw InputError(file.pointer(key),
                   fmt::format("is {}, not a number, a list or a range", value.kind()),
                   R"(64, [64, 128] or {"min": 64, "max": 128, "multiple_of": 8})");
}

Axis read_axis(ObjectReader& file, std::string_view key, Mistakes& mistakes) {
  const JsonValue* value = file.value(key);
  if (value == nullptr) return {};
  try {
    return checked_axis(axis_value(file, key, *value), file.pointer(key));
  } catch (const InputError& error) {
    mistakes.add(error);
    return {};
  }
}

RatioRange read_ratio(ObjectReader& file, std::string_view key, Mistakes& mistakes) {
  std::optional<ObjectReader> reader = file.object(key);
  if (!reader) return {};
  const RatioRange range{reader->fraction("min"), reader->fraction("max")};
  reader->reject_unknown_keys();
  try {
    check_ratio_range(range, file.pointer(key));
  } catch (const InputError& error) {
    mistakes.add(error);
  }
  return range;
}

bool read_query_width(ObjectReader& file) {
  const auto width = file.string("query_width");
  if (width && *width != kHiddenWidth && *width != kFreeWidth) {
    file.fault("query_width", fmt::format("unknown query width '{}'", printable(*width)),
               R"("hidden" or "free")");
  }
  return width.value_or(kHiddenWidth) != kFreeWidth;
}

Tolerance read_tolerance(ObjectReader& file) {
  file.require({"tolerance"});
  std::optional<ObjectReader> reader = file.object("tolerance");
  if (!reader) return {};
  reader->require({"flops", "params", "kv"});
  Tolerance tolerance;
  tolerance.flops = reader->fraction("flops").value_or(0);
  tolerance.params = reader->fraction("params").value_or(0);
  tolerance.kv = reader->fraction("kv").value_or(0);
  reader->reject_unknown_keys();
  return tolerance;
}

}  // namespace

Rules read_rules(const JsonValue& json) {
  Mistakes mistakes;
  ObjectReader file(json, {}, mistakes);
  Rules rules;
  rules.name = file.string("name").value_or("");
  rules.description = file.string("description").value_or("");
  for (const AxisKey& axis : kAxes) rules.*axis.member = read_axis(file, axis.key, mistakes);
  for (const RatioKey& ratio : kRatios) {
    rules.*ratio.member = read_ratio(file, ratio.key, mistakes);
  }
  rules.query_width_is_hidden = read_query_width(file);
  if (rules.query_width_is_hidden && file.has("query_ratio")) {
    file.fault("query_ratio", "has no effect where query_width is hidden",
               R"("query_width": "free", or no ratio)");
  }
  rules.tolerance = read_tolerance(file);
  file.reject_unknown_keys();
  mistakes.throw_if_any();
  return rules;
}

Rules read_rules_file(const std::filesystem::path& path) {
  return read_named_file(path, read_rules);
}

namespace {

JsonValue axis_json(const Axis& axis) {
  if (axis.values.size() == 1) return JsonValue::number(std::to_string(axis.values.front()));
  if (!axis.values.empty()) {
    JsonValue::Array items;
    for (const std::int64_t value : axis.values) {
      items.push_back(JsonValue::number(std::to_string(value)));
    }
    return JsonValue::array(std::move(items));
  }
  ObjectWriter out;
  if (axis.lowest) out.count("min", *axis.lowest);
  if (axis.highest) out.count("max", *axis.highest);
  if (axis.multiple_of != 1) out.count("multiple_of", axis.multiple_of);
  return out.take();
}

JsonValue decimal(const Rational& value) { return JsonValue::number(decimal_text(value)); }

JsonValue ratio_json(const RatioRange& range) {
  ObjectWriter out;
  if (range.lowest) out.add("min", decimal(*range.lowest));
  if (range.highest) out.add("max", decimal(*range.highest));
  return out.take();
}

JsonValue tolerance_json(const Tolerance& tolerance) {
  ObjectWriter out;
  out.add("flops", decimal(tolerance.flops));
  out.add("params", decimal(tolerance.params));
  out.add("kv", decimal(tolerance.kv));
  return out.take();
}

}  // namespace

JsonValue rules_json(const Rules& rules) {
  ObjectWriter out;
  if (!rules.name.empty()) out.add("name", JsonValue::string(rules.name));
  if (!rules.description.empty()) out.add("description", JsonValue::string(rules.description));
  for (const AxisKey& axis : kAxes) {
    if (rules.*axis.member != Axis()) out.add(axis.key, axis_json(rules.*axis.member));
  }
  for (const RatioKey& ratio : kRatios) {
    const RatioRange& range = rules.*ratio.member;
    if (range != RatioRange()) out.add(ratio.key, ratio_json(range));
  }
  const char* width = rules.query_width_is_hidden ? kHiddenWidth : kFreeWidth;
  out.add("query_width", JsonValue::string(width));
  out.add("tolerance", tolerance_json(rules.tolerance));
  return out.take();
}

std::string write_rules(const Rules& rules) { return write_json(rules_json(rules)); }

}  // namespace smelt
