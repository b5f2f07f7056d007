// SPDX-License-Identifier: BSD-3-Clause
// Tables and lines for people, before it is known whether they become text on a terminal, Markdown
// or HTML.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace lufact {

enum class Tone { plain, good, bad, caution, faint };

struct Cell {
  std::string text;  // empty: not known
  Tone tone = Tone::plain;
};

struct TableRow {
  std::string label;
  std::vector<Cell> cells;  // one for each column
};

struct Table {
  std::vector<std::string> columns;  // their titles; the one of the labels is empty
  std::vector<TableRow> rows;
};

// Without the rows and columns that nothing fills.
Table filled(const Table& table);

// A line of text. Spaces that align it with others are kept where there is room.
struct Line {
  std::string text;
  Tone tone = Tone::plain;
};

// A title, a table, and lines below it; each may be empty.
struct Section {
  std::string title;
  Table table;
  std::vector<Line> lines;
};

// All of these leave out rows and columns that nothing fills.

struct TextStyle {
  std::size_t width = 100;  // in columns of the terminal
  bool colours = false;
};

// Each section ends with a newline; an empty line between two. A table that is wider than `style`
// allows is split by columns. Bytes that would steer a terminal become '?'.
std::string text_of(std::span<const Section> sections, const TextStyle& style);

// For pull requests and pages of text.
std::string markdown_of(std::span<const Section> sections);

// A page of its own.
std::string html_of(std::span<const Section> sections, const std::string& title);

}  // namespace lufact
