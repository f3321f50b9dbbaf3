#include "smelt/figure.hpp"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

namespace smelt {
namespace {

/// Okabe and Ito's colours, which the colour-blind tell apart.
constexpr std::array<const char*, 7> kColours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                 "#e69f00", "#56b4e9", "#000000"};

const char* colour_of(std::size_t series) { return kColours[series % kColours.size()]; }

constexpr int kWidth = 640;   // pixels
constexpr int kHeight = 420;  // pixels

// ---- Vega-Lite

using Json = nlohmann::ordered_json;

Json vega_axis(const char* field, const FigureAxis& axis) {
  return {{"field", field},
          {"type", "quantitative"},
          {"title", axis.title},
          {"scale", {{"type", axis.logarithmic ? "log" : "linear"}, {"zero", false}}}};
}

Json vega_mark(FigureMark mark) {
  if (mark == FigureMark::kPoints) return {{"type", "point"}, {"filled", true}, {"size", 25}};
  Json line = {{"type", "line"}, {"strokeWidth", 2}};
  if (mark == FigureMark::kDashes) line["strokeDash"] = {6, 4};
  return line;
}

Json vega_layer(const Figure& figure, const FigureSeries& series, const Json& colours) {
  Json values = Json::array();
  for (const FigurePoint& point : series.points) {
    values.push_back({{"x", point.x}, {"y", point.y}, {"series", series.name}});
  }
  return {{"data", {{"values", values}}},
          {"mark", vega_mark(series.mark)},
          {"encoding",
           {{"x", vega_axis("x", figure.x)},
            {"y", vega_axis("y", figure.y)},
            {"color",
             {{"field", "series"}, {"type", "nominal"}, {"title", nullptr}, {"scale", colours}}}}}};
}

// ---- gnuplot

/// Text inside a double-quoted gnuplot string, free of escapes and of enhanced-text signs.
std::string gnuplot_text(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20) continue;
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

std::string gnuplot_axis(char name, const FigureAxis& axis) {
  std::string text = fmt::format("set {}label {} noenhanced\n", name, gnuplot_text(axis.title));
  if (axis.logarithmic) {
    text += fmt::format("set logscale {}\nset format {} \"10^{{%L}}\"\n", name, name);
  }
  return text;
}

std::string gnuplot_style(const FigureSeries& series, std::size_t index) {
  const char* colour = colour_of(index);
  switch (series.mark) {
    case FigureMark::kPoints:
      return fmt::format("points pt 7 ps 0.6 lc rgb \"{}\"", colour);
    case FigureMark::kDashes:
      return fmt::format("lines dt 2 lw 2 lc rgb \"{}\"", colour);
    case FigureMark::kLine:
      break;
  }
  return fmt::format("lines lw 2 lc rgb \"{}\"", colour);
}

}  // namespace

std::string vega_lite(const Figure& figure) {
  Json names = Json::array();
  Json colours = Json::array();
  for (std::size_t i = 0; i < figure.series.size(); ++i) {
    names.push_back(figure.series[i].name);
    colours.push_back(colour_of(i));
  }
  const Json scale = {{"domain", names}, {"range", colours}};
  Json layers = Json::array();
  for (const FigureSeries& series : figure.series) {
    layers.push_back(vega_layer(figure, series, scale));
  }
  const Json spec = {{"$schema", "https://vega.github.io/schema/vega-lite/v5.json"},
                     {"title", figure.title},
                     {"width", kWidth},
                     {"height", kHeight},
                     {"layer", layers}};
  return spec.dump(1) + "\n";
}

std::string gnuplot_script(const Figure& figure, std::string_view image) {
  std::string text = "# gnuplot 5\n";
  for (std::size_t i = 0; i < figure.series.size(); ++i) {
    text += fmt::format("$series{} << END\n", i);
    for (const FigurePoint& point : figure.series[i].points) {
      text += fmt::format("{} {}\n", point.x, point.y);
    }
    text += "END\n";
  }
  text += fmt::format("set terminal pngcairo size {},{} font \"Sans,11\"\nset output {}\n",
                      kWidth * 3 / 2, kHeight * 3 / 2, gnuplot_text(image));
  text += fmt::format("set title {} noenhanced\nset key outside right noenhanced\nset grid\n",
                      gnuplot_text(figure.title));
  text += gnuplot_axis('x', figure.x) + gnuplot_axis('y', figure.y);
  for (std::size_t i = 0; i < figure.series.size(); ++i) {
    text += fmt::format("{} $series{} using 1:2 with {} title {}", i == 0 ? "plot" : ", \\\n    ",
                        i, gnuplot_style(figure.series[i], i), gnuplot_text(figure.series[i].name));
  }
  return text + "\n";
}

}  // namespace smelt
