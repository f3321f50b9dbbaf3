#include "smelt/context.hpp"

#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "smelt/error.hpp"

using namespace smelt;

namespace {

/// The mean by walking through every token of every document.
double walked_mean(const std::vector<std::int64_t>& lengths, const AttentionWindow& window) {
  double keys = 0;
  double tokens = 0;
  for (const std::int64_t length : lengths) {
    for (std::int64_t i = 0; i < length; ++i) {
      std::int64_t seen = i + 1;
      if (window.kind == AttentionWindow::Kind::kSliding) seen = std::min(seen, window.tokens);
      if (window.kind == AttentionWindow::Kind::kChunked) seen = i % window.tokens + 1;
      keys += static_cast<double>(seen);
      tokens += 1;
    }
  }
  return keys / tokens;
}

/// The mean over a geometric law, summed position by position until the tail is gone.
double walked_geometric_mean(double mean_length, const AttentionWindow& window) {
  double alive = 1;
  double keys = 0;
  for (std::int64_t i = 0; alive > 1e-18; ++i, alive *= 1 - 1 / mean_length) {
    std::int64_t seen = i + 1;
    if (window.kind == AttentionWindow::Kind::kSliding) seen = std::min(seen, window.tokens);
    if (window.kind == AttentionWindow::Kind::kChunked) seen = i % window.tokens + 1;
    keys += alive * static_cast<double>(seen);
  }
  return keys / mean_length;
}

}  // namespace

TEST_CASE("mean keys of published cases, exact") {
  const AttentionWindow window{AttentionWindow::Kind::kSliding, 512};
  CHECK(mean_keys(ConstantDocuments{2048}, window, true) == Rational(3585, 8));  // 448.125
  const ListedDocuments even{std::vector<std::int64_t>(16, 512)};
  CHECK(mean_keys(even, {}, true) == Rational(513, 2));  // 256.5
  const ListedDocuments halving{{4096, 2048, 1024, 512, 256, 256}};
  CHECK(mean_keys(halving, {}, true) == Rational(2737, 2));  // 1368.5
  CHECK(mean_keys(ConstantDocuments{783}, {}, true) == Rational(392));
  CHECK(mean_keys(ConstantDocuments{512}, {}, false) == Rational(512));
  CHECK(mean_keys(GeometricDocuments{783}, {}, true) == Rational(783));
}

TEST_CASE("mean keys agree with a walk over all tokens") {
  const std::vector<AttentionWindow> windows = {{},
                                                {AttentionWindow::Kind::kSliding, 1},
                                                {AttentionWindow::Kind::kSliding, 37},
                                                {AttentionWindow::Kind::kSliding, 900},
                                                {AttentionWindow::Kind::kChunked, 1},
                                                {AttentionWindow::Kind::kChunked, 50},
                                                {AttentionWindow::Kind::kChunked, 900}};
  for (const AttentionWindow& window : windows) {
    CAPTURE(static_cast<int>(window.kind), window.tokens);
    const std::vector<std::int64_t> lengths = {1, 100, 257, 900, 1300};
    CHECK(mean_keys(ListedDocuments{lengths}, window, true).to_double() ==
          Approx(walked_mean(lengths, window)).epsilon(1e-12));
    for (const std::int64_t length : lengths) {
      CHECK(mean_keys(ConstantDocuments{length}, window, true).to_double() ==
            Approx(walked_mean({length}, window)).epsilon(1e-12));
      CHECK(mean_keys(GeometricDocuments{length}, window, true).to_double() ==
            Approx(walked_geometric_mean(static_cast<double>(length), window)).margin(1e-5));
    }
  }
}

TEST_CASE("document laws by name") {
  CHECK(document_law("geometric", 783, "--doc-law") == DocumentLaw(GeometricDocuments{783}));
  CHECK_THROWS_WITH(document_law("normal", 783, "--doc-law"),
                    "--doc-law: unknown document law 'normal' (constant or geometric)");
  CHECK_THROWS_AS(document_law("constant", 0, "--doc-len"), InputError);
}
