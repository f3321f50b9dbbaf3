#include "smelt/figure.hpp"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace smelt {
namespace {

/// Okabe and Ito's colours, which the colour-blind tell apart.
constexpr std::array<const char*, 6> kColours = {"#0072b2", "#d55e00", "#009e73",
                                                 "#cc79a7", "#e69f00", "#56b4e9"};

constexpr const char* kMarkerColour = "#000000";

/// A series' own colour, or that of the series that it continues.
std::vector<const char*> colours_of(const Figure& figure) {
  std::vector<const char*> colours;
  std::size_t next = 0;
  for (const FigureSeries& series : figure.series) {
    if (series.mark == FigureMark::kMarkers) {
      colours.push_back(kMarkerColour);
    } else if (series.name.empty() && !colours.empty()) {
      colours.push_back(colours.back());
    } else {
      colours.push_back(kColours[next++ % kColours.size()]);
    }
  }
  return colours;
}

constexpr int kWidth = 640;   // pixels
constexpr int kHeight = 420;  // pixels

// ---- Vega-Lite

using Json = nlohmann::ordered_json;

Json vega_axis(const char* field, const FigureAxis& axis) {
  Json scale = {{"type", "linear"}, {"zero", false}};
  if (axis.logarithmic) scale = {{"type", "log"}, {"nice", false}};
  Json encoding = {
      {"field", field}, {"type", "quantitative"}, {"title", axis.title}, {"scale", scale}};
  if (axis.logarithmic) encoding["axis"] = {{"format", ".3~g"}, {"tickCount", 8}};
  return encoding;
}

Json vega_mark(FigureMark mark) {
  if (mark == FigureMark::kPoints) return {{"type", "point"}, {"filled", true}, {"size", 25}};
  if (mark == FigureMark::kMarkers) return {{"type", "point"}, {"filled", true}, {"size", 90}};
  Json line = {{"type", "line"}, {"strokeWidth", 2}};
  if (mark == FigureMark::kDashes) line["strokeDash"] = {6, 4};
  return line;
}

Json vega_layer(const Figure& figure, const FigureSeries& series, const std::string& legend,
                const Json& colours) {
  Json values = Json::array();
  for (const FigurePoint& point : series.points) {
    values.push_back({{"x", point.x}, {"y", point.y}, {"series", legend}});
  }
  const Json colour = {{"field", "series"},
                       {"type", "nominal"},
                       {"title", nullptr},
                       {"legend", {{"labelLimit", 0}}},
                       {"scale", colours}};
  return {{"data", {{"values", values}}},
          {"mark", vega_mark(series.mark)},
          {"encoding",
           {{"x", vega_axis("x", figure.x)}, {"y", vega_axis("y", figure.y)}, {"color", colour}}}};
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

std::string gnuplot_style(FigureMark mark, const char* colour) {
  switch (mark) {
    case FigureMark::kPoints:
      return fmt::format("points pt 7 ps 0.6 lc rgb \"{}\"", colour);
    case FigureMark::kMarkers:
      return fmt::format("points pt 7 ps 1.4 lc rgb \"{}\"", colour);
    case FigureMark::kDashes:
      return fmt::format("lines dt 2 lw 2 lc rgb \"{}\"", colour);
    case FigureMark::kLine:
      break;
  }
  return fmt::format("lines lw 2 lc rgb \"{}\"", colour);
}

std::string gnuplot_title(const FigureSeries& series) {
  return series.name.empty() ? "notitle" : "title " + gnuplot_text(series.name);
}

}  // namespace

std::string vega_lite(const Figure& figure) {
  const std::vector<const char*> colours = colours_of(figure);
  Json scale = {{"domain", Json::array()}, {"range", Json::array()}};
  for (std::size_t i = 0; i < figure.series.size(); ++i) {
    if (figure.series[i].name.empty()) continue;
    scale["domain"].push_back(figure.series[i].name);
    scale["range"].push_back(colours[i]);
  }
  Json layers = Json::array();
  std::string legend;
  for (const FigureSeries& series : figure.series) {
    if (!series.name.empty()) legend = series.name;
    layers.push_back(vega_layer(figure, series, legend, scale));
  }
  const Json spec = {{"$schema", "https://vega.github.io/schema/vega-lite/v5.json"},
                     {"title", figure.title},
                     {"width", kWidth},
                     {"height", kHeight},
                     {"layer", layers}};
  return spec.dump(1) + "\n";
}

std::string gnuplot_script(const Figure& figure, std::string_view image) {
  const std::vector<const char*> colours = colours_of(figure);
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
    const FigureSeries& series = figure.series[i];
    text += fmt::format("{} $series{} using 1:2 with {} {}", i == 0 ? "plot" : ", \\\n    ", i,
                        gnuplot_style(series.mark, colours[i]), gnuplot_title(series));
  }
  return text + "\n";
}

}  // namespace smelt
