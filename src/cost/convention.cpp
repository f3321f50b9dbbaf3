#include "smelt/convention.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>

#include "core/enum_names.hpp"
#include "smelt/loop.hpp"
#include "smelt/numbers.hpp"

namespace smelt {

namespace {

constexpr EnumNames<KeyRule, 8> kKeyRules = {{{{KeyRule::kNone, "none"},
                                               {KeyRule::kDocument, "document"},
                                               {KeyRule::kFull, "full"},
                                               {KeyRule::kHalf, "half"},
                                               {KeyRule::kExact, "exact"},
                                               {KeyRule::kWindowed, "windowed"},
                                               {KeyRule::kHalfWindow, "half-window"},
                                               {KeyRule::kPacked, "packed"}}}};
constexpr EnumNames<VectorRule, 4> kVectorRules = {{{{VectorRule::kNone, "none"},
                                                     {VectorRule::kAll, "all"},
                                                     {VectorRule::kLayers, "layers"},
                                                     {VectorRule::kQkAndFinal, "qk-and-final"}}}};
constexpr EnumNames<WeightRule, 3> kWeightRules = {{{{WeightRule::kExecuted, "executed"},
                                                     {WeightRule::kActive, "active"},
                                                     {WeightRule::kTotal, "total"}}}};
constexpr EnumNames<Recompute, 3> kRecomputes = {{{{Recompute::kNone, "none"},
                                                   {Recompute::kSelective, "selective"},
                                                   {Recompute::kFull, "full"}}}};
constexpr EnumNames<bool, 2> kYesNo = {{{{true, "yes"}, {false, "no"}}}};

/// One switch: how its value reads and how a text sets it.
struct Switch {
  std::string_view name;
  std::function<std::string(const Convention&)> get;
  std::function<void(Convention&, std::string_view value, std::string_view where)> set;
};

template <typename Value, std::size_t Size>
Switch named_switch(std::string_view name, Value Convention::*member,
                    const EnumNames<Value, Size>& names) {
  return {name, [=](const Convention& c) { return std::string(names.of(c.*member)); },
          [=](Convention& c, std::string_view value, std::string_view where) {
            c.*member = names.parse(value, std::string(name) + " value", where);
          }};
}

/// A number of visits, or "model" for what the model says.
Switch backward_switch() {
  return {"backward-visits",
          [](const Convention& c) {
            return c.backward_visits > 0 ? std::to_string(c.backward_visits) : std::string("model");
          },
          [](Convention& c, std::string_view value, std::string_view where) {
            c.backward_visits = value == "model" ? 0 : parse_count(value, where, 1, kMostVisits);
          }};
}

const std::vector<Switch>& all_switches() {
  static const std::vector<Switch> kSwitches = {
      named_switch("weights", &Convention::weights, kWeightRules),
      named_switch("head", &Convention::output_head, kYesNo),
      named_switch("mtp-heads", &Convention::mtp_heads, kYesNo),
      named_switch("embedding", &Convention::input_embedding, kYesNo),
      named_switch("router", &Convention::router, kYesNo),
      named_switch("norms", &Convention::vectors, kVectorRules),
      named_switch("keys", &Convention::keys, kKeyRules),
      named_switch("softmax", &Convention::softmax, kYesNo),
      backward_switch(),
      named_switch("recompute", &Convention::recompute, kRecomputes)};
  return kSwitches;
}

Convention paper() {
  return {.name = "paper",
          .rule = "6 x executed active parameters (norms, router in; embeddings out) + 12 Q n",
          .keys = KeyRule::kDocument,
          .vectors = VectorRule::kAll};
}

std::vector<Convention> paper_conventions() {
  return {paper(),
          {.name = "matmul",
           .rule = "6 x executed active matrix weights (no norms) + 12 Q n",
           .keys = KeyRule::kDocument},
          {.name = "6n",
           .rule = "6 x executed active parameters, no attention-score term",
           .vectors = VectorRule::kAll},
          {.name = "full",
           .rule = "matmul plus the output head, 6 V H",
           .keys = KeyRule::kDocument,
           .output_head = true}};
}

std::vector<Convention> tool_conventions() {
  return {{.name = "megatron",
           .rule = "6 P without router + 6 V H per head (MTP's too) + 12 Q S/2",
           .keys = KeyRule::kHalf,
           .output_head = true,
           .mtp_heads = true,
           .router = false},
          {.name = "maxtext",
           .rule = "6 P + 6 V H + 12 Q S/2, window w: w - w^2/(2 S) keys",
           .keys = KeyRule::kHalfWindow,
           .output_head = true},
          {.name = "torchtitan",
           .rule = "6 x (active parameters less the input embedding) + 12 Q S",
           .keys = KeyRule::kFull,
           .vectors = VectorRule::kAll,
           .output_head = true},
          {.name = "palm",
           .rule = "6 x all parameters a token uses + 12 Q S",
           .keys = KeyRule::kFull,
           .vectors = VectorRule::kAll,
           .output_head = true,
           .input_embedding = true},
          {.name = "olmo-core",
           .rule = "6 per parameter of each module (QK and final norms only) + 12 Q min(S, w)",
           .keys = KeyRule::kWindowed,
           .vectors = VectorRule::kQkAndFinal,
           .output_head = true},
          {.name = "levanter",
           .rule = "3 x (2 P + 2 V H + 4 Q c + 3 n_q c), c = min(S, w)",
           .keys = KeyRule::kWindowed,
           .output_head = true,
           .softmax = true},
          {.name = "nanochat-looped",
           .rule = "6 (once + r recurrent + r inject + V H), layer norms in, + 12 Q min(S, w)",
           .keys = KeyRule::kWindowed,
           .vectors = VectorRule::kLayers,
           .output_head = true},
          {.name = "6nd",
           .rule = "6 N, N all parameters (switch weights=active; head=no,embedding=no)",
           .vectors = VectorRule::kAll,
           .weights = WeightRule::kTotal,
           .output_head = true,
           .input_embedding = true}};
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(separator, start), text.size());
    parts.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return parts;
}

Convention plain_convention(std::string_view name, std::string_view where) {
  std::vector<std::string> known;
  for (const Convention& convention : conventions()) {
    if (convention.name == name) return convention;
    known.push_back(convention.name);
  }
  throw InputError(std::string(where), fmt::format("unknown convention '{}'", name),
                   fmt::format("one of {}", fmt::join(known, ", ")));
}

}  // namespace

const std::vector<Convention>& conventions() {
  static const std::vector<Convention> kConventions = [] {
    std::vector<Convention> all = paper_conventions();
    for (Convention& convention : tool_conventions()) all.push_back(std::move(convention));
    return all;
  }();
  return kConventions;
}

std::vector<std::pair<std::string, std::string>> switches(const Convention& convention) {
  std::vector<std::pair<std::string, std::string>> values;
  for (const Switch& entry : all_switches()) {
    values.emplace_back(entry.name, entry.get(convention));
  }
  return values;
}

void set_switch(Convention& convention, std::string_view name, std::string_view value,
                std::string_view where) {
  std::vector<std::string> known;
  for (const Switch& entry : all_switches()) {
    if (entry.name == name) return entry.set(convention, value, where);
    known.emplace_back(entry.name);
  }
  throw InputError(std::string(where), fmt::format("unknown switch '{}'", name),
                   fmt::format("one of {}", fmt::join(known, ", ")));
}

Convention convention_named(std::string_view text, std::string_view where) {
  const std::vector<std::string_view> parts = split(text, ',');
  Convention convention = plain_convention(parts.front(), where);
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::size_t equals = parts[i].find('=');
    if (equals == std::string_view::npos) {
      throw InputError(std::string(where), fmt::format("'{}' sets no switch", parts[i]),
                       "NAME,SWITCH=VALUE as in full,keys=half");
    }
    set_switch(convention, parts[i].substr(0, equals), parts[i].substr(equals + 1), where);
  }
  if (parts.size() > 1) convention.name = std::string(text);
  return convention;
}

}  // namespace smelt
