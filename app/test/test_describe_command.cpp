// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/test/command_line.hpp"
#include "app/test/occurrences.hpp"

namespace lufact::test {
namespace {

using testing::HasSubstr;
using testing::Not;

nlohmann::json describe(const std::string& matrix, std::vector<std::string> options = {}) {
  options.insert(options.begin(), {"describe", matrix, "--json"});
  const Outcome outcome = run_program(options);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return nlohmann::json::parse(outcome.out);
}

const nlohmann::json& mode_of(const nlohmann::json& facts, const std::string& name) {
  for (const auto& mode : facts.at("forecast").at("modes")) {
    if (mode.at("mode") == name) return mode;
  }
  throw std::out_of_range(name);
}

// 10 x 10 grid: 5 points, 4 on the diagonal.
TEST(DescribeCommand, TellsWhatTheEntriesAre) {
  const TemporaryFolder folder;
  const std::string matrix = generate(folder, "g.mtx", {"grid2d", "--nx", "10", "--ny", "10"});
  const auto entries = describe(matrix).at("entries");
  EXPECT_EQ(entries.at("lower_bandwidth"), 10);
  EXPECT_EQ(entries.at("upper_bandwidth"), 10);
  // Ten before the diagonal for 90 rows, one for 9, none for the first; columns likewise.
  EXPECT_EQ(entries.at("profile"), 2 * (90 * 10 + 9) + 100);
  EXPECT_EQ(entries.at("row_degrees").at("least"), 3);
  EXPECT_EQ(entries.at("row_degrees").at("most"), 5);
  EXPECT_DOUBLE_EQ(entries.at("row_degrees").at("mean").get<double>(), 4.6);
}

TEST(DescribeCommand, CountsAsARunDoes) {
  const TemporaryFolder folder;
  for (const std::vector<std::string>& kind :
       {std::vector<std::string>{"grid2d", "--nx", "20", "--ny", "20"},
        {"circuit", "--n", "700", "--seed", "3"}}) {
    SCOPED_TRACE(kind.front());
    const std::string matrix = generate(folder, kind.front() + ".mtx", kind);
    const auto forecast = describe(matrix).at("forecast");
    const std::string output = folder / (kind.front() + ".json");
    run_program({"run", "--matrix", matrix, "--mode", "cpu", "--until", "symbolic", "--repetitions",
                 "1", "--warmup", "0", "--output", output});
    const auto factors = read_json(output).at("runs").at(0).at("factors");
    EXPECT_EQ(forecast.at("pattern"), "exact");
    EXPECT_EQ(forecast.at("nnz_lu"), factors.at("nnz_exact"));
    EXPECT_DOUBLE_EQ(forecast.at("flops").get<double>(), factors.at("flops").get<double>());
    EXPECT_GE(forecast.at("nnz_fronts"), forecast.at("nnz_lu"));
    EXPECT_GE(forecast.at("levels").get<int>(),
              factors.at("levels_by_rule").at("exact").get<int>());
  }
}

TEST(DescribeCommand, ForecastsTimesAndRecommendsTheLeast) {
  const TemporaryFolder folder;
  const std::string matrix = generate(folder, "g.mtx", {"grid2d", "--nx", "60", "--ny", "60"});
  const auto facts = describe(matrix, {"--expect-refactorizations", "10"});
  double least = std::numeric_limits<double>::infinity();
  for (const auto& mode : facts.at("forecast").at("modes")) {
    const auto& time = mode.at("time");
    const std::string name = mode.at("mode");
    EXPECT_EQ(time.is_null(), !(name.starts_with("fast") || name == "cpu")) << name;
    if (time.is_null()) continue;
    EXPECT_GT(time.at("first_s").get<double>(), 0) << name;
    EXPECT_GT(time.at("each_s").get<double>(), 0) << name;
    EXPECT_EQ(time.at("at_least").get<bool>(), name == "cpu") << name;
    if (name == "cpu" || mode.at("fits").is_null()) continue;
    least =
        std::min(least, time.at("first_s").get<double>() + 10 * time.at("each_s").get<double>());
  }
  const auto& recommended = facts.at("recommendation");
  const auto& time = mode_of(facts, recommended.at("mode")).at("time");
  EXPECT_DOUBLE_EQ(time.at("first_s").get<double>() + 10 * time.at("each_s").get<double>(), least);
  EXPECT_THAT(recommended.at("reason").get<std::string>(), HasSubstr("11 factorizations with"));
}

TEST(DescribeCommand, RecommendsNothingThatDoesNotFit) {
  const TemporaryFolder folder;
  const std::string matrix = generate(folder, "g.mtx", {"grid2d", "--nx", "60", "--ny", "60"});
  const auto facts =
      describe(matrix, {"--host-memory-limit", "1kB", "--device-memory-limit", "1kB"});
  EXPECT_TRUE(facts.at("recommendation").at("mode").is_null());
  EXPECT_THAT(facts.at("recommendation").at("reason").get<std::string>(),
              HasSubstr("no mode fits"));
}

TEST(DescribeCommand, PlansTheBatchesOfGsofa) {
  const TemporaryFolder folder;
  const std::string matrix = generate(folder, "g.mtx", {"grid2d", "--nx", "100", "--ny", "100"});
  const auto batch =
      mode_of(describe(matrix, {"--device-memory-limit", "64MiB"}), "gsofa").at("gsofa_batch");
  ASSERT_FALSE(batch.is_null());
  // Half of what the limit leaves, and 24 n #C of it by the paper's rule.
  const auto budget = batch.at("budget_bytes").get<std::int64_t>();
  EXPECT_LT(budget, 32 << 20);
  EXPECT_GT(budget, 31 << 20);
  EXPECT_EQ(batch.at("paper_sources"), 128);
  EXPECT_LE(batch.at("array_bytes").get<std::int64_t>(), budget);
  EXPECT_LE(batch.at("least_sources").get<int>(), batch.at("most_sources").get<int>());
  EXPECT_GE(batch.at("batches").get<int>() * batch.at("most_sources").get<int>(), 10'000);
  EXPECT_TRUE(mode_of(describe(matrix, {"--device-memory-limit", "64MiB"}), "ooc")
                  .at("gsofa_batch")
                  .is_null());
  EXPECT_THAT(run_program({"describe", matrix, "--device-memory-limit", "64MiB"}).out,
              HasSubstr("#C"));
  const Outcome none = run_program({"describe", matrix, "--device-memory-limit", "1MiB"});
  EXPECT_EQ(none.status, 0);
  EXPECT_THAT(none.out, HasSubstr("a source of a matrix with 10000 rows needs"));
}

TEST(DescribeCommand, SaysOnceWhyThereIsNoDevice) {
  const auto doctor = nlohmann::json::parse(run_program({"doctor", "--json"}).out);
  if (!doctor.at("device").is_null()) GTEST_SKIP() << "there is a device";
  const TemporaryFolder folder;
  const std::string matrix = generate(folder, "g.mtx", {"grid2d", "--nx", "10", "--ny", "10"});
  const std::string text = run_program({"describe", matrix}).out;
  EXPECT_EQ(occurrences(text, doctor.at("device_absent_reason").get<std::string>()), 1U) << text;
  EXPECT_THAT(text, HasSubstr("needs a device"));
  EXPECT_THAT(text, HasSubstr("recommended: fast-cpu"));
}

TEST(DescribeCommand, WritesTheSameFactsToAFile) {
  const TemporaryFolder folder;
  const std::string matrix = generate(folder, "g.mtx", {"grid2d", "--nx", "10", "--ny", "10"});
  const std::string output = folder / "facts.json";
  const Outcome outcome = run_program({"describe", matrix, "--output", output});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("mode cpu"));
  auto written = read_json(output), printed = describe(matrix);
  EXPECT_EQ(written.at("entries"), printed.at("entries"));
  EXPECT_EQ(written.at("forecast").at("nnz_lu"), printed.at("forecast").at("nnz_lu"));
  EXPECT_EQ(run_program({"describe", matrix, "--output", folder / "no/facts.json"}).status, 2);
}

TEST(DescribeCommand, TakesAnotherOrdering) {
  const TemporaryFolder folder;
  const std::string matrix = generate(folder, "g.mtx", {"grid2d", "--nx", "20", "--ny", "20"});
  const auto natural = describe(matrix, {"--ordering", "natural"}).at("forecast");
  EXPECT_EQ(natural.at("ordering"), "natural");
  EXPECT_EQ(natural.at("orderings").size(), 1U);
  EXPECT_GT(natural.at("nnz_lu"), describe(matrix).at("forecast").at("nnz_lu"));
  EXPECT_EQ(natural.at("levels"), 400);  // a band is a chain
  const Outcome unknown = run_program({"describe", matrix, "--ordering", "rcm"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("accepted:"));
  EXPECT_EQ(run_program({"describe", matrix, "--expect-refactorizations", "-1"}).status, 2);
}

TEST(DescribeCommand, RejectsWhatItCannotRead) {
  const TemporaryFolder folder;
  EXPECT_EQ(run_program({"describe", folder / "absent.mtx"}).status, 4);
  std::ofstream(folder / "text.mtx") << "no matrix\n";
  EXPECT_EQ(run_program({"describe", folder / "text.mtx"}).status, 4);
}

}  // namespace
}  // namespace lufact::test
