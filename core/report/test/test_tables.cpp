// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "core/report/cells.hpp"
#include "core/report/tables.hpp"

namespace lufact {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Cells, SecondsHaveThreeDigitsAndAUnit) {
  EXPECT_EQ(format_seconds(123.4), "123 s");
  EXPECT_EQ(format_seconds(0.0123), "12.3 ms");
  EXPECT_EQ(format_seconds(1.5e-6), "1.50 us");
  EXPECT_EQ(format_seconds(0), "0.00 ns");
  EXPECT_EQ(format_spread(std::vector{1.0, 2.0, 3.0, 4.0}), "2.50 s [1.75..3.25]");
  EXPECT_EQ(format_spread(std::vector{2.0}), "2.00 s");
}

TEST(Cells, TimesHaveMoreDigitsNearOne) {
  EXPECT_EQ(format_times(0.0123), "0.012");
  EXPECT_EQ(format_times(0.85), "0.85");
  EXPECT_EQ(format_times(1.04), "1.04");
  EXPECT_EQ(format_times(1.2), "1.2");
  EXPECT_EQ(format_times(7), "7.0");
  EXPECT_EQ(format_times(9.96), "10");
  EXPECT_EQ(format_times(123.4), "123");
}

TEST(Cells, NamesAreJoined) {
  EXPECT_EQ(joined_names(std::vector<std::string>{"ooc"}), "ooc");
  EXPECT_EQ(joined_names(std::vector<std::string>{"ooc", "um", "glu3"}), "ooc, um and glu3");
}

Section small_section() {
  return {"A <title> of | one",
          {{"first", "second", "nothing"},
           {{"label", {{"1.00 ms"}, {"2.00 ms"}, {}}},
            {"only first", {{"yes", Tone::good}, {}, {}}},
            {"no one", {{}, {}, {}}},
            {"verdict", {{"ok", Tone::good}, {"error", Tone::bad}, {}}}}},
          {{"a  line that is aligned by spaces", Tone::caution}}};
}

TEST(TableText, AlignsColumnsAndLeavesOutWhatNothingFills) {
  const std::vector<Section> two{small_section(), {"", {}, {{"a line"}}}};
  EXPECT_EQ(text_of(two, {}), R"(A <title> of | one
                first   second
  label       1.00 ms  2.00 ms
  only first      yes        -
  verdict          ok    error
  a  line that is aligned by spaces

  a line
)");
  EXPECT_EQ(text_of({}, {}), "");
}

// Also of rows that only the columns of another block fill.
TEST(TableText, SplitsATableThatIsTooWide) {
  EXPECT_EQ(text_of(std::vector{small_section()}, {25, false}), R"(A <title> of | one
                first
  label       1.00 ms
  only first      yes
  verdict          ok

               second
  label       2.00 ms
  verdict       error
  a line that is aligned
    by spaces
)");
}

TEST(TableText, HasColoursWhereTheyAreWanted) {
  const std::string text = text_of(std::vector{small_section()}, {100, true});
  EXPECT_THAT(text, HasSubstr("\033[1mA <title> of | one\033[0m\n"));
  EXPECT_THAT(text, HasSubstr("  verdict          \033[32mok\033[0m    \033[31merror\033[0m\n"));
  EXPECT_THAT(text, HasSubstr("\033[33m  a  line"));
}

TEST(TableText, CountsCharactersAndDoesNotSteerTheTerminal) {
  const std::vector<Section> sections{
      {"t\033[2Jt", {{"m\u00fcller"}, {{"\u00e4", {{"x\ty"}}}}}, {{"a\rb"}}}};
  EXPECT_EQ(text_of(sections, {}), "t?[2Jt\n     m\u00fcller\n  \u00e4     x?y\n  a?b\n");
}

TEST(TableMarkup, IsMarkdown) {
  EXPECT_EQ(markdown_of(std::vector{small_section()}), R"(### A &lt;title> of \| one

| | first | second |
|---|---:|---:|
| label | 1.00 ms | 2.00 ms |
| only first | yes | - |
| verdict | ok | error |

- a line that is aligned by spaces
)");
}

TEST(TableMarkup, IsAPage) {
  const std::string page = html_of(std::vector{small_section()}, "a & b");
  EXPECT_TRUE(page.starts_with("<!DOCTYPE html>"));
  EXPECT_TRUE(page.ends_with("</html>\n"));
  EXPECT_THAT(page, HasSubstr("<title>a &amp; b</title>"));
  EXPECT_THAT(page, HasSubstr("<h2>A &lt;title&gt; of | one</h2>"));
  EXPECT_THAT(page, HasSubstr("<td class=\"bad\">error</td>"));
  EXPECT_THAT(page, HasSubstr("<li class=\"caution\">a line that is aligned by spaces</li>"));
  EXPECT_THAT(page, Not(HasSubstr("{{")));
}

}  // namespace
}  // namespace lufact
