// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/report/benchmark_json.hpp"
#include "core/report/record_json.hpp"
#include "core/report/run_csv.hpp"
#include "core/report/run_tables.hpp"
#include "core/report/speeds.hpp"
#include "core/report/test/sample_records.hpp"

namespace lufact {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const TableContext context{{sparse_facts(), batch_facts()}};

std::string text_of_input(const std::vector<RunRecord>& runs) {
  return text_of(std::vector{input_section(runs, context)}, {});
}

std::vector<std::string> texts_of(const std::vector<Line>& lines) {
  std::vector<std::string> texts;
  for (const Line& line : lines) texts.push_back(line.text);
  return texts;
}

RunRecord out_of_memory() {
  RunRecord run = test::failed_run();
  run.mode = run.variant = "um";
  run.input = test::full_run().input;
  run.outcome = Outcome::oom_device;
  run.error = ErrorRecord{"budget",
                          "the factors need 12.0 GiB, the device has 11.2 GiB free: choose a "
                          "smaller matrix or another --ordering",
                          "symbolic"};
  return run;
}

// On another input, with other times.
RunRecord elsewhere(RunRecord run, const std::string& name, double factor) {
  run.id += name;
  run.input.name = run.matrix->name = run.sweep->matrix = name;
  run.input.sha256 = std::string(64, name.front());
  for (Sample& sample : run.samples) sample.total_s *= factor;
  return run;
}

RunRecord unverified(RunRecord run) {
  run.warnings.push_back({"unverified", "run with --verify residual"});
  return run;
}

TEST(RunTables, ShowRunsOfAnInputSideBySide) {
  const std::vector<RunRecord> runs = {test::scaled_run("1", "ooc", 1),
                                       test::scaled_run("2", "cpu", 100), out_of_memory()};
  EXPECT_EQ(text_of_input(runs), R"(grid  n 600  nnz 2,900
                                           ooc                        cpu
  scale              1.01 ms [0.99..1.02]   3%    101 ms [99.2..102]   3%
  order              2.01 ms [1.98..2.04]   7%     201 ms [198..204]   7%
  symbolic           8.06 ms [7.93..8.18]  27%     806 ms [793..818]  27%
  levelize           1.01 ms [0.99..1.02]   3%    101 ms [99.2..102]   3%
  numeric            16.1 ms [15.9..16.4]  54%   1.61 s [1.59..1.64]  54%
  solve              1.01 ms [0.99..1.02]   3%    101 ms [99.2..102]   3%
  transfer              504 us [496..511]   2%  50.4 ms [49.6..51.1]   2%
  total              29.7 ms [29.3..30.2] 100%   2.97 s [2.93..3.02] 100%
  verify (extra)     64.5 ms [63.5..65.4]        6.45 s [6.35..6.54]
  refactor numeric      244 us [244..244]  89%     244 us [244..244]  89%
  refactor solve     15.3 us [15.3..15.3]   6%  15.3 us [15.3..15.3]   6%
  refactor transfer  15.3 us [15.3..15.3]   6%  15.3 us [15.3..15.3]   6%
  refactor total        275 us [275..275] 100%     275 us [275..275] 100%
  Gflop/s                                93.09                     0.9309
  refactor Gflop/s                        6144                       6144
  transfer GB/s                       0.008262                  8.262e-05
  systems                                    1                          1
  systems/s                               1000                       1000
  nnz(L+U)                              10,600                     10,600
  fill ratio                              3.66                       3.66
  levels                                    77                         77
  device peak                         1.00 MiB                   1.00 MiB
  driver peak                         1.37 KiB                   1.37 KiB
  chunks                                     4                          4
  simulated                      1.50 s on 2x1              1.50 s on 2x1
  backward error                      2.50e-17                   2.50e-17
  verdict                   ok (near_singular)         ok (near_singular)
  um: oom_device in symbolic: the factors need 12.0 GiB, the device has 11.2 GiB free: choose a
    smaller matrix or another --ordering
  total            ooc is  100 times as fast as cpu  [100, 100]
  refactorization cpu is 1.00 times as fast as ooc unclear: too few samples for an interval (numeric
    1.00, solve 1.00, transfer 1.00)
)");
}

// A table is made of what a file holds: a record that was written and read gives the same.
TEST(RunTables, AreTheSameOfAStoredRecord) {
  for (const RunRecord& run :
       {test::full_run(), test::peer_run("p", 2), test::batch_run("b", "fast", 1)}) {
    const RunRecord stored = run_from_json(to_json(run));
    EXPECT_EQ(text_of_input({stored}), text_of_input({run}));
  }
}

TEST(RunTables, WriteColumnsThatRanNothingInOneLine) {
  std::vector<RunRecord> runs;
  for (const char* mode : {"ooc", "um", "glu3"}) {
    runs.push_back(out_of_memory());
    runs.back().variant = mode;
    runs.back().outcome = Outcome::unsupported;
    runs.back().error = ErrorRecord{"no_device", "there is no device", std::nullopt};
  }
  EXPECT_EQ(text_of_input(runs), "grid\n  ooc, um and glu3: unsupported: there is no device\n");
}

TEST(RunTables, GiveAPeerItsName) {
  RunRecord peer = test::peer_run("p", 1);
  peer.factors->nnz_l.reset();
  peer.sweep->variant = "klu-1-thread";
  EXPECT_THAT(text_of_input({peer}), ContainsRegex(" klu-1-thread\n"));
  peer.sweep.reset();
  EXPECT_THAT(text_of_input({peer}),
              AllOf(ContainsRegex(" klu\n"), ContainsRegex("nnz\\(L\\+U\\) +10,600\n")));
}

TEST(RunTables, CountDevicesThatWereThere) {
  RunRecord run = test::full_run();
  EXPECT_THAT(text_of_input({run}), Not(ContainsRegex("\n  devices")));
  run.distribution->simulated = false;
  run.distribution->simulated_s.reset();
  EXPECT_THAT(text_of_input({run}), ContainsRegex("\n  devices +2\n"));
  EXPECT_THAT(text_of_input({run}), Not(HasSubstr("simulated")));
}

TEST(RunTables, SayWhereCountsAreABound) {
  RunRecord fronts = test::full_run();
  fronts.factors->pattern = "bound";
  EXPECT_THAT(text_of_input({fronts}), HasSubstr("10,600 (bound)\n"));
}

TEST(RunTables, ShowAnyWarningBehindTheVerdict) {
  RunRecord run = test::minimal_run();
  run.input.name = "tiny";
  run.samples = {Sample{0, 2, 0, {}}};
  EXPECT_EQ(text_of_input({run}), R"(tiny
                          ooc
  total           2.00 s 100%
  backward error     0.00e+00
  verdict                  ok
)");
  run.warnings = {{"host_busy", "others run here"}};
  EXPECT_THAT(text_of_input({run}), HasSubstr(" ok (host_busy)\n"));
  run = unverified(run);
  run.warnings.push_back({"noisy", "-"});
  run.warnings.push_back({"noisy", "again"});
  EXPECT_THAT(text_of_input({run}), HasSubstr(" ok (unverified, host_busy, +1)\n"));
}

TEST(RunTables, ShowRatesWithTheirShareOfThePeak) {
  RunRecord run = test::full_run();
  run.samples.clear();
  Sample sample;
  sample.total_s = 3;
  PhaseTime& numeric = sample.phases.emplace_back();
  numeric.name = "numeric";
  numeric.wall_s = numeric.gpu_s.emplace(2);
  run.samples = {sample};
  run.factors->flops = 5e12;
  TableContext with_peaks = context;
  with_peaks.peaks.device = DevicePeaks{1e12, 1e13, 2e13, "2026-01-01T00:00:00Z"};
  EXPECT_THAT(text_of(std::vector{input_section({&run, 1}, context)}, {}),
              ContainsRegex("\n  Gflop/s +2500\n"));
  EXPECT_THAT(text_of(std::vector{input_section({&run, 1}, with_peaks)}, {}),
              ContainsRegex("\n  Gflop/s +2500 \\(25% of peak\\)\n"));
  EXPECT_THAT(text_of(std::vector{variant_section({&run, 1}, with_peaks)}, {}),
              HasSubstr("2500 (25% of peak)"));
  run.peer = PeerRecord{};
  EXPECT_THAT(text_of_input({run}), Not(HasSubstr("flop/s")));
}

TEST(RunTables, ShowABatch) {
  std::vector<RunRecord> runs{test::batch_run("1", "fast", 1), test::batch_run("2", "cpu", 2)};
  EXPECT_THAT(text_of_input(runs),
              AllOf(HasSubstr("random 8  lu of 1000 matrices of order 8\n"),
                    ContainsRegex("Gflop/s +[0-9.]+ +[0-9.]+\n"), ContainsRegex("numeric .*100%"),
                    HasSubstr("total  fast is 2.0 times as fast as cpu  [2.0, 2.0]")));
}

TEST(Speeds, NameTheFasterOneFirst) {
  std::vector<RunRecord> runs = {test::scaled_run("1", "fast-cpu", 1),
                                 test::scaled_run("2", "glu3-cpu", 7), test::peer_run("3", 0.5)};
  EXPECT_THAT(texts_of(speed_lines(runs, 1)),
              testing::ElementsAre(
                  "total            fast-cpu is  7.0 times as fast as glu3-cpu  [7.0, 7.0]",
                  "total            klu      is  2.1 times as fast as fast-cpu  [2.1, 2.1]",
                  "total            klu      is   14 times as fast as glu3-cpu  [14, 14]",
                  testing::StartsWith(
                      "refactorization  glu3-cpu is 1.00 times as fast as fast-cpu  unclear: "
                      "too few samples for an interval  (numeric 1.00"),
                  testing::StartsWith("refactorization  klu      is 1.00 times"),
                  testing::StartsWith("refactorization  klu      is 1.00 times")));
}

TEST(Speeds, CompareRefactorizationsPhaseByPhase) {
  std::vector<RunRecord> runs = {test::scaled_run("1", "cpu", 1), test::scaled_run("2", "fast", 1)};
  for (RunRecord& run : runs) {
    const Sample first = run.refactor_samples.front();
    run.refactor_samples.assign(6, first);
  }
  for (Sample& sample : runs[1].refactor_samples) {
    sample.total_s /= 4;
    sample.phases[1].wall_s /= 8;  // numeric
    sample.phases[2].wall_s *= 2;  // solve
  }
  EXPECT_EQ(texts_of(speed_lines(runs, 1)).back(),
            "refactorization  fast is  4.0 times as fast as cpu  [4.0, 4.0]  (numeric 8.0, solve "
            "0.50, transfer 1.00)");
}

TEST(Speeds, SayNothingOfRunsThatWereNotVerified) {
  const std::vector<RunRecord> runs = {test::scaled_run("1", "cpu", 1),
                                       unverified(test::scaled_run("2", "fast", 0.1))};
  EXPECT_THAT(speed_lines(runs, 1), IsEmpty());
  const std::string text = text_of_input(runs);
  EXPECT_THAT(text, HasSubstr("ok (unverified, near_singular)"));
  EXPECT_THAT(text, HasSubstr("  fast: not verified, and so not compared\n"));
  EXPECT_THAT(text, Not(HasSubstr("times as fast")));
}

std::vector<RunRecord> runs_on_two_inputs() {
  std::vector<RunRecord> runs = {test::scaled_run("1", "cpu", 8), test::scaled_run("2", "fast", 1)};
  runs.push_back(elsewhere(test::scaled_run("1", "cpu", 2), "mesh", 1));
  runs.push_back(elsewhere(test::scaled_run("2", "fast", 1), "mesh", 1));
  RunRecord failed = out_of_memory();
  failed.sweep.reset();
  failed.input.name = "other";
  failed.input.sha256 = std::string(64, 'o');
  runs.push_back(failed);
  return runs;
}

TEST(RunTables, EndWithTotalsAndGeometricMeans) {
  EXPECT_EQ(text_of(summary_sections(runs_on_two_inputs(), context), {}), R"(Totals
             cpu     fast          um
  grid    238 ms  29.7 ms           -
  mesh   59.4 ms  29.7 ms           -
  other        -        -  oom_device

Totals of refactorizations
            cpu    fast          um
  grid   275 us  275 us           -
  mesh   275 us  275 us           -
  other       -       -  oom_device

Geometric means
  total            fast is  4.0 times as fast as cpu  over 2 inputs  [2.0 to 8.0]
  refactorization  fast is 1.00 times as fast as cpu  over 2 inputs  [1.00 to 1.00]
)");
  EXPECT_THAT(summary_sections(std::vector{test::full_run()}, context), IsEmpty());
}

TEST(RunTables, MayBeByVariant) {
  const std::vector<Section> sections = sections_by_variant(runs_on_two_inputs(), context);
  ASSERT_EQ(sections.size(), 6u);
  EXPECT_EQ(sections[0].title, "cpu");
  EXPECT_THAT(markdown_of(std::span(sections).first(1)),
              AllOf(HasSubstr("| mesh | 600 | 2,900 | 10,600 | 2.01 ms |"),
                    HasSubstr("| geometric mean | - | - | - | 4.03 ms |"),
                    HasSubstr(" | total | refactor numeric |"), HasSubstr("| 119 ms |")));
  EXPECT_EQ(sections_by_input(runs_on_two_inputs(), context).size(), 6u);
}

// Runs of 1, 64 and 64 systems, each with its refactorizations' seconds times `factor`.
RunRecord of_systems(const std::string& id, const std::string& variant, Offset count,
                     double factor) {
  RunRecord run = test::scaled_run(id, variant, factor);
  run.systems->count = count;
  for (Sample& sample : run.refactor_samples) {
    sample.total_s *= factor;
    for (PhaseTime& time : sample.phases) time.wall_s *= factor;
  }
  return run;
}

TEST(Speeds, SetEqualWorkAgainstEachOther) {
  const std::vector<RunRecord> runs = {of_systems("1", "fast", 1, 1),
                                       of_systems("2", "fast-64", 64, 4),
                                       of_systems("3", "fast-cpu-64", 64, 8)};
  const auto line = [](const char* what, const char* faster, const char* times,
                       const char* slower) {
    return ContainsRegex(
        fmt::format("^{} +{} +is +{} times as fast as {}  ", what, faster, times, slower));
  };
  const char *many = "fast-64 .64 systems.", *many_on_cores = "fast-cpu-64 .64 systems.";
  EXPECT_THAT(texts_of(speed_lines(runs, 1)),
              ElementsAre(line("total", many, "2.0", many_on_cores),
                          line("refactorization", many, "2.0", many_on_cores),
                          line("each system", many, "16", "fast"),
                          line("each system", many_on_cores, "8.0", "fast")));
}

TEST(Speeds, AverageOverInputsWithEqualWorkAlone) {
  std::vector<RunRecord> runs;
  for (const char* name : {"a", "b"}) {
    const Offset count = *name == 'a' ? 4 : 16;
    runs.push_back(elsewhere(of_systems("1", "fast", 1, 1), name, 1));
    runs.push_back(elsewhere(of_systems("2", "many", count, 2), name, 1));
  }
  EXPECT_THAT(speed_means(runs, 1), IsEmpty());
  runs[3].systems->count = 4;
  EXPECT_THAT(texts_of(speed_means(runs, 1)),
              ElementsAre(HasSubstr("each system  many (4 systems) is 2.0 times as fast as fast  "
                                    "over 2 inputs")));
}

TEST(RunTables, NameRunsByTheirAmountOfWork) {
  std::vector<RunRecord> runs;
  for (const char* name : {"a", "b"}) {
    runs.push_back(elsewhere(of_systems("1", "fast", *name == 'a' ? 4 : 16, 1), name, 1));
  }
  const std::string text = text_of(sections_by_variant(runs, context), {});
  EXPECT_THAT(text, AllOf(HasSubstr("fast (4 systems)"), HasSubstr("fast (16 systems)"),
                          Not(HasSubstr("geometric mean"))));
  runs.front().sweep->options["rhs"] = "8";
  EXPECT_THAT(text_of(sections_by_input(runs, context), {}),
              HasSubstr("fast (4 systems, 8 right-hand sides)"));
}

TEST(RunCsv, HasALineForEachRunUnderTitles) {
  RunRecord failed = out_of_memory();
  failed.error->message = "needs \"much\", has little";
  const std::vector<RunsOfFile> files{{"a.json", {test::scaled_run("1", "ooc", 1), failed}}};
  const std::string text = csv_of(files, context.workloads);
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(
      lines[0],
      "file,input,n,nnz,workload,variant,systems,samples,total_s,total_q1_s,total_q3_s,scale_s,"
      "order_s,symbolic_s,levelize_s,numeric_s,solve_s,transfer_s,refactor_samples,"
      "refactor_total_s,refactor_total_q1_s,refactor_total_q3_s,refactor_scale_s,"
      "refactor_order_s,refactor_symbolic_s,refactor_levelize_s,refactor_numeric_s,"
      "refactor_solve_s,refactor_transfer_s,nnz_lu,levels,flops,flops_per_s,"
      "flops_peak_share,bytes_per_s,bytes_peak_share,refactor_flops_per_s,"
      "refactor_flops_peak_share,refactor_bytes_per_s,refactor_bytes_peak_share,"
      "device_peak_bytes,host_peak_bytes,backward_error,outcome,warnings,message");
  EXPECT_TRUE(lines[1].starts_with("a.json,grid,600,2900,sparse,ooc,1,5,0.02970")) << lines[1];
  EXPECT_THAT(lines[1], HasSubstr(",10600,77,1500000000,"));
  EXPECT_TRUE(lines[1].ends_with(",1048576,268435456,2.5e-17,ok,near_singular,")) << lines[1];
  EXPECT_TRUE(lines[2].ends_with(",oom_device,,\"needs \"\"much\"\", has little\"")) << lines[2];
}

TEST(BenchmarkJson, HasRepetitionsAndAggregates) {
  const ResultFile file = test::file_of({test::scaled_run("1", "ooc", 1), out_of_memory()});
  const nlohmann::json json = benchmark_json(to_json(file.meta), file.runs);
  EXPECT_EQ(json.at("context").at("num_cpus"), 16);
  EXPECT_EQ(json.at("context").at("json_schema_version"), 1);
  const nlohmann::json& all = json.at("benchmarks");
  EXPECT_EQ(all[0].at("name"), "grid/ooc/total");
  EXPECT_EQ(all[0].at("run_type"), "iteration");
  EXPECT_EQ(all[0].at("repetitions"), 5);
  EXPECT_NEAR(all[0].at("real_time").get<double>(), 28.8, 0.1);
  EXPECT_EQ(all[0].at("time_unit"), "ms");
  EXPECT_EQ(all[6].at("name"), "grid/ooc/total_median");
  EXPECT_EQ(all[6].at("aggregate_name"), "median");
  EXPECT_FALSE(all[6].contains("flops_per_second"));  // the total has other work beside
  const auto numeric = std::ranges::find_if(
      all, [](const auto& entry) { return entry.at("name") == "grid/ooc/numeric_median"; });
  ASSERT_NE(numeric, all.end());
  EXPECT_NEAR(numeric->at("flops_per_second").get<double>(),
              1.5e9 / (1e-3 * numeric->at("real_time").get<double>()), 1e6);
  // 9 phases of 5 repetitions, 4 of 2 refactorizations, 3 aggregates each, and the failure.
  ASSERT_EQ(all.size(), 9u * 8 + 4 * 5 + 1);
  EXPECT_EQ(all[9 * 8].at("name"), "grid/ooc/refactor/total");
  EXPECT_TRUE(all.back().at("error_occurred").get<bool>());
  EXPECT_THAT(all.back().at("error_message").get<std::string>(), HasSubstr("oom_device: the fact"));
}

}  // namespace
}  // namespace lufact
