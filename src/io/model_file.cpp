#include "smelt/model_file.hpp"

#include <fmt/format.h>

#include "io/named_file.hpp"
#include "io/native/layer_form.hpp"
#include "io/native/loop_form.hpp"
#include "io/native/stack_form.hpp"
#include "io/object_writer.hpp"
#include "smelt/export.hpp"
#include "smelt/hf_config.hpp"
#include "smelt/numbers.hpp"
#include "smelt/object_reader.hpp"

namespace smelt {
namespace {

constexpr const char* kNativeType = "smelt";

// A value that is missing or wrong is already a mistake when the model is validated, so a harmless
// one takes its place and brings no second line.

/// Keys that name the model and its provenance; they count nothing.
std::string read_labels(ObjectReader& file) {
  file.value("model_type");
  file.string("source");
  file.string("description");
  return file.string("name").value_or("");
}

struct Layers {
  std::vector<Layer> list;
  bool sized = true;  ///< false where their number is missing or wrong, and one layer stands in
};

/// Like layers from the file's own keys, or the runs that `layers` lists.
Layers read_layers(ObjectReader& file, std::optional<std::int64_t> hidden_size) {
  file.value("layers");
  const bool listed = file.has("layers");
  if (!listed) file.require({"num_hidden_layers"});
  const auto num_layers = file.count("num_hidden_layers", 1, kMostLayers);
  if (!listed) {
    const Layer layer = native::read_layer(file, hidden_size);
    const auto size = static_cast<std::size_t>(num_layers.value_or(1));
    return {std::vector<Layer>(size, layer), num_layers.has_value()};
  }
  std::vector<Layer> layers = native::read_layer_list(file, "layers", hidden_size);
  if (num_layers && !layers.empty() && *num_layers != static_cast<std::int64_t>(layers.size())) {
    file.fault("num_hidden_layers",
               fmt::format("is {}, but layers lists {}", *num_layers, layers.size()),
               "the same number, or leave it out");
  }
  return {layers, !layers.empty()};
}

/// Runs `step`, whose InputError joins the mistakes of the file.
template <typename Step>
void collect(Mistakes& mistakes, Step step) {
  try {
    step();
  } catch (const InputError& error) {
    mistakes.add(error);
  }
}

Model read_native(ObjectReader& file, Mistakes& mistakes) {
  file.require({"hidden_size"});
  Model model;
  model.name = read_labels(file);
  const auto hidden_size = file.count("hidden_size", 1, kLargestSize);
  model.hidden_size = hidden_size.value_or(1);
  const Layers layers = read_layers(file, hidden_size);
  model.layers = layers.list;
  const native::LoopForm loop = native::read_loop(file);
  model.loop = loop.options;
  native::read_outside(file, model);
  model.mtp_layers = native::read_layer_list(file, "mtp_layers", hidden_size);
  file.reject_unknown_keys();
  collect(mistakes, [&] { validate(model); });
  for (const LoopSpan& span : loop.spans) {
    if (layers.sized) collect(mistakes, [&] { apply_loop(model, span); });
  }
  return model;
}

}  // namespace

Model read_model(const JsonValue& json) {
  if (looks_like_hf_config(json)) return import_hf_config(json).model;
  if (looks_like_torchtitan_arguments(json)) return import_torchtitan_arguments(json);
  Mistakes mistakes;
  ObjectReader file(json, {}, mistakes);
  if (file.is_object() && !file.has("model_type")) {
    file.fault("model_type", "is missing",
               "\"smelt\" for smelt's own form, or a Hugging Face family's");
  }
  file.string("model_type");
  mistakes.throw_if_any();
  Model model = read_native(file, mistakes);
  mistakes.throw_if_any();
  return model;
}

Model read_model_file(const std::filesystem::path& path) {
  return read_named_text(path, [](const std::string& text) {
    if (looks_like_megatron_arguments(text)) return import_megatron_arguments(text);
    return read_model(parse_json(text));
  });
}

JsonValue model_json(const Model& model) {
  if (model.layers.empty()) throw InputError(model.name, "has no layers");
  ObjectWriter out;
  out.add("model_type", JsonValue::string(kNativeType));
  if (!model.name.empty()) out.add("name", JsonValue::string(model.name));
  out.count("hidden_size", model.hidden_size);
  out.count("num_hidden_layers", model.num_layers());
  if (is_uniform(model)) {
    native::write_layer(model.layers.front(), out);
  } else {
    out.add("layers", native::layer_list_json(model.layers));
  }
  native::write_loop(model, out);
  native::write_outside(model, out);
  if (!model.mtp_layers.empty()) out.add("mtp_layers", native::layer_list_json(model.mtp_layers));
  return out.take();
}

std::string write_model(const Model& model) { return write_json(model_json(model)); }

}  // namespace smelt
