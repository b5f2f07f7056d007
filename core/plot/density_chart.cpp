// SPDX-License-Identifier: BSD-3-Clause
#include "core/plot/density_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/plot/figure.hpp"

namespace lufact::plot {
namespace {

struct DensityRange {
  double least = std::numeric_limits<double>::infinity(), largest = 0;
};

DensityRange range_of(const DensityGrid& grid) {
  DensityRange range;
  for (Index r = 0; r < grid.rows.cells; ++r) {
    for (Index c = 0; c < grid.columns.cells; ++c) {
      if (grid.at_cell(r, c) == 0) continue;
      range.least = std::min(range.least, grid.density(r, c));
      range.largest = std::max(range.largest, grid.density(r, c));
    }
  }
  return range;
}

std::string opacity_of(int shade) {
  constexpr double faintest = 0.25;
  return number(faintest + (1 - faintest) * (shade - 1) / (density_shades - 1));
}

// The shades of a layer as paths in units of cells.
class ShadePaths {
 public:
  // Cells [begin, end) of row r.
  void add(int shade, Index r, Index begin, Index end) {
    paths_[at(shade)] += fmt::format("M{} {}h{}v1h-{}z", begin, r, end - begin, end - begin);
  }
  void write(SvgWriter& svg, const std::string& css_class) const {
    for (int shade = 1; shade <= density_shades; ++shade) {
      if (paths_[at(shade)].empty()) continue;
      svg.empty(
          "path",
          {{"class", css_class}, {"fill-opacity", opacity_of(shade)}, {"d", paths_[at(shade)]}});
    }
  }

 private:
  std::array<std::string, density_shades + 1> paths_;
};

void draw_layer(SvgWriter& svg, const DensityGrid& grid, const DensityRange& range,
                const DensityLayer& layer) {
  ShadePaths paths;
  // 0: nothing is drawn.
  const auto shade_at = [&](Index r, Index c) {
    if (grid.at_cell(r, c) == 0 || !layer.shows(r, c)) return 0;
    return shade_of(grid.density(r, c), range.least, range.largest);
  };
  for (Index r = 0; r < grid.rows.cells; ++r) {
    Index begin = 0;
    while (begin < grid.columns.cells) {
      const int shade = shade_at(r, begin);
      Index end = begin + 1;
      while (end < grid.columns.cells && shade_at(r, end) == shade) ++end;
      if (shade > 0) paths.add(shade, r, begin, end);
      begin = end;
    }
  }
  paths.write(svg, layer.css_class);
}

void draw_legend(SvgWriter& svg, const DensityLayer& layer, double top) {
  constexpr double box = 16;
  for (int shade = 1; shade <= density_shades; ++shade) {
    svg.empty("rect", {{"class", layer.css_class},
                       {"fill-opacity", opacity_of(shade)},
                       {"x", number(plot_left + (shade - 1) * box)},
                       {"y", number(top)},
                       {"width", number(box)},
                       {"height", number(box - 4)}});
  }
  svg.label(plot_left + density_shades * box + 8, top + 11, "start", layer.name);
}

}  // namespace

int shade_of(double density, double least, double largest) noexcept {
  if (!(least < largest)) return density_shades;
  const double share = std::log(density / least) / std::log(largest / least);
  return std::clamp(1 + static_cast<int>(share * density_shades), 1, density_shades);
}

double draw_density(SvgWriter& svg, const DensityGrid& grid,
                    const std::vector<DensityLayer>& layers, double top, double height) {
  const DensityRange range = range_of(grid);
  const double sx = plot_width / std::max<Index>(1, grid.columns.cells);
  const double sy = height / std::max<Index>(1, grid.rows.cells);
  svg.open("g", {{"transform", fmt::format("translate({} {}) scale({:.6g} {:.6g})",
                                           number(plot_left), number(top), sx, sy)},
                 {"shape-rendering", "crispEdges"}});
  for (const DensityLayer& layer : layers) draw_layer(svg, grid, range, layer);
  svg.close();
  svg.empty("rect", {{"class", "line"},
                     {"x", number(plot_left)},
                     {"y", number(top)},
                     {"width", number(plot_width)},
                     {"height", number(height)}});
  double y = top + height + 12;
  for (const DensityLayer& layer : layers) {
    draw_legend(svg, layer, y);
    y += 20;
  }
  if (range.largest > 0) {
    svg.label(plot_left, y + 12, "start",
              fmt::format("Share of a cell that is filled: {:.2g} (faint) to {:.2g}", range.least,
                          range.largest));
  }
  return y + 20;
}

}  // namespace lufact::plot
