#include "io/native/loop_form.hpp"

#include <string>

#include "smelt/model_file.hpp"

namespace smelt::native {

namespace {

constexpr std::int64_t kMostInjects = 100;

std::optional<LoopSpan> read_span(ObjectReader& span) {
  span.require({"start", "length", "visits"});
  const auto start = span.count("start", 0, kMostLayers);
  const auto length = span.count("length", 1, kMostLayers);
  const auto visits = span.count("visits", 1, kMostVisits);
  if (!start || !length || !visits) return std::nullopt;
  return LoopSpan{*start, *length, *visits};
}

/// The value of a text key by `parse`, whose InputError becomes a mistake of the file.
template <typename Parse, typename Value>
Value read_name(ObjectReader& loop, const char* key, Value absent, Parse parse) {
  const auto text = loop.string(key);
  if (!text) return absent;
  try {
    return parse(*text, "");
  } catch (const InputError& error) {
    loop.fault(key, error.mistakes().front().what, error.mistakes().front().expected);
    return absent;
  }
}

LoopOptions read_options(ObjectReader& loop) {
  LoopOptions options;
  options.order = read_name(loop, "order", LoopOrder::kBlock, parse_loop_order);
  options.kv = read_name(loop, "kv", KvPolicy::kPerVisit, parse_kv_policy);
  options.kv_visits = loop.count("kv_visits", 1, kMostVisits).value_or(0);
  options.inject_matrices = loop.count("inject_matrices", 0, kMostInjects).value_or(0);
  options.inject_vectors = loop.count("inject_vectors", 0, kMostInjects).value_or(0);
  options.adapter_rank = loop.count("adapter_rank", 0, kLargestSize).value_or(0);
  options.backward_visits = loop.count("backward_visits", 1, kMostVisits).value_or(0);
  return options;
}

}  // namespace

LoopForm read_loop(ObjectReader& file) {
  LoopForm form;
  std::optional<ObjectReader> loop = file.object("loop");
  if (!loop) return form;
  form.options = read_options(*loop);
  if (loop->has("spans")) {
    const JsonValue::Array* spans = loop->array("spans");
    for (std::size_t i = 0; spans != nullptr && i < spans->size(); ++i) {
      ObjectReader item = loop->item("spans", i);
      if (const auto span = read_span(item)) form.spans.push_back(*span);
      item.reject_unknown_keys();
    }
  } else if (const auto span = read_span(*loop)) {
    form.spans.push_back(*span);
  }
  loop->reject_unknown_keys();
  return form;
}

namespace {

void write_span(const LoopSpan& span, ObjectWriter& out) {
  out.count("start", span.start);
  out.count("length", span.length);
  out.count("visits", span.visits);
}

void write_options(const LoopOptions& options, ObjectWriter& out) {
  const auto text = [&](const char* key, std::string_view value) {
    out.add(key, JsonValue::string(std::string(value)));
  };
  const auto count = [&](const char* key, std::int64_t value) {
    if (value > 0) out.count(key, value);
  };
  if (options.order != LoopOrder::kBlock) text("order", loop_order_name(options.order));
  if (options.kv != KvPolicy::kPerVisit) text("kv", kv_policy_name(options.kv));
  count("kv_visits", options.kv_visits);
  count("inject_matrices", options.inject_matrices);
  count("inject_vectors", options.inject_vectors);
  count("adapter_rank", options.adapter_rank);
  count("backward_visits", options.backward_visits);
}

}  // namespace

void write_loop(const Model& model, ObjectWriter& out) {
  const std::vector<LoopSpan> spans = loop_spans(model);
  if (spans.empty() && model.loop == LoopOptions{}) return;
  ObjectWriter loop;
  if (spans.size() == 1) {
    write_span(spans.front(), loop);
  } else {
    JsonValue::Array items;
    for (const LoopSpan& span : spans) {
      ObjectWriter item;
      write_span(span, item);
      items.push_back(item.take());
    }
    loop.add("spans", JsonValue::array(std::move(items)));
  }
  write_options(model.loop, loop);
  out.add("loop", loop.take());
}

}  // namespace smelt::native
