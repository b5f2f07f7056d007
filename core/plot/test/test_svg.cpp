// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "core/plot/bar_chart.hpp"
#include "core/plot/density_chart.hpp"
#include "core/plot/html_page.hpp"
#include "core/plot/matrix_figures.hpp"
#include "core/plot/svg_writer.hpp"
#include "core/plot/test/well_formed.hpp"
#include "core/verify/test/test_support.hpp"

namespace lufact::plot {
namespace {

using namespace test;
using testing::HasSubstr;

// 6 x 6 with an arrow.
CsrMatrix arrow() {
  std::vector<Triplet> entries;
  for (Index i = 0; i < 6; ++i) {
    entries.push_back({i, i, 4});
    if (i > 0) entries.push_back({0, i, 1});
    if (i > 0) entries.push_back({i, 0, 1});
  }
  return matrix_from_triplets(6, std::move(entries));
}

// Cells that the paths of a class cover: the widths of their pieces.
Offset drawn_cells(const std::string& svg, const std::string& css_class) {
  Offset cells = 0;
  const std::regex path("<path class=\"" + css_class + "\"[^>]* d=\"([^\"]*)\"");
  const std::regex piece("M\\d+ \\d+h(\\d+)v1h-(\\d+)z");
  for (std::sregex_iterator p(svg.begin(), svg.end(), path), end; p != end; ++p) {
    const std::string data = (*p)[1];
    for (std::sregex_iterator q(data.begin(), data.end(), piece); q != end; ++q) {
      EXPECT_EQ((*q)[1], (*q)[2]);
      cells += std::stoll((*q)[1]);
    }
  }
  return cells;
}

TEST(SvgWriter, EscapesWhatItIsGiven) {
  SvgWriter svg;
  svg.open("svg", {{"viewBox", "0 0 1 1"}});
  svg.text("title", {{"id", "a\"b"}}, "1 < 2 & \"3\" > \x01");
  svg.close();
  const std::string text = std::move(svg).take();
  EXPECT_EQ(find_xml_fault(text), "");
  EXPECT_THAT(text, HasSubstr("1 &lt; 2 &amp; &quot;3&quot; &gt; ?"));
}

TEST(SvgWriter, DoesNotLeaveElementsOpen) {
  SvgWriter svg;
  svg.open("svg");
  EXPECT_THROW(std::move(svg).take(), std::logic_error);
  SvgWriter none;
  EXPECT_THROW(none.close(), std::logic_error);
}

TEST(FindXmlFault, FindsFaults) {
  EXPECT_EQ(find_xml_fault("<?xml version=\"1.0\"?>\n<a b=\"c\"><d/>x &lt; y</a>\n"), "");
  for (const char* fault :
       {"<a>", "<a></b>", "<a b=c/>", "<a/><b/>", "<a>1 < 2</a>", "<a>&nbsp;</a>", "<a>&</a>",
        "<a><b id=\"x\"/><c id=\"x\"/></a>", "x<a/>", ""}) {
    EXPECT_NE(find_xml_fault(fault), "") << fault;
  }
}

TEST(Numbers, AreShort) {
  EXPECT_EQ(number(1.0), "1");
  EXPECT_EQ(number(0.256), "0.26");
  EXPECT_EQ(number(-0.001), "0");
  EXPECT_EQ(number(10), "10");
  EXPECT_EQ(with_unit(12), "12");
  EXPECT_EQ(with_unit(1234), "1.23k");
  EXPECT_EQ(with_unit(999'900), "1M");
}

TEST(DensityChart, DrawsEveryCellThatHasEntriesOnce) {
  const CsrMatrix a = arrow();
  const DensityGrid each = pattern_density(a.pattern.view(), 6);
  const std::string svg = inline_svg(input_figure(each));
  EXPECT_EQ(find_xml_fault(svg), "");
  EXPECT_EQ(drawn_cells(svg, "entry"), a.pattern.nnz());
  const DensityGrid coarse = pattern_density(a.pattern.view(), 3);
  EXPECT_EQ(drawn_cells(inline_svg(input_figure(coarse)), "entry"), 7);  // of 9, two are empty
}

TEST(DensityChart, TellsFillFromEntries) {
  const CsrMatrix a = arrow();
  const DensityGrid b = pattern_density(a.pattern.view(), 6);
  DensityGrid full = b;
  for (Offset& count : full.count) count = 1;  // what the arrow fills
  const std::string svg = inline_svg(factor_figure(b, full, true));
  EXPECT_EQ(drawn_cells(svg, "entry"), a.pattern.nnz());
  EXPECT_EQ(drawn_cells(svg, "fill"), 36 - a.pattern.nnz());
  EXPECT_THAT(svg, HasSubstr("2.25 times"));
  EXPECT_THAT(inline_svg(factor_figure(b, full, false)), HasSubstr("at most"));
}

TEST(BarChart, DrawsBarsInProportion) {
  const std::vector<Bar> bars{{"1", 10, "a"}, {"2", 0, "b"}, {"3", 40, "c"}};
  SvgWriter svg;
  svg.open("svg");
  draw_bars(svg, bars, {.value_name = "y", .bar_name = "x"}, 0, 100);
  svg.close();
  const std::string text = std::move(svg).take();
  EXPECT_EQ(find_xml_fault(text), "");
  EXPECT_THAT(text, HasSubstr("height=\"25\""));
  EXPECT_THAT(text, HasSubstr("height=\"100\""));
  const std::regex bar("<rect class=\"entry\"");
  EXPECT_EQ(std::distance(std::sregex_iterator(text.begin(), text.end(), bar), {}), 2);
  EXPECT_FALSE(is_logarithmic(bars, {}));
  EXPECT_TRUE(is_logarithmic({{"1", 1, ""}, {"2", 101, ""}}, {}));
  EXPECT_FALSE(is_logarithmic({{"1", 0.001, ""}, {"2", 1, ""}}, {.percent = true}));
}

TEST(Figures, AreWellFormedWhateverTheyShow) {
  const CsrMatrix a = arrow();
  Supernodes fronts;
  fronts.first = {0, 2, 6};
  fronts.rows = {3, 0};
  fronts.parent = {1, -1};
  const std::vector<Index> height{0, 0, 1};
  const std::vector<Offset> widths{500, 1};
  std::vector<Figure> figures{tree_figure(height),
                              tree_figure({}),
                              level_figure(widths),
                              level_figure({}),
                              front_figure({}),
                              degree_figure(degrees_of(a.pattern.view())),
                              input_figure(pattern_density({})),
                              degree_figure({}),
                              front_figure(fronts)};
  for (const Figure& figure : figures) {
    EXPECT_EQ(find_xml_fault(svg_file(figure)), "") << figure.name;
    EXPECT_THAT(svg_file(figure), HasSubstr("role=\"img\"")) << figure.name;
    EXPECT_FALSE(figure.description.empty()) << figure.name;
    EXPECT_GT(figure.height, 0) << figure.name;
  }
  // Front 0, of order 5: 4 + 32 and 3 + 18 operations; front 1, of order 4: 3 + 18, 2 + 8, 1 + 2.
  const Table& table = figures.back().table;
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(table.rows[0][0], "4");
  EXPECT_EQ(table.rows[0][2], "37.36%");
  EXPECT_EQ(table.rows[1][2], "62.64%");
}

TEST(HtmlPage, IsOneWellFormedFile) {
  const CsrMatrix a = arrow();
  const Page page{.title = "a<b & c",
                  .facts = {{"Rows", "6"}},
                  .figures = {input_figure(pattern_density(a.pattern.view())),
                              degree_figure(degrees_of(a.pattern.view()))},
                  .made_by = "lufact"};
  const std::string html = html_page(page);
  EXPECT_EQ(find_xml_fault(html), "");
  EXPECT_THAT(html, HasSubstr("<title>a&lt;b &amp; c</title>"));
  EXPECT_THAT(html, HasSubstr("prefers-color-scheme: dark"));
  EXPECT_THAT(html, HasSubstr("id=\"pattern-title\""));
  EXPECT_THAT(html, HasSubstr("id=\"degrees-title\""));
  EXPECT_THAT(html, testing::Not(HasSubstr("src=")));
  EXPECT_THAT(html, testing::Not(HasSubstr("url(")));
}

}  // namespace
}  // namespace lufact::plot
