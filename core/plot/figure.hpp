// SPDX-License-Identifier: BSD-3-Clause
// A finished figure, and how it becomes a file of its own.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace lufact::plot {

// The numbers of a figure for readers who do not see it.
struct Table {
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;
};

struct Figure {
  std::string name;           // of its file, without the ending; ids in it begin with it
  std::string title;          // one line
  std::string description{};  // what there is to see, in sentences
  double height = 0;          // all figures are figure_width wide
  std::string content{};      // elements of SVG
  Table table{};              // empty: the description says it all
};

// All figures have the same width, in units of their own, so that text has the same size in all.
inline constexpr double figure_width = 480;
// Where plots begin and how wide they are; the left margin is for the labels of an axis.
inline constexpr double plot_left = 64, plot_width = 400;

// The rules that the classes in figures get: ground, line, entry, fill, and texts. A reader who
// prefers dark pages gets dark ones.
std::string_view figure_style();

// The element <svg>, with title and description for readers who do not see it.
std::string inline_svg(const Figure& figure);
// The same as a file that stands alone.
std::string svg_file(const Figure& figure);

std::string with_unit(double value);  // 12, 1.2k, 3.4M, 5.6G

}  // namespace lufact::plot
