#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace smelt {

/// How many keys a query is charged for, in a layer of window w and a sequence of S tokens.
enum class KeyRule {
  kNone,        ///< no score products
  kDocument,    ///< the mean over the model's documents, windows exact
  kFull,        ///< S
  kHalf,        ///< S / 2
  kExact,       ///< (S + 1) / 2; w - w (w - 1) / (2 S) in a window
  kWindowed,    ///< min(S, w)
  kHalfWindow,  ///< S / 2; w - w^2 / (2 S) in a window
  kPacked,      ///< sum(s^2) / sum(s) over the documents s of a pack, at most w
};

/// Which vectors (norms, biases) are charged like matrix weights.
enum class VectorRule {
  kNone,
  kAll,
  kLayers,      ///< all but the final norms
  kQkAndFinal,  ///< biases, QK norms and final norms; not the norms around sublayers
};

/// Which weights the 6 N term counts.
enum class WeightRule {
  kExecuted,  ///< what a token meets, once per visit
  kActive,    ///< what a token meets, a looped layer once
  kTotal,     ///< everything stored
};

/// Forward passes repeated in training because activations were dropped.
enum class Recompute {
  kNone,
  kSelective,  ///< the score products once more
  kFull,       ///< everything once more
};

/// A named rule for counting training FLOPs: a set of switches.
struct Convention {
  std::string name;
  std::string rule;  ///< in words, one line
  KeyRule keys = KeyRule::kNone;
  VectorRule vectors = VectorRule::kNone;
  WeightRule weights = WeightRule::kExecuted;
  bool output_head = false;      ///< 6 V H
  bool mtp_heads = false;        ///< the head again for each multi-token-prediction module
  bool input_embedding = false;  ///< 6 per weight of the tables that a token is looked up in
  bool router = true;
  bool softmax = false;  ///< 3 n_q c per executed layer and forward pass, c the keys
  Recompute recompute = Recompute::kNone;
  std::int64_t backward_visits = 0;  ///< replaces the model's where above 0
};

/// paper (the default, first), matmul, 6n, full, then the rules of public tools under their names.
const std::vector<Convention>& conventions();

/// A convention by name, with switches changed where asked: "full", "full,keys=full,router=no".
/// Throws InputError naming the known ones.
Convention convention_named(std::string_view text, std::string_view where);

/// Name and value of every switch, in the order that `convention_named` reads and gaps are
/// explained.
std::vector<std::pair<std::string, std::string>> switches(const Convention& convention);

/// Sets one switch. Throws InputError at `where` for an unknown switch or value.
void set_switch(Convention& convention, std::string_view name, std::string_view value,
                std::string_view where);

}  // namespace smelt
