// All printed figures of both configuration tables, from the geometry stated beside them.
#include <cstdio>
#include <string>

#include "catch.hpp"
#include "smelt/control.hpp"
#include "smelt/cost.hpp"
#include "smelt/text_file.hpp"

using smelt::Count;
using smelt::JsonValue;
using smelt::Model;

namespace {

const JsonValue& tables() {
  static const JsonValue kTables = smelt::read_json_file(SMELT_TEST_DATA "/paper-tables.json");
  return kTables;
}

const JsonValue& at(const JsonValue& value, const std::string& key) {
  const JsonValue* const member = value.find(key);
  if (member == nullptr) throw std::out_of_range(key);
  return *member;
}

double number(const JsonValue& value, const std::string& key) {
  return std::stod(*at(value, key).if_number());
}

std::int64_t whole(const JsonValue& value, const std::string& key) {
  return std::stoll(*at(value, key).if_number());
}

std::string text(const JsonValue& value, const std::string& key) {
  return *at(value, key).if_string();
}

smelt::Convention paper() { return smelt::convention_named("paper", ""); }

/// Rounds as a table prints.
std::string printed(double value, int digits) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%.*f", digits, value);
  return buffer;
}

/// A row's model: two key-value heads, query width = hidden size, gated experts.
Model model_of(const JsonValue& row, std::int64_t ffn, std::int64_t kv_width) {
  const std::int64_t hidden = whole(row, "hidden_size");
  const std::int64_t head = kv_width / 2;
  smelt::Layer layer;
  layer.attention = smelt::GroupedQueryAttention{hidden / head, 2, head};
  layer.ffn = {3, whole(row, "total_experts"), whole(row, "active_experts"), ffn, 0, 0, 0};
  std::optional<smelt::LoopSpan> loop;
  if (const JsonValue* const span = row.find("loop")) {
    const std::int64_t first = whole(*span, "first_layer_1based");
    loop = {first - 1, whole(*span, "last_layer_1based") - first + 1, whole(*span, "visits")};
  }
  Model model = smelt::uniform_stack(hidden, whole(row, "layers"), layer, loop);
  model.attended_keys = 392;
  return model;
}

const JsonValue& geometry() { return at(tables(), "derived_by_inversion"); }

Model baseline_of(const JsonValue& row) {
  const JsonValue& widths =
      at(at(at(geometry(), "expert_ffn_and_kv_width"), "baseline"), text(row, "scale"));
  return model_of(row, whole(widths, "expert_ffn"), whole(widths, "kv_width"));
}

Model smelt_of(const JsonValue& row) {
  const std::string key = text(row, "scale") + "/H" + std::to_string(whole(row, "hidden_size"));
  const JsonValue& widths = at(at(at(geometry(), "expert_ffn_and_kv_width"), "smelt_sparse"), key);
  return model_of(row, whole(widths, "expert_ffn"), whole(widths, "kv_width"));
}

/// Compares a figure at its printed digits and counts it.
class Figures {
 public:
  void check(const JsonValue& row, const std::string& key, double value, int digits) {
    INFO(text(row, "scale") << ", " << whole(row, "total_experts") << " experts: " << key);
    CHECK(printed(value, digits) == printed(number(row, key), digits));
    ++checked_;
  }
  [[nodiscard]] int checked() const { return checked_; }

 private:
  int checked_ = 0;
};

void check_parameters(Figures& figures, const JsonValue& row, const Model& model) {
  const smelt::ParameterCounts counts = smelt::count_parameters(model);
  figures.check(row, "active_params_billion", counts.active.to_double() / 1e9, 3);
  figures.check(row, "total_params_billion", counts.non_embedding.to_double() / 1e9, 2);
}

double sparsity_percent(const Model& model, const smelt::SparsityControl& control) {
  const smelt::Budget budget = smelt::budget_of(model, paper());
  return 100 *
         smelt::sparsity(budget.training_flops_per_token, budget.non_embedding_params, control);
}

bool is_sparse(const JsonValue& row) { return number(row, "sparsity_percent") > 0; }

}  // namespace

TEST_CASE("all 108 printed figures come out at their printed digits") {
  Figures figures;
  const JsonValue::Array& baselines = *at(tables(), "baseline").if_array();
  const JsonValue::Array& matched = *at(tables(), "smelt").if_array();
  REQUIRE(baselines.size() == matched.size());
  for (std::size_t i = 0; i < baselines.size(); ++i) {
    const Model baseline = baseline_of(baselines[i]);
    check_parameters(figures, baselines[i], baseline);
    figures.check(
        baselines[i], "sparsity_percent",
        sparsity_percent(baseline, smelt::fully_active_control(baseline, paper()).figures), 1);
    const JsonValue& row = matched[i];
    if (!is_sparse(row)) continue;
    const Model model = smelt_of(row);
    check_parameters(figures, row, model);
    const JsonValue& own = at(at(geometry(), "smelt_own_control"), text(row, "scale"));
    const std::string control = "flops=" + *at(own, "training_flops_per_token").if_number() +
                                ",params=" + *at(own, "non_embedding_params").if_number();
    figures.check(row, "sparsity_percent",
                  sparsity_percent(model, smelt::parse_control(control, "--control").figures), 1);
    const smelt::Deviation off =
        smelt::deviation(smelt::budget_of(model, paper()), smelt::budget_of(baseline, paper()));
    figures.check(row, "flops_ratio", 1 + off.flops, 3);
    figures.check(row, "kv_ratio", 1 + off.kv, 3);
  }
  CHECK(figures.checked() == 108);
}

TEST_CASE("the worked example and the worst deviations as the text prints them") {
  smelt::Deviation worst;
  const JsonValue::Array& baselines = *at(tables(), "baseline").if_array();
  const JsonValue::Array& matched = *at(tables(), "smelt").if_array();
  for (std::size_t i = 0; i < matched.size(); ++i) {
    if (!is_sparse(matched[i])) continue;
    const smelt::Budget baseline = smelt::budget_of(baseline_of(baselines[i]), paper());
    const smelt::Budget candidate = smelt::budget_of(smelt_of(matched[i]), paper());
    const smelt::Deviation off = smelt::deviation(candidate, baseline);
    worst.flops = std::max(worst.flops, std::abs(off.flops));
    worst.params = std::max(worst.params, std::abs(off.params));
    worst.kv = std::max(worst.kv, std::abs(off.kv));
    if (text(matched[i], "scale") == "200M" && whole(matched[i], "total_experts") == 288) {
      CHECK(printed(baseline.training_flops_per_token.to_double() / 1e9, 2) == "1.33");
      CHECK(printed(candidate.training_flops_per_token.to_double() / 1e9, 2) == "1.37");
      CHECK(printed(100 * off.flops, 1) == "2.9");
      CHECK(printed(100 * off.params, 1) == "0.4");
    }
  }
  CHECK(printed(100 * worst.flops, 1) == "3.9");
  CHECK(printed(100 * worst.params, 1) == "1.0");
  CHECK(printed(100 * worst.kv, 1) == "3.6");
}
