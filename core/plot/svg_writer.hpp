// SPDX-License-Identifier: BSD-3-Clause
// Elements of SVG as text. No library: Debian has none in C++ that draws charts into SVG files, and
// one in Python (matplotlib) would be a second program that has to be installed before anything can
// be looked at, for what are rectangles, paths and short texts. The figures of whole sweeps, which
// need axes of every kind, are made by matplotlib (scripts/figures).
#pragma once
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lufact::plot {

// `text` with the characters that XML and HTML give a meaning replaced, and those of control that
// XML forbids.
std::string escaped(std::string_view text);

// A coordinate with at most two decimals.
std::string number(double value);

// Writes elements in order; attribute values and texts are escaped.
class SvgWriter {
 public:
  using Attributes = std::initializer_list<std::pair<std::string_view, std::string>>;

  void open(std::string_view element, Attributes attributes = {});
  void close();  // the innermost open element
  void empty(std::string_view element, Attributes attributes);
  void text(std::string_view element, Attributes attributes, std::string_view content);

  // Elements that another writer wrote.
  void add(std::string_view elements) { out_ += elements; }

  // Text by its baseline; `anchor` is start, middle or end.
  void label(double x, double y, std::string_view anchor, std::string_view content);
  void line(double x1, double y1, double x2, double y2);

  // What was written; every element must be closed (std::logic_error).
  std::string take() &&;

 private:
  void begin(std::string_view element, Attributes attributes);

  std::string out_;
  std::vector<std::string> open_;
};

}  // namespace lufact::plot
