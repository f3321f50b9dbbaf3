#include "smelt/space_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/decimal.hpp"
#include "io/named_file.hpp"
#include "io/object_writer.hpp"
#include "smelt/checksum.hpp"
#include "smelt/hardware_file.hpp"
#include "smelt/model_file.hpp"
#include "smelt/numbers.hpp"
#include "smelt/object_reader.hpp"
#include "smelt/rule_flags.hpp"
#include "smelt/rules_file.hpp"

namespace smelt {
namespace {

constexpr std::int64_t kMostExpertsPerToken = 1'000'000;
constexpr std::int64_t kMostCandidates = 100'000;
constexpr const char* kMiddle = "middle";
constexpr const char* kAny = "any";

struct Bounds {
  std::int64_t lowest;
  std::int64_t highest;
};

/// {"min", "max", "multiple_of"}: its values in order.
std::vector<std::int64_t> read_range(ObjectReader& parent, std::string_view key, Bounds bounds) {
  ObjectReader range = *parent.object(key);
  range.require({"min", "max"});
  const auto low = range.count("min", bounds.lowest, bounds.highest);
  const auto high = range.count("max", bounds.lowest, bounds.highest);
  const std::int64_t step = range.count("multiple_of", 1, bounds.highest).value_or(1);
  range.reject_unknown_keys();
  std::vector<std::int64_t> values;
  if (!low || !high) return values;
  for (std::int64_t v = ceil_div(*low, step) * step; v <= *high; v += step) {
    values.push_back(v);
    if (values.size() > kLongestAxis) break;
  }
  if (values.empty()) parent.fault(key, "holds no value", "min at most max, a multiple between");
  if (values.size() > kLongestAxis) parent.fault(key, "holds more than 100,000 values");
  return values;
}

/// A number, a list of numbers or a range, in ascending order.
std::vector<std::int64_t> read_values(ObjectReader& object, std::string_view key, Bounds bounds) {
  const JsonValue* const value = object.value(key);
  if (value == nullptr) return {};
  std::vector<std::int64_t> values;
  if (value->if_object() != nullptr) {
    values = read_range(object, key, bounds);
  } else if (value->if_number() != nullptr) {
    if (const auto only = object.count(key, bounds.lowest, bounds.highest)) values = {*only};
  } else {
    values = object.counts(key, bounds.lowest, bounds.highest);
    if (value->if_array() != nullptr && value->if_array()->empty()) {
      object.fault(key, "is an empty list", "at least one value");
    }
  }
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

/// "1/2", in lowest terms and at most 1.
Rational parse_part(const std::string& text, const std::string& where) {
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) {
    throw InputError(where, fmt::format("'{}' is no part of the depth", printable(text)),
                     R"(a fraction such as "1/2", or a number of layers)");
  }
  const Rational part(parse_count(text.substr(0, slash), where, 1, kMostLayers),
                      parse_count(text.substr(slash + 1), where, 1, kMostLayers));
  if (part > Rational(1)) throw InputError(where, text + " is more than the whole depth");
  return part;
}

/// Loop lengths: numbers of layers, and parts of the depth as strings.
void read_lengths(ObjectReader& reader, LoopAxes& axes, Mistakes& mistakes) {
  const JsonValue* const value = reader.value("length");
  if (value == nullptr) return;
  JsonValue::Array numbers;
  JsonValue::Array items = {*value};
  if (value->if_array() != nullptr) items = *value->if_array();
  for (const JsonValue& item : items) {
    const std::string* const text = item.if_string();
    if (text == nullptr) {
      numbers.push_back(item);
      continue;
    }
    try {
      axes.fractions.push_back(parse_part(*text, reader.pointer("length")));
    } catch (const InputError& error) {
      mistakes.add(error);
    }
  }
  std::sort(axes.fractions.begin(), axes.fractions.end());
  axes.fractions.erase(std::unique(axes.fractions.begin(), axes.fractions.end()),
                       axes.fractions.end());
  if (numbers.empty() && !items.empty()) return;  // parts alone
  if (value->if_array() == nullptr) {
    axes.lengths = read_values(reader, "length", {1, kMostLayers});
    return;
  }
  const JsonValue listed = JsonValue::object({{"length", JsonValue::array(std::move(numbers))}});
  const std::string where = reader.pointer("");
  ObjectReader list(listed, where.substr(0, where.size() - 1), mistakes);
  axes.lengths = read_values(list, "length", {1, kMostLayers});
}

void read_start(ObjectReader& reader, LoopAxes& axes) {
  const JsonValue* const value = reader.value("start");
  if (value == nullptr) return;
  if (const std::string* text = value->if_string()) {
    if (*text != kMiddle && *text != kAny) {
      reader.fault("start", fmt::format("'{}' is unknown", printable(*text)),
                   R"("middle", "any" or layers counted from 0)");
    }
    axes.start = *text == kAny ? LoopStart::kAny : LoopStart::kMiddle;
    return;
  }
  axes.start = LoopStart::kListed;
  axes.starts = read_values(reader, "start", {0, kMostLayers});
}

std::optional<LoopAxes> read_loop(ObjectReader& file, Mistakes& mistakes) {
  std::optional<ObjectReader> reader = file.object("loop");
  if (!reader) return std::nullopt;
  reader->require({"length", "visits"});
  LoopAxes axes;
  read_lengths(*reader, axes, mistakes);
  read_start(*reader, axes);
  axes.visits = read_values(*reader, "visits", {1, kMostVisits});
  reader->reject_unknown_keys();
  return axes;
}

/// A preset's name or path read by `named`, or the thing itself read by `inline_value`.
template <typename Value, typename Named, typename Inline>
void read_source(ObjectReader& file, const char* key, Mistakes& mistakes, Value& into, Named named,
                 Inline inline_value) {
  const JsonValue* const value = file.value(key);
  if (value == nullptr) return;
  try {
    if (value->if_object() != nullptr) {
      into = inline_value(*value);
    } else if (const auto name = file.string(key)) {
      into = named(*name);
    }
  } catch (const InputError& error) {
    mistakes.add(error.within(file.pointer(key)));
  }
}

ParetoMetric read_pareto_metric(const JsonValue& item, const std::string& where,
                                Mistakes& mistakes) {
  if (const std::string* text = item.if_string()) {
    const Metric metric = parse_metric(*text, where);
    return {metric, info_of(metric).higher_is_better};
  }
  ObjectReader reader(item, where, mistakes);
  reader.require({"metric", "better"});
  const Metric metric =
      parse_metric(reader.string("metric").value_or("max_abs_deviation"), where + "/metric");
  const std::string better = reader.string("better").value_or("lower");
  if (better != "lower" && better != "higher") {
    reader.fault("better", fmt::format("'{}' is unknown", printable(better)),
                 R"("lower" or "higher")");
  }
  reader.reject_unknown_keys();
  return {metric, better == "higher"};
}

std::vector<ParetoMetric> read_pareto(ObjectReader& file, Mistakes& mistakes) {
  const JsonValue::Array* const items = file.array("pareto");
  std::vector<ParetoMetric> metrics;
  for (std::size_t i = 0; items != nullptr && i < items->size(); ++i) {
    const std::string where = json_pointer(file.pointer("pareto"), std::to_string(i));
    try {
      const ParetoMetric metric = read_pareto_metric((*items)[i], where, mistakes);
      const bool twice =
          std::any_of(metrics.begin(), metrics.end(),
                      [&](const ParetoMetric& other) { return other.metric == metric.metric; });
      if (twice) mistakes.add(where, "stands on the list twice");
      metrics.push_back(metric);
    } catch (const InputError& error) {
      mistakes.add(error);
    }
  }
  return metrics;
}

/// Metrics ask for what they stand on.
void check_metrics(const SearchSpace& space, Mistakes& mistakes) {
  for (const ParetoMetric& asked : space.pareto) {
    const MetricInfo& info = info_of(asked.metric);
    if (info.needs_batch && !space.batch_tokens) {
      mistakes.add("/batch_tokens", fmt::format("is missing, and {} needs it", info.key));
    }
    if (info.needs_degree && !space.expert_parallel_degree) {
      mistakes.add("/expert_parallel_degree", fmt::format("is missing, and {} needs it", info.key));
    }
    if (info.needs_device && !space.device) {
      mistakes.add("/device", fmt::format("is missing, and {} needs it", info.key));
    }
  }
  if (space.device && !space.batch_tokens) {
    mistakes.add("/batch_tokens", "is missing, and the time on a device needs it");
  }
  const bool asks_of_experts = space.batch_tokens || space.expert_parallel_degree;
  if (asks_of_experts && dimensions_of(space.baseline).num_experts == 0) {
    mistakes.add("/batch_tokens, /expert_parallel_degree",
                 "are asked of a Baseline without experts", "leave them out");
  }
}

Tolerance read_tolerance(ObjectReader& file, Tolerance tolerance) {
  std::optional<ObjectReader> reader = file.object("tolerance");
  if (!reader) return tolerance;
  tolerance.flops = reader->fraction("flops").value_or(tolerance.flops);
  tolerance.params = reader->fraction("params").value_or(tolerance.params);
  tolerance.kv = reader->fraction("kv").value_or(tolerance.kv);
  reader->reject_unknown_keys();
  return tolerance;
}

template <typename Parse>
auto parsed(ObjectReader& file, const char* key, Mistakes& mistakes, Parse parse,
            decltype(parse("", "")) otherwise) {
  try {
    if (const auto text = file.string(key)) return parse(*text, file.pointer(key));
  } catch (const InputError& error) {
    mistakes.add(error);
  }
  return otherwise;
}

std::string from_folder(const std::string& name, const std::filesystem::path& folder) {
  return is_path(name) ? (folder / name).string() : name;
}

}  // namespace

SearchSpace read_space(const JsonValue& json, const Presets& presets,
                       const std::filesystem::path& folder) {
  Mistakes mistakes;
  ObjectReader file(json, {}, mistakes);
  file.require({"baseline", "rules"});
  SearchSpace space;
  space.name = file.string("name").value_or("");
  space.description = file.string("description").value_or("");
  read_source(
      file, "baseline", mistakes, space.baseline,
      [&](const std::string& name) { return presets.model(from_folder(name, folder)); },
      [](const JsonValue& value) { return read_model(value); });
  read_source(
      file, "rules", mistakes, space.rules,
      [&](const std::string& name) { return presets.rules(from_folder(name, folder)); },
      [](const JsonValue& value) { return read_rules(value); });
  space.rules.tolerance = read_tolerance(file, space.rules.tolerance);
  space.num_hidden_layers = read_values(file, "num_hidden_layers", {1, kMostLayers});
  space.loop = read_loop(file, mistakes);
  space.num_experts_per_tok = read_values(file, "num_experts_per_tok", {1, kMostExpertsPerToken});
  space.convention = parsed(file, "convention", mistakes, convention_named, conventions().front());
  space.objective = parsed(file, "objective", mistakes, parse_objective, Objective::kMax);
  space.top = file.count("top", 1, kMostCandidates).value_or(space.top);
  space.pareto = read_pareto(file, mistakes);
  space.batch_tokens = file.count("batch_tokens", 1, kMostBatchTokens);
  space.expert_parallel_degree = file.count("expert_parallel_degree", 1, kLargestAxisValue);
  if (file.has("device")) {
    read_source(
        file, "device", mistakes, space.device.emplace(),
        [&](const std::string& name) { return presets.hardware(from_folder(name, folder)); },
        [](const JsonValue& value) { return read_hardware(value); });
  }
  file.reject_unknown_keys();
  if (mistakes.empty()) check_metrics(space, mistakes);
  mistakes.throw_if_any();
  return space;
}

SearchSpace read_space_file(const std::filesystem::path& path, const Presets& presets) {
  return read_named_file(
      path, [&](const JsonValue& json) { return read_space(json, presets, path.parent_path()); });
}

namespace {

JsonValue number(std::int64_t value) { return JsonValue::number(std::to_string(value)); }

JsonValue::Array numbers(const std::vector<std::int64_t>& values) {
  JsonValue::Array items;
  for (const std::int64_t value : values) items.push_back(number(value));
  return items;
}

JsonValue loop_json(const LoopAxes& axes) {
  JsonValue::Array lengths = numbers(axes.lengths);
  for (const Rational& part : axes.fractions) {
    lengths.push_back(JsonValue::string(fmt::format("{}/{}", part.num(), part.den())));
  }
  JsonValue start = JsonValue::string(axes.start == LoopStart::kAny ? kAny : kMiddle);
  if (axes.start == LoopStart::kListed) start = JsonValue::array(numbers(axes.starts));
  ObjectWriter out;
  out.add("length", JsonValue::array(std::move(lengths)));
  out.add("start", std::move(start));
  out.add("visits", JsonValue::array(numbers(axes.visits)));
  return out.take();
}

JsonValue pareto_json(const std::vector<ParetoMetric>& metrics) {
  JsonValue::Array items;
  for (const ParetoMetric& metric : metrics) {
    ObjectWriter out;
    out.add("metric", JsonValue::string(std::string(info_of(metric.metric).key)));
    out.add("better", JsonValue::string(metric.higher_is_better ? "higher" : "lower"));
    items.push_back(out.take());
  }
  return JsonValue::array(std::move(items));
}

}  // namespace

JsonValue space_json(const SearchSpace& space) {
  ObjectWriter out;
  if (!space.name.empty()) out.add("name", JsonValue::string(space.name));
  if (!space.description.empty()) out.add("description", JsonValue::string(space.description));
  out.add("baseline", model_json(space.baseline));
  const auto add_list = [&](const char* key, const std::vector<std::int64_t>& values) {
    if (!values.empty()) out.add(key, JsonValue::array(numbers(values)));
  };
  add_list("num_hidden_layers", space.num_hidden_layers);
  if (space.loop) out.add("loop", loop_json(*space.loop));
  add_list("num_experts_per_tok", space.num_experts_per_tok);
  out.add("rules", rules_json(space.rules));
  out.add("convention", JsonValue::string(space.convention.name));
  out.add("objective", JsonValue::string(std::string(objective_name(space.objective))));
  out.count("top", space.top);
  out.add("pareto", pareto_json(space.pareto));
  if (space.batch_tokens) out.count("batch_tokens", *space.batch_tokens);
  if (space.expert_parallel_degree) {
    out.count("expert_parallel_degree", *space.expert_parallel_degree);
  }
  if (space.device) out.add("device", hardware_json(*space.device));
  return out.take();
}

std::string space_hash(const SearchSpace& space) {
  SearchSpace unnamed = space;
  unnamed.name.clear();
  unnamed.description.clear();
  return fnv1a_64(write_json_line(space_json(unnamed)));
}

}  // namespace smelt
