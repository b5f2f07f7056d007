// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "core/plot/density.hpp"
#include "core/plot/svg_writer.hpp"

namespace lufact::plot {

// Cells of one colour: those that `shows` says, the darker the denser, by the logarithm.
struct DensityLayer {
  std::string css_class;  // "entry" or "fill"
  std::string name;       // in the legend
  std::function<bool(Index row, Index column)> shows;
};

inline constexpr int density_shades = 6;

// Shade of a density between the least and the largest of a grid, 1 .. density_shades by the
// logarithm; density_shades where these are equal.
int shade_of(double density, double least, double largest) noexcept;

// Draws the grid `height` high with its upper edge at `top`, and below it a legend; returns the
// ordinate below the legend. Cells of a row with one shade are one piece of a path, and all pieces
// of a shade one path.
double draw_density(SvgWriter& svg, const DensityGrid& grid,
                    const std::vector<DensityLayer>& layers, double top, double height);

}  // namespace lufact::plot
