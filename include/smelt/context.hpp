#pragma once

#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "smelt/attention.hpp"
#include "smelt/rational.hpp"

namespace smelt {

/// Every document has `length` tokens.
struct ConstantDocuments {
  std::int64_t length = 0;
  friend bool operator==(const ConstantDocuments&, const ConstantDocuments&) = default;
};

/// Lengths 1, 2, ... follow a geometric law of the given mean. Most tokens sit in long documents,
/// so a token sees nearly twice the keys that documents of that constant length would give.
struct GeometricDocuments {
  std::int64_t mean_length = 0;
  friend bool operator==(const GeometricDocuments&, const GeometricDocuments&) = default;
};

/// Documents of the given lengths, each as often as it is listed.
struct ListedDocuments {
  std::vector<std::int64_t> lengths;
  friend bool operator==(const ListedDocuments&, const ListedDocuments&) = default;
};

/// How long the documents are that attention stays within.
using DocumentLaw = std::variant<ConstantDocuments, GeometricDocuments, ListedDocuments>;

/// A law by name, "constant" or "geometric", of the given mean length.
/// Throws InputError at `where` for another name or a length below 1.
DocumentLaw document_law(std::string_view name, std::int64_t mean_length, std::string_view where);

/// Mean number of keys that a token attends to, tokens weighted alike: exact for constant and
/// listed lengths, to a 2^20th of a key for the geometric law (which is exact, too, without a
/// window). Constant length T gives (T + 1) / 2 and, in a window w, w - w (w - 1) / (2 T); without
/// a causal mask a token sees its whole document.
Rational mean_keys(const DocumentLaw& law, const AttentionWindow& window, bool causal);

}  // namespace smelt
