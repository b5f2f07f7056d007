// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <sstream>
#include <string_view>

#include "core/report/tables.hpp"

namespace lufact {
namespace {

constexpr std::size_t indent = 2, gap = 2;

// Columns of the terminal: code points of UTF-8.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
  }));
}

std::string printable(std::string text) {
  for (char& byte : text) {
    const auto code = static_cast<unsigned char>(byte);
    if (code < 0x20 || code == 0x7F) byte = '?';
  }
  return text;
}

std::string padding(std::size_t width, std::string_view text) {
  const std::size_t used = width_of(text);
  return std::string(width > used ? width - used : 0, ' ');
}

// SGR sequences of ECMA-48.
std::string_view colour_of(Tone tone) {
  switch (tone) {
    case Tone::good:
      return "\033[32m";
    case Tone::bad:
      return "\033[31m";
    case Tone::caution:
      return "\033[33m";
    case Tone::faint:
      return "\033[2m";
    case Tone::plain:
      break;
  }
  return "";
}

class Writer {
 public:
  explicit Writer(const TextStyle& style) : style_(style) {}

  void section(const Section& section) {
    if (!text_.empty()) text_ += '\n';
    if (!section.title.empty()) {
      text_ += coloured("\033[1m", printable(section.title)) + '\n';
    }
    table(filled(section.table));
    for (const Line& each : section.lines) line(each);
  }
  std::string take() { return std::move(text_); }

 private:
  std::string coloured(std::string_view colour, const std::string& text) const {
    if (!style_.colours || colour.empty() || text.empty()) return text;
    return std::string(colour) + text + "\033[0m";
  }

  void table(const Table& table) {
    std::size_t label_width = 0;
    for (const TableRow& row : table.rows) {
      label_width = std::max(label_width, width_of(row.label));
    }
    for (std::size_t first = 0; first < table.columns.size();) {
      std::vector<std::size_t> block;
      std::size_t used = indent + label_width;
      do {
        used += gap + column_width(table, first);
        block.push_back(first++);
      } while (first < table.columns.size() &&
               used + gap + column_width(table, first) <= style_.width);
      if (block.front() != 0) text_ += '\n';
      columns_of(table, block, label_width);
    }
  }

  static std::size_t column_width(const Table& table, std::size_t column) {
    std::size_t width = width_of(table.columns[column]);
    for (const TableRow& row : table.rows) {
      width = std::max(width, width_of(row.cells[column].text));
    }
    return width;
  }

  void columns_of(const Table& table, const std::vector<std::size_t>& columns,
                  std::size_t label_width) {
    std::string titles(indent + label_width, ' ');
    for (const std::size_t c : columns) titles += right(table, c, {table.columns[c]});
    text_ += titles + '\n';
    for (const TableRow& row : table.rows) {
      const bool empty =
          std::ranges::all_of(columns, [&](std::size_t c) { return row.cells[c].text.empty(); });
      if (!empty) this->row(table, row, columns, label_width);
    }
  }

  void row(const Table& table, const TableRow& row, const std::vector<std::size_t>& columns,
           std::size_t label_width) {
    const std::string label = printable(row.label);
    std::string line = std::string(indent, ' ') + label + padding(label_width, label);
    for (const std::size_t c : columns) {
      line += right(table, c, row.cells[c].text.empty() ? Cell{"-"} : row.cells[c]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text_ += line + '\n';
  }

  std::string right(const Table& table, std::size_t column, const Cell& cell) const {
    const std::string text = printable(cell.text);
    return padding(gap + column_width(table, column), text) + coloured(colour_of(cell.tone), text);
  }

  // As it is where it fits; continued on lines that start four columns in where not.
  void line(const Line& line) {
    const std::string text = std::string(indent, ' ') + printable(line.text);
    if (width_of(text) <= style_.width) {
      text_ += coloured(colour_of(line.tone), text) + '\n';
      return;
    }
    std::istringstream words(text);
    std::string part = " ", word;
    while (words >> word) {
      const bool begun = part.find_first_not_of(' ') != std::string::npos;
      if (begun && width_of(part) + 1 + width_of(word) > style_.width) {
        text_ += coloured(colour_of(line.tone), part) + '\n';
        part = "   ";
      }
      part += ' ' + word;
    }
    text_ += coloured(colour_of(line.tone), part) + '\n';
  }

  const TextStyle& style_;
  std::string text_;
};

bool is_empty(const Cell& cell) {
  return cell.text.empty();
}

}  // namespace

Table filled(const Table& table) {
  Table result;
  for (const TableRow& row : table.rows) result.rows.push_back({row.label, {}});
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const auto empty_in = [c](const TableRow& row) { return is_empty(row.cells[c]); };
    if (std::ranges::all_of(table.rows, empty_in)) continue;
    result.columns.push_back(table.columns[c]);
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      result.rows[r].cells.push_back(table.rows[r].cells[c]);
    }
  }
  std::erase_if(result.rows,
                [](const TableRow& row) { return std::ranges::all_of(row.cells, is_empty); });
  return result;
}

std::string text_of(std::span<const Section> sections, const TextStyle& style) {
  Writer writer(style);
  for (const Section& section : sections) writer.section(section);
  return writer.take();
}

}  // namespace lufact
