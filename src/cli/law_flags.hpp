#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/flags.hpp"
#include "smelt/figure.hpp"
#include "smelt/law.hpp"
#include "smelt/presets.hpp"

namespace smelt::cli {

/// "a,b,c" as reals. Throws InputError at `where`, also for an empty list.
std::vector<double> parse_real_list(const std::string& text, const std::string& where);

/// --law, given any number of times.
struct LawsFlag {
  std::vector<std::string> names;

  void declare(Flags& flags, const std::string& otherwise);
  /// The laws asked for, or those of `otherwise`.
  [[nodiscard]] std::vector<Law> value(const Presets& presets,
                                       const std::vector<std::string>& otherwise) const;
};

/// --budget, a list.
struct BudgetsFlag {
  std::optional<std::string> list;

  void declare(Flags& flags, const std::string& otherwise);
  [[nodiscard]] std::vector<double> value(const std::vector<double>& otherwise) const;
};

/// --sparsity (a list), --visits and --recurrent-share: what a split leaves fixed.
struct ScenarioFlags {
  std::optional<std::string> sparsity;
  std::optional<std::string> visits;
  std::optional<std::string> recurrent_share;

  void declare(Flags& flags);
  /// One scenario for each sparsity asked for, or for each of `otherwise`.
  [[nodiscard]] std::vector<LawScenario> value(const std::vector<double>& otherwise) const;
};

/// --figure KIND:FILE, given any number of times.
struct FigureFlags {
  std::vector<std::string> requests;

  void declare(Flags& flags, const std::vector<std::string>& kinds);
  /// Writes each picture asked for, drawn by `draw` from its kind: a Vega-Lite specification where
  /// the file's name ends in .json, a gnuplot script where it ends in .gp.
  template <typename Draw>
  void write(Draw draw) const {
    for (const std::string& request : requests) {
      const Target target = parse(request);
      save(target, draw(target.kind));
    }
  }

 private:
  struct Target {
    std::string kind;
    std::string file;
  };
  [[nodiscard]] Target parse(const std::string& request) const;
  static void save(const Target& target, const Figure& figure);

  std::vector<std::string> kinds_;
};

}  // namespace smelt::cli
