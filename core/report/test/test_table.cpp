// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "core/pipeline/counted_phases.hpp"
#include "core/report/ratio_table.hpp"
#include "core/report/table.hpp"
#include "core/report/test/sample_records.hpp"

namespace lufact {
namespace {

TEST(Table, SecondsHaveThreeDigitsAndAUnit) {
  EXPECT_EQ(format_seconds(123.4), "123 s");
  EXPECT_EQ(format_seconds(0.0123), "12.3 ms");
  EXPECT_EQ(format_seconds(1.5e-6), "1.50 us");
  EXPECT_EQ(format_seconds(0), "0.00 ns");
}

TEST(Table, ShowsRunsOfAMatrixSideBySide) {
  RunRecord failed = test::failed_run();
  failed.mode = failed.variant = "um";
  failed.matrix = test::full_run().matrix;
  failed.input = test::full_run().input;
  failed.outcome = Outcome::oom_device;
  failed.error = ErrorRecord{"budget",
                             "the factors need 12.0 GiB, the device has 11.2 GiB free: choose a "
                             "smaller matrix or another --ordering",
                             "symbolic"};
  const std::vector<RunRecord> runs = {test::scaled_run("1", "ooc", 1),
                                       test::scaled_run("2", "cpu", 100), failed};
  EXPECT_EQ(phase_table(runs, sparse_counted_phases), R"(grid  n 600  nnz 2900
                                          ooc                   cpu          um
  scale                  1.01 ms [0.99..1.02]    101 ms [99.2..102]           -
  order                  2.01 ms [1.98..2.04]     201 ms [198..204]           -
  symbolic               8.06 ms [7.93..8.18]     806 ms [793..818]           -
  levelize               1.01 ms [0.99..1.02]    101 ms [99.2..102]           -
  numeric                16.1 ms [15.9..16.4]   1.61 s [1.59..1.64]           -
  solve                  1.01 ms [0.99..1.02]    101 ms [99.2..102]           -
  transfer                  504 us [496..511]  50.4 ms [49.6..51.1]           -
  total                  29.7 ms [29.3..30.2]   2.97 s [2.93..3.02]           -
  verify (not in total)  64.5 ms [63.5..65.4]   6.45 s [6.35..6.54]           -
  refactor total            275 us [275..275]     275 us [275..275]           -
  nnz(L+U)                              10600                 10600           -
  fill ratio                             3.66                  3.66           -
  levels                                   77                    77           -
  peak device memory                 1.00 MiB              1.00 MiB           -
  chunks                                    4                     4           -
  backward error                     2.50e-17              2.50e-17           -
  verdict                                  ok                    ok  oom_device
  um: oom_device in symbolic: the factors need 12.0 GiB, the device has 11.2 GiB free: choose a
    smaller matrix or another --ordering
)");
}

TEST(Table, SplitsABlockThatIsTooWide) {
  const std::vector<RunRecord> runs = {test::scaled_run("1", "ooc", 1),
                                       test::scaled_run("2", "cpu", 1),
                                       test::scaled_run("3", "glu3", 1)};
  const std::string text = phase_table(runs, sparse_counted_phases, 72);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 72u) << line;
  EXPECT_THAT(text, testing::ContainsRegex("ooc +cpu\n"));
  EXPECT_THAT(text, testing::ContainsRegex("\n\n +glu3\n  scale"));
  // A column wider than the limit is still shown.
  EXPECT_THAT(phase_table(runs, sparse_counted_phases, 10), testing::HasSubstr("glu3"));
}

TEST(Table, GivesEveryMatrixItsBlockAndAPeerItsName) {
  RunRecord peer = test::peer_run("p", 1);
  peer.factors->nnz_l.reset();
  peer.sweep->variant = "klu-1-thread";
  EXPECT_THAT(phase_table(std::vector{peer}, sparse_counted_phases),
              testing::ContainsRegex(" klu-1-thread\n"));
  peer.sweep.reset();
  EXPECT_THAT(phase_table(std::vector{peer}, sparse_counted_phases),
              testing::AllOf(testing::ContainsRegex(" klu\n"),
                             testing::ContainsRegex("nnz\\(L\\+U\\) +10600\n")));
  const RunRecord once = [] {
    RunRecord run = test::minimal_run();
    run.input.name = "tiny";
    run.samples = {Sample{0, 2, 0, {}}};
    return run;
  }();
  EXPECT_EQ(phase_table(std::vector{once, test::failed_run()}, sparse_counted_phases), R"(tiny
                       ooc
  total             2.00 s
  backward error  0.00e+00
  verdict               ok

broken
             ooc
  verdict  error
  ooc: error in read: broken.mtx:3: row 9 is beyond the 4 rows of the matrix
)");
  EXPECT_EQ(phase_table({}, sparse_counted_phases), "");
}

TEST(RatioTable, SaysHowManyTimesAsFast) {
  std::vector<RunRecord> runs = {test::scaled_run("1", "cpu", 1), test::peer_run("2", 2)};
  for (RunRecord& run : runs) run.sweep.reset();
  EXPECT_EQ(ratio_table(runs, compare_runs(runs)),
            "\nspeed in total, this / base [95% interval]\n"
            "  grid  klu / cpu  0.52 [0.52, 0.52] slower\n");
  EXPECT_EQ(ratio_table(runs, {}), "");
}

}  // namespace
}  // namespace lufact
