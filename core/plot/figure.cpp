// SPDX-License-Identifier: BSD-3-Clause
#include "core/plot/figure.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "core/plot/svg_writer.hpp"

namespace lufact::plot {
namespace {

std::string svg_element(const Figure& figure, bool stands_alone) {
  SvgWriter svg;
  const std::string title_id = figure.name + "-title", text_id = figure.name + "-text";
  svg.open("svg",
           {{"xmlns", "http://www.w3.org/2000/svg"},
            {"viewBox", fmt::format("0 0 {} {}", number(figure_width), number(figure.height))},
            {"role", "img"},
            {"aria-labelledby", title_id + " " + text_id}});
  svg.text("title", {{"id", title_id}}, figure.title);
  svg.text("desc", {{"id", text_id}}, figure.description);
  if (stands_alone) svg.text("style", {}, figure_style());
  svg.empty("rect", {{"class", "ground"}, {"width", "100%"}, {"height", "100%"}});
  svg.text("text", {{"x", "8"}, {"y", "20"}, {"class", "heading"}}, figure.title);
  svg.add(figure.content);
  svg.close();
  return std::move(svg).take();
}

}  // namespace

std::string_view figure_style() {
  return R"(
.ground { fill: #ffffff }
svg text { fill: #24292f; font: 13px system-ui, sans-serif }
svg .heading { font-size: 15px; font-weight: 600 }
.line { stroke: #d0d7de; fill: none }
.entry { fill: #1f5fa8 }
.fill { fill: #c2571a }
@media (prefers-color-scheme: dark) {
  .ground { fill: #161b22 }
  svg text { fill: #e6edf3 }
  .line { stroke: #3d444d }
  .entry { fill: #7db4ff }
  .fill { fill: #ffa35c }
}
)";
}

std::string inline_svg(const Figure& figure) {
  return svg_element(figure, false);
}

std::string svg_file(const Figure& figure) {
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + svg_element(figure, true);
}

std::string with_unit(double value) {
  constexpr std::array units{"", "k", "M", "G", "T", "P", "E"};
  std::size_t unit = 0;
  while (std::abs(value) >= 999.5 && unit + 1 < units.size()) {
    value /= 1000;
    ++unit;
  }
  return fmt::format("{:.3g}{}", value, units[unit]);
}

}  // namespace lufact::plot
