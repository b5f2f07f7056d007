// SPDX-License-Identifier: BSD-3-Clause
#include "core/plot/svg_writer.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace lufact::plot {

std::string escaped(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default: {
        const auto byte = static_cast<unsigned char>(c);
        result += byte < 0x20 && c != '\n' && c != '\t' ? '?' : c;
      }
    }
  }
  return result;
}

std::string number(double value) {
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

void SvgWriter::begin(std::string_view element, Attributes attributes) {
  out_ += fmt::format("<{}", element);
  for (const auto& [name, value] : attributes) {
    out_ += fmt::format(" {}=\"{}\"", name, escaped(value));
  }
}

void SvgWriter::open(std::string_view element, Attributes attributes) {
  begin(element, attributes);
  out_ += ">\n";
  open_.emplace_back(element);
}

void SvgWriter::close() {
  if (open_.empty()) throw std::logic_error("no SVG element is open");
  out_ += fmt::format("</{}>\n", open_.back());
  open_.pop_back();
}

void SvgWriter::empty(std::string_view element, Attributes attributes) {
  begin(element, attributes);
  out_ += "/>\n";
}

void SvgWriter::text(std::string_view element, Attributes attributes, std::string_view content) {
  begin(element, attributes);
  out_ += fmt::format(">{}</{}>\n", escaped(content), element);
}

void SvgWriter::label(double x, double y, std::string_view anchor, std::string_view content) {
  text("text", {{"x", number(x)}, {"y", number(y)}, {"text-anchor", std::string(anchor)}}, content);
}

void SvgWriter::line(double x1, double y1, double x2, double y2) {
  empty("line", {{"x1", number(x1)},
                 {"y1", number(y1)},
                 {"x2", number(x2)},
                 {"y2", number(y2)},
                 {"class", "line"}});
}

std::string SvgWriter::take() && {
  if (!open_.empty()) throw std::logic_error("an SVG element is still open: " + open_.back());
  return std::move(out_);
}

}  // namespace lufact::plot
