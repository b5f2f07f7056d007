// SPDX-License-Identifier: BSD-3-Clause
#include "core/plot/html_page.hpp"

#include <fmt/format.h>

#include "core/plot/svg_writer.hpp"

namespace lufact::plot {
namespace {

constexpr const char* page_style = R"(
:root { color-scheme: light dark }
* { box-sizing: border-box }
body { margin: 0; background: #f6f8fa; color: #24292f; font: 16px/1.5 system-ui, sans-serif }
main { max-width: 1480px; margin: 0 auto; padding: 1rem }
h1 { font-size: 1.5rem; overflow-wrap: anywhere }
dl { display: grid; gap: .75rem; margin: 0 0 1rem;
  grid-template-columns: repeat(auto-fill, minmax(min(100%, 13rem), 1fr)) }
dl div, figure { background: #ffffff; border: 1px solid #d0d7de; border-radius: 6px }
dl div { padding: .5rem .75rem; overflow-wrap: anywhere }
dt { color: #57606a; font-size: .85rem }
dd { margin: 0; font-weight: 600 }
.figures { display: grid; gap: 1rem; align-items: start;
  grid-template-columns: repeat(auto-fill, minmax(min(100%, 420px), 1fr)) }
figure { margin: 0; padding: .75rem; overflow: hidden }
figure svg { display: block; width: 100%; height: auto }
figcaption, details, footer { font-size: .9rem; color: #57606a; margin-top: .5rem }
table { border-collapse: collapse; width: 100% }
th, td { text-align: right; padding: .1rem .5rem; border-top: 1px solid #d0d7de }
@media (prefers-color-scheme: dark) {
  body { background: #0d1117; color: #e6edf3 }
  dl div, figure { background: #161b22; border-color: #3d444d }
  dt, figcaption, details, footer { color: #9da7b1 }
  th, td { border-color: #3d444d }
}
)";

std::string table_of(const Table& table) {
  SvgWriter html;
  html.open("details");
  html.text("summary", {}, "The numbers");
  html.open("table");
  html.open("tr");
  for (const std::string& name : table.head) html.text("th", {{"scope", "col"}}, name);
  html.close();
  for (const auto& row : table.rows) {
    html.open("tr");
    for (const std::string& cell : row) html.text("td", {}, cell);
    html.close();
  }
  html.close();
  html.close();
  return std::move(html).take();
}

std::string figure_element(const Figure& figure) {
  const std::string numbers = figure.table.rows.empty() ? "" : table_of(figure.table);
  return fmt::format("<figure id=\"{}\">\n{}<figcaption>{}</figcaption>\n{}</figure>\n",
                     escaped(figure.name), inline_svg(figure), escaped(figure.description),
                     numbers);
}

}  // namespace

std::string html_page(const Page& page) {
  std::string html = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
      "<title>{}</title>\n<style>{}{}</style>\n</head>\n<body>\n<main>\n<h1>{}</h1>\n<dl>\n",
      escaped(page.title), page_style, figure_style(), escaped(page.title));
  for (const auto& [name, value] : page.facts) {
    html += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", escaped(name), escaped(value));
  }
  html += "</dl>\n<div class=\"figures\">\n";
  for (const Figure& figure : page.figures) html += figure_element(figure);
  html += fmt::format("</div>\n<footer>{}</footer>\n</main>\n</body>\n</html>\n",
                      escaped(page.made_by));
  return html;
}

}  // namespace lufact::plot
