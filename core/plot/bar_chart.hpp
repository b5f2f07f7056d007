// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <string>
#include <vector>

#include "core/plot/svg_writer.hpp"

namespace lufact::plot {

struct Bar {
  std::string label;  // below the axis
  double value = 0;   // 0 draws nothing
  std::string hint;   // shown by readers that point at the bar
};

struct BarPanel {
  std::string value_name{}, bar_name{};  // of the axes
  std::string css_class = "entry";
  bool percent = false;  // values are shares
};

// Whether the axis is logarithmic: where the largest value is more than a hundred times the least
// that is not 0, and none is a share.
bool is_logarithmic(const std::vector<Bar>& bars, const BarPanel& panel) noexcept;

// Draws the bars with their upper edge at `top`; returns the ordinate below the axis and its names.
double draw_bars(SvgWriter& svg, const std::vector<Bar>& bars, const BarPanel& panel, double top,
                 double height);

}  // namespace lufact::plot
