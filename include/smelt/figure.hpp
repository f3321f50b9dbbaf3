#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace smelt {

struct FigurePoint {
  double x = 0;
  double y = 0;
};

/// How a series is drawn.
enum class FigureMark {
  kLine,
  kDashes,
  kPoints,   ///< many, small
  kMarkers,  ///< few, large and black
};

struct FigureSeries {
  /// In the legend; empty for a further part of the series before, drawn in its colour.
  std::string name;
  FigureMark mark = FigureMark::kLine;
  std::vector<FigurePoint> points;  ///< finite, and above 0 along a logarithmic axis
};

struct FigureAxis {
  std::string title;  ///< with its unit
  bool logarithmic = false;
};

/// A picture as data, from which every form of it is written.
struct Figure {
  std::string title;
  FigureAxis x;
  FigureAxis y;
  std::vector<FigureSeries> series;
};

/// A Vega-Lite 5 specification with the data inside.
std::string vega_lite(const Figure& figure);

/// A gnuplot 5 script with the data inside that writes `image`, a PNG file.
std::string gnuplot_script(const Figure& figure, std::string_view image);

}  // namespace smelt
