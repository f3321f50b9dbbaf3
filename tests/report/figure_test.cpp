#include "smelt/figure.hpp"

#include <cmath>
#include <string>

#include "catch.hpp"
#include "smelt/json_value.hpp"
#include "smelt/law_figures.hpp"

using smelt::Figure;
using smelt::FigureMark;
using smelt::JsonValue;
using smelt::Law;
using smelt::LawForm;

namespace {

Figure small_figure() {
  return {"A \"title\"",
          {"training FLOPs", true},
          {"loss", false},
          {{"one", FigureMark::kLine, {{1e20, 2.5}, {1e21, 2.25}}},
           {"two", FigureMark::kPoints, {{1e20, 3}}}}};
}

Law sparse_law(const char* name, double scale) {
  Law law;
  law.name = name;
  law.form = LawForm::kSparse;
  law.coefficients = {1.45, scale, 2e6, 0.37, 0.66, 0.15};
  law.window = {{"budget", {1e19, 1e21}}};
  return law;
}

/// The points of a layer of a Vega-Lite specification.
const JsonValue::Array& values_of(const JsonValue& spec, std::size_t layer) {
  return *spec.find("layer")->if_array()->at(layer).find("data")->find("values")->if_array();
}

}  // namespace

TEST_CASE("a figure as Vega-Lite has a layer a series, its data inside") {
  const JsonValue spec = smelt::parse_json(smelt::vega_lite(small_figure()));
  CHECK(*spec.find("title")->if_string() == "A \"title\"");
  REQUIRE(spec.find("layer")->if_array()->size() == 2);
  REQUIRE(values_of(spec, 0).size() == 2);
  CHECK(*values_of(spec, 0)[1].find("y")->if_number() == "2.25");
  const JsonValue& encoding = *spec.find("layer")->if_array()->at(0).find("encoding");
  CHECK(*encoding.find("x")->find("scale")->find("type")->if_string() == "log");
  CHECK(*encoding.find("y")->find("scale")->find("type")->if_string() == "linear");
}

TEST_CASE("the same figure as a gnuplot script") {
  CHECK(smelt::gnuplot_script(small_figure(), "a.png") ==
        "# gnuplot 5\n"
        "$series0 << END\n1e+20 2.5\n1e+21 2.25\nEND\n"
        "$series1 << END\n1e+20 3\nEND\n"
        "set terminal pngcairo size 960,630 font \"Sans,11\"\n"
        "set output \"a.png\"\n"
        "set title \"A \\\"title\\\"\" noenhanced\n"
        "set key outside right noenhanced\n"
        "set grid\n"
        "set xlabel \"training FLOPs\" noenhanced\n"
        "set logscale x\n"
        "set format x \"10^{%L}\"\n"
        "set ylabel \"loss\" noenhanced\n"
        "plot $series0 using 1:2 with lines lw 2 lc rgb \"#0072b2\" title \"one\", \\\n"
        "     $series1 using 1:2 with points pt 7 ps 0.6 lc rgb \"#d55e00\" title \"two\"\n");
}

TEST_CASE("frontiers fall, and their reducible part is a straight line of slope -gamma") {
  Law law = sparse_law("law", 1500);
  law.window.clear();  // nothing is extrapolated, so each curve is one part
  const smelt::LawFigureRange range{{1e19, 1e22}, {.sparsity = 0.9}};
  const Figure frontier = smelt::frontier_figure({law}, range);
  const auto& points = frontier.series.at(0).points;
  CHECK(points.front().x == Approx(1e19));
  CHECK(points.back().x == Approx(1e22));
  for (std::size_t i = 1; i < points.size(); ++i) CHECK(points[i].y < points[i - 1].y);
  const auto reducible = smelt::reducible_figure({law}, range).series.at(0).points;
  const double slope = std::log(reducible.back().y / reducible.front().y) / std::log(1e22 / 1e19);
  CHECK(slope == Approx(-0.37 * 0.66 / (0.37 + 0.66)));
}

TEST_CASE("extrapolated gains are dashed, in parts that join the line at both ends") {
  const Figure figure = smelt::gain_figure(sparse_law("a", 1500), sparse_law("b", 1700),
                                           {1e18, 1e22}, {{.sparsity = 0.9}});
  REQUIRE(figure.series.size() == 3);
  const auto& line = figure.series[0];
  const auto& below = figure.series[1];
  const auto& above = figure.series[2];
  CHECK(line.mark == FigureMark::kLine);
  CHECK(line.name == "S 90 %");
  for (const auto* part : {&below, &above}) {
    CHECK(part->mark == FigureMark::kDashes);
    CHECK(part->name.empty());
  }
  CHECK(below.points.back().x == Approx(line.points.front().x).epsilon(0.15));
  CHECK(above.points.front().x == line.points.back().x);
  // The reference's budget, which is larger, leaves its window first.
  for (const smelt::FigurePoint& point : line.points) CHECK(point.x < 1e21);
  for (const smelt::FigurePoint& point : above.points) CHECK(point.x > 5e20);
}

TEST_CASE("a part without a name continues the series before it in its colour") {
  Figure figure = small_figure();
  figure.series.insert(figure.series.begin() + 1, {"", FigureMark::kDashes, {{1e21, 2.25}}});
  const std::string script = smelt::gnuplot_script(figure, "a.png");
  CHECK(script.find("lines dt 2 lw 2 lc rgb \"#0072b2\" notitle") != std::string::npos);
  CHECK(script.find("lc rgb \"#d55e00\" title \"two\"") != std::string::npos);
  const JsonValue spec = smelt::parse_json(smelt::vega_lite(figure));
  CHECK(*values_of(spec, 1)[0].find("series")->if_string() == "one");
}

TEST_CASE("an isoFLOP slice has its lowest point at the optimum") {
  const Figure figure = smelt::isoflop_figure(sparse_law("law", 1500), {1e20}, {.sparsity = 0.9});
  const smelt::FigurePoint optimum = figure.series.back().points.at(0);
  for (const smelt::FigurePoint& point : figure.series[0].points) CHECK(point.y >= optimum.y);
}

TEST_CASE("residuals vanish where the law is exact") {
  const Law law = sparse_law("law", 1500);
  smelt::LawData runs;
  runs.form = LawForm::kSparse;
  runs.variables = {{1e9, 2e9}, {0.9, 0.95}, {1e10, 3e10}};
  for (std::size_t i = 0; i < 2; ++i) runs.loss.push_back(smelt::loss(law, runs.row(i)));
  const Figure figure = smelt::residual_figure(law, runs);
  for (const smelt::FigurePoint& point : figure.series[0].points) {
    CHECK(point.y == Approx(0).margin(1e-12));
  }
  CHECK(figure.series[0].points[0].x == Approx(1e19));
}
