// SPDX-License-Identifier: BSD-3-Clause
#include "core/plot/bar_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/plot/figure.hpp"

namespace lufact::plot {
namespace {

struct ValueRange {
  double least = std::numeric_limits<double>::infinity(), largest = 0;
};

ValueRange range_of(const std::vector<Bar>& bars) noexcept {
  ValueRange range;
  for (const Bar& bar : bars) {
    if (bar.value > 0) range.least = std::min(range.least, bar.value);
    range.largest = std::max(range.largest, bar.value);
  }
  return range;
}

// From 0, or from half the least power of ten, so that the least bar is still one.
class ValueAxis {
 public:
  ValueAxis(const std::vector<Bar>& bars, const BarPanel& panel)
      : range_(range_of(bars)), logarithmic_(is_logarithmic(bars, panel)), percent_(panel.percent) {
    if (logarithmic_) low_ = std::pow(10, std::floor(std::log10(range_.least))) / 2;
  }

  // 0 at the bottom, 1 at the top.
  double share(double value) const {
    if (range_.largest <= 0 || value <= 0) return 0;
    if (!logarithmic_) return value / range_.largest;
    return std::log(value / low_) / std::log(range_.largest / low_);
  }

  std::vector<double> ticks() const {
    std::vector<double> values;
    if (range_.largest <= 0) return values;
    if (!logarithmic_) {
      const double step = round_step(range_.largest / 4);
      for (double value = 0; value <= range_.largest * (1 + 1e-9); value += step) {
        values.push_back(value);
      }
      return values;
    }
    const double decades = std::ceil(std::log10(range_.largest / range_.least));
    const double factor = std::pow(10, std::max(1.0, std::ceil(decades / 5)));
    for (double value = low_ * 2; value <= range_.largest * (1 + 1e-9); value *= factor) {
      values.push_back(value);
    }
    return values;
  }

  std::string text(double value) const {
    return percent_ ? fmt::format("{:.3g}%", 100 * value) : with_unit(value);
  }

 private:
  // 1, 2 or 5 times a power of ten, at least `step`.
  static double round_step(double step) {
    const double power = std::pow(10, std::floor(std::log10(step)));
    for (const double factor : {1.0, 2.0, 5.0}) {
      if (factor * power >= step * (1 - 1e-9)) return factor * power;
    }
    return 10 * power;
  }

  ValueRange range_;
  bool logarithmic_, percent_;
  double low_ = 0;
};

// Every k-th label, so that the ones written do not touch.
std::size_t label_step(const std::vector<Bar>& bars) {
  constexpr double letter = 7.5, gap = 10;
  std::size_t longest = 1;
  for (const Bar& bar : bars) longest = std::max(longest, bar.label.size());
  const double each = plot_width / static_cast<double>(bars.size());
  const double needed = letter * static_cast<double>(longest) + gap;
  return static_cast<std::size_t>(std::ceil(needed / each));
}

}  // namespace

bool is_logarithmic(const std::vector<Bar>& bars, const BarPanel& panel) noexcept {
  const ValueRange range = range_of(bars);
  return !panel.percent && range.largest > 100 * range.least;
}

double draw_bars(SvgWriter& svg, const std::vector<Bar>& bars, const BarPanel& panel, double top,
                 double height) {
  const double bottom = top + height;
  const ValueAxis axis(bars, panel);
  svg.label(8, top - 10, "start",
            panel.value_name + (is_logarithmic(bars, panel) ? " (logarithmic)" : ""));
  for (const double value : axis.ticks()) {
    const double y = bottom - height * axis.share(value);
    svg.line(plot_left, y, plot_left + plot_width, y);
    svg.label(plot_left - 6, y + 4, "end", axis.text(value));
  }
  svg.line(plot_left, bottom, plot_left + plot_width, bottom);
  const double each = plot_width / static_cast<double>(std::max<std::size_t>(1, bars.size()));
  const double gap = each > 6 ? 1 : 0;
  const std::size_t step = bars.empty() ? 1 : label_step(bars);
  for (std::size_t k = 0; k < bars.size(); ++k) {
    const double x = plot_left + static_cast<double>(k) * each;
    const double high = height * axis.share(bars[k].value);
    if (high > 0) {
      svg.open("rect", {{"class", panel.css_class},
                        {"x", number(x + gap)},
                        {"y", number(bottom - high)},
                        {"width", number(each - 2 * gap)},
                        {"height", number(high)}});
      svg.text("title", {}, bars[k].hint);
      svg.close();
    }
    if (k % step == 0) svg.label(x + each / 2, bottom + 16, "middle", bars[k].label);
  }
  svg.label(plot_left + plot_width / 2, bottom + 34, "middle", panel.bar_name);
  return bottom + 44;
}

}  // namespace lufact::plot
