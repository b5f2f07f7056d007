// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <regex>

#include "app/test/command_line.hpp"
#include "core/plot/test/well_formed.hpp"

namespace lufact::test {
namespace {

using testing::HasSubstr;

constexpr const char* figure_names[] = {"pattern", "ordered", "factors", "tree",
                                        "levels",  "fronts",  "degrees"};

// The last column of the rows of a figure's table whose first begins with `prefix`, added up.
long long sum_of_table(const std::string& page, const std::string& figure,
                       const std::string& prefix = "") {
  const std::size_t begin = page.find("<figure id=\"" + figure + "\"");
  const std::string part = page.substr(begin, page.find("</figure>", begin) - begin);
  const std::regex row("<tr>\\s*<td>" + prefix + "[^<]*</td>\\s*<td>([0-9,]+)</td>");
  long long sum = 0;
  for (std::sregex_iterator p(part.begin(), part.end(), row), end; p != end; ++p) {
    std::string digits = (*p)[1];
    std::erase(digits, ',');
    sum += std::stoll(digits);
  }
  return sum;
}

TEST(PlotCommand, WritesFiguresAndAPage) {
  const TemporaryFolder folder;
  const std::string matrix = generate(folder, "c.mtx", {"circuit", "--n", "900", "--seed", "2"});
  const std::string output = folder / "pictures/of c";
  const Outcome outcome = run_program({"plot", matrix, "--output", output});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("7 figures"));
  const std::string page = read_text(output + "/index.html");
  EXPECT_EQ(find_xml_fault(page), "");
  for (const std::string name : figure_names) {
    const std::string svg = read_text(output + "/" + name + ".svg");
    EXPECT_EQ(find_xml_fault(svg), "") << name;
    EXPECT_THAT(svg, HasSubstr("<title id=\"" + name + "-title\">")) << name;
    EXPECT_THAT(svg, HasSubstr("<desc id=\"" + name + "-text\">")) << name;
    EXPECT_THAT(page, HasSubstr("<figure id=\"" + name + "\">")) << name;
  }
}

TEST(PlotCommand, CountsEveryRowColumnAndLevelOnce) {
  const TemporaryFolder folder;
  const std::string matrix = generate(folder, "c.mtx", {"circuit", "--n", "900", "--seed", "2"});
  for (const char* ordering : {"amd", "natural", "nd-parallel"}) {
    SCOPED_TRACE(ordering);
    const std::string output = folder / ordering;
    ASSERT_EQ(run_program({"plot", matrix, "--ordering", ordering, "--output", output}).status, 0);
    const std::string page = read_text(output + "/index.html");
    EXPECT_EQ(sum_of_table(page, "degrees", "of a row"), 900);
    EXPECT_EQ(sum_of_table(page, "degrees", "of a column"), 900);
    EXPECT_EQ(sum_of_table(page, "levels"), 900);
    EXPECT_GT(sum_of_table(page, "fronts"), 0);
  }
}

TEST(PlotCommand, ShowsTheSmallestMatrices) {
  const TemporaryFolder folder;
  for (const char* entries : {"0 0 0\n", "1 1 1\n1 1 2.0\n", "2 2 2\n1 2 1.0\n2 1 1.0\n"}) {
    SCOPED_TRACE(entries);
    std::ofstream(folder / "m.mtx") << "%%MatrixMarket matrix coordinate real general\n" << entries;
    const Outcome outcome = run_program({"plot", folder / "m.mtx", "--output", folder / "m"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(find_xml_fault(read_text(folder / "m/index.html")), "");
    EXPECT_EQ(run_program({"describe", folder / "m.mtx"}).status, 0);
  }
}

TEST(PlotCommand, RejectsWhatItCannotReadOrWrite) {
  const TemporaryFolder folder;
  const std::string matrix = generate(folder, "g.mtx", {"grid2d", "--nx", "5", "--ny", "5"});
  EXPECT_EQ(run_program({"plot", folder / "absent.mtx"}).status, 4);
  EXPECT_EQ(run_program({"plot", matrix, "--ordering", "rcm"}).status, 2);
  const Outcome file = run_program({"plot", matrix, "--output", matrix});
  EXPECT_EQ(file.status, 2);
  EXPECT_THAT(file.err, HasSubstr("--output"));
}

double cpu_seconds_of_children() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// Under 10 s, reading included: the time of its cores, of which a busy machine takes none away. It
// is a fifth of that; sanitizers make it many times as much.
#ifdef __SANITIZE_ADDRESS__
constexpr double most_seconds = 100;
#else
constexpr double most_seconds = 10;
#endif
TEST(PlotCommand, ShowsAMillionRowsInSeconds) {
  const TemporaryFolder folder;
  const std::string matrix = generate(folder, "g.mtx", {"grid2d", "--nx", "1000", "--ny", "1000"});
  const double cpu_before = cpu_seconds_of_children();
  const auto begin = std::chrono::steady_clock::now();
  const Outcome outcome = run_program({"plot", matrix, "--threads", "1", "--output", folder / "g"});
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  const double cpu = cpu_seconds_of_children() - cpu_before;
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  RecordProperty("wall_s", std::to_string(wall.count()));
  RecordProperty("cpu_s", std::to_string(cpu));
  EXPECT_LT(cpu, most_seconds) << wall.count() << " s by the clock";
  std::uintmax_t bytes = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder / "g")) {
    bytes += file.file_size();
  }
  EXPECT_LT(bytes, 8U << 20);
  EXPECT_EQ(sum_of_table(read_text(folder / "g/index.html"), "levels"), 1'000'000);
}

}  // namespace
}  // namespace lufact::test
