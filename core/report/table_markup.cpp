// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "core/report/tables.hpp"

namespace lufact {
namespace {

// Where text is aligned by spaces, markup has one.
std::string collapsed(std::string_view text) {
  std::string result;
  for (const char byte : text) {
    if (byte == ' ' && (result.empty() || result.back() == ' ')) continue;
    result += std::iscntrl(static_cast<unsigned char>(byte)) != 0 ? ' ' : byte;
  }
  if (!result.empty() && result.back() == ' ') result.pop_back();
  return result;
}

std::string replaced(std::string_view text,
                     std::span<const std::pair<char, std::string_view>> replacements) {
  std::string result;
  for (const char byte : text) {
    const auto found =
        std::ranges::find(replacements, byte, &std::pair<char, std::string_view>::first);
    if (found == replacements.end()) {
      result += byte;
    } else {
      result += found->second;
    }
  }
  return result;
}

std::string markdown_text(std::string_view text) {
  static constexpr std::pair<char, std::string_view> special[] = {
      {'|', "\\|"}, {'*', "\\*"}, {'_', "\\_"}, {'<', "&lt;"}, {'`', "\\`"}};
  return replaced(collapsed(text), special);
}

std::string html_text(std::string_view text) {
  static constexpr std::pair<char, std::string_view> special[] = {
      {'<', "&lt;"}, {'>', "&gt;"}, {'&', "&amp;"}, {'"', "&quot;"}};
  return replaced(collapsed(text), special);
}

std::string shown(const Cell& cell) {
  return cell.text.empty() ? "-" : cell.text;
}

void add_markdown(const Table& table, std::string& text) {
  if (table.rows.empty()) return;
  text += "| |";
  for (const std::string& column : table.columns)
    text += fmt::format(" {} |", markdown_text(column));
  text += "\n|---|";
  for (std::size_t c = 0; c < table.columns.size(); ++c) text += "---:|";
  text += '\n';
  for (const TableRow& row : table.rows) {
    text += fmt::format("| {} |", markdown_text(row.label));
    for (const Cell& cell : row.cells) text += fmt::format(" {} |", markdown_text(shown(cell)));
    text += '\n';
  }
  text += '\n';
}

constexpr std::string_view class_of(Tone tone) {
  switch (tone) {
    case Tone::good:
      return " class=\"good\"";
    case Tone::bad:
      return " class=\"bad\"";
    case Tone::caution:
      return " class=\"caution\"";
    case Tone::faint:
      return " class=\"faint\"";
    case Tone::plain:
      break;
  }
  return "";
}

void add_html(const Table& table, std::string& text) {
  if (table.rows.empty()) return;
  text += "<div class=\"wide\"><table>\n<thead><tr><th></th>";
  for (const std::string& column : table.columns) {
    text += fmt::format("<th>{}</th>", html_text(column));
  }
  text += "</tr></thead>\n<tbody>\n";
  for (const TableRow& row : table.rows) {
    text += fmt::format("<tr><th>{}</th>", html_text(row.label));
    for (const Cell& cell : row.cells) {
      text += fmt::format("<td{}>{}</td>", class_of(cell.tone), html_text(shown(cell)));
    }
    text += "</tr>\n";
  }
  text += "</tbody></table></div>\n";
}

constexpr std::string_view page_begin = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 15px/1.5 system-ui, sans-serif; }}
body {{ max-width: 75rem; margin: 2rem auto; padding: 0 1rem; }}
.wide {{ overflow-x: auto; }}
table {{ border-collapse: collapse; font-variant-numeric: tabular-nums; white-space: nowrap; }}
th, td {{ padding: .2rem .8rem; border-bottom: 1px solid #8884; text-align: right; }}
tbody th {{ text-align: left; font-weight: normal; }}
ul {{ list-style: none; padding-left: 0; }}
.good {{ color: light-dark(#0a6b2d, #6fd08c); }}
.bad {{ color: light-dark(#b3261e, #ff8f86); }}
.caution {{ color: light-dark(#8a5a00, #f0b64a); }}
.faint {{ opacity: .7; }}
</style>
</head>
<body>
<h1>{}</h1>
)";

}  // namespace

std::string markdown_of(std::span<const Section> sections) {
  std::string text;
  for (const Section& section : sections) {
    if (!section.title.empty()) text += fmt::format("### {}\n\n", markdown_text(section.title));
    add_markdown(filled(section.table), text);
    for (const Line& line : section.lines) text += fmt::format("- {}\n", markdown_text(line.text));
    if (!section.lines.empty()) text += '\n';
  }
  if (text.ends_with("\n\n")) text.pop_back();
  return text;
}

std::string html_of(std::span<const Section> sections, const std::string& title) {
  const std::string heading = html_text(title);
  std::string text = fmt::format(page_begin, heading, heading);
  for (const Section& section : sections) {
    if (!section.title.empty()) text += fmt::format("<h2>{}</h2>\n", html_text(section.title));
    add_html(filled(section.table), text);
    if (section.lines.empty()) continue;
    text += "<ul>\n";
    for (const Line& line : section.lines) {
      text += fmt::format("<li{}>{}</li>\n", class_of(line.tone), html_text(line.text));
    }
    text += "</ul>\n";
  }
  return text + "</body>\n</html>\n";
}

}  // namespace lufact
