// SPDX-License-Identifier: BSD-3-Clause
// Options of `lufact run` about ordering, from the outside.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "app/test/command_line.hpp"
#include "core/report/consistency.hpp"
#include "core/report/result_schema.hpp"

namespace lufact::test {
namespace {

nlohmann::json run_cpu(const TemporaryFolder& folder, const std::string& matrix,
                       const std::vector<std::string>& options) {
  std::vector<std::string> words{
      "run",      "--matrix", matrix,     "--mode",           "cpu", "--repetitions", "1",
      "--warmup", "0",        "--output", folder / "out.json"};
  words.insert(words.end(), options.begin(), options.end());
  const Outcome outcome = run_program(words);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const nlohmann::json result = read_json(folder / "out.json");
  EXPECT_THAT(schema_violations(result), testing::IsEmpty());
  EXPECT_THAT(consistency_violations(result, {sparse_facts()}), testing::IsEmpty());
  return result.at("runs").at(0);
}

TEST(OrderingOptions, PostorderChangesLabelsButNoCount) {
  const TemporaryFolder folder;
  const std::string matrix = generate(folder, "c.mtx", {"circuit", "--n", "2000"});
  const auto plain = run_cpu(folder, matrix, {});
  const auto composed = run_cpu(folder, matrix, {"--postorder", "on"});
  EXPECT_EQ(plain.at("pipeline").at("postorder"), false);
  EXPECT_EQ(composed.at("pipeline").at("postorder"), true);
  EXPECT_NE(plain.at("factors").at("pattern_sha256"), composed.at("factors").at("pattern_sha256"));
  for (const char* count : {"nnz_l", "nnz_u", "flops", "levels"}) {
    EXPECT_EQ(plain.at("factors").at(count), composed.at("factors").at(count)) << count;
  }
}

TEST(OrderingOptions, ExpectedRefactorizationsArePartOfTheId) {
  const TemporaryFolder folder;
  const std::string matrix = generate(folder, "grid.mtx", {"grid2d", "--nx", "5", "--ny", "5"});
  const auto id = [&](const std::vector<std::string>& options) {
    return run_cpu(folder, matrix, options).at("id").get<std::string>();
  };
  const std::string none = id({});
  EXPECT_EQ(id({"--expect-refactorizations", "0"}), none);
  EXPECT_NE(id({"--expect-refactorizations", "1000"}), none);
  const Outcome negative =
      run_program({"run", "--matrix", matrix, "--expect-refactorizations", "-1"});
  EXPECT_EQ(negative.status, 2);
  EXPECT_THAT(negative.err, testing::HasSubstr("--expect-refactorizations"));
}

TEST(OrderingOptions, NestedDissectionIsTheSameForEveryThreadCountAndSaysItsSteps) {
  const TemporaryFolder folder;
  const std::string matrix = generate(folder, "c.mtx", {"circuit", "--n", "9000"});
  std::set<std::string> patterns;
  for (const char* threads : {"1", "2", "5"}) {
    const auto run = run_cpu(folder, matrix, {"--ordering", "nd-parallel", "--threads", threads});
    patterns.insert(run.at("factors").at("pattern_sha256"));
    EXPECT_EQ(run.at("pipeline").at("ordering"), "nd-parallel");
    const auto& choice = run.at("pipeline").at("choices").at(0);
    EXPECT_EQ(choice.at("stage"), "ordering/separator");
    const std::string phases = run.at("samples").at(0).at("phases").dump();
    for (const char* step : {"graph", "coarsen", "refine", "separator", "leaves", "tail"}) {
      EXPECT_THAT(phases, testing::HasSubstr("order/" + std::string(step)));
    }
  }
  EXPECT_EQ(patterns.size(), 1u);
}

TEST(OrderingOptions, SelectionSaysWhatItChoseAndWhy) {
  const TemporaryFolder folder;
  const std::string matrix = generate(folder, "g.mtx", {"grid2d", "--nx", "70", "--ny", "70"});
  const auto run =
      run_cpu(folder, matrix, {"--ordering", "select", "--expect-refactorizations", "1000"});
  EXPECT_EQ(run.at("pipeline").at("ordering"), "select");
  const auto& choice = run.at("pipeline").at("choices").at(0);
  EXPECT_EQ(choice.at("stage"), "ordering");
  const auto candidates = choice.at("candidates").get<std::vector<std::string>>();
  EXPECT_THAT(candidates, testing::IsSupersetOf({"amd", "nd-parallel"}));
  EXPECT_GT(candidates.size(), 2u) << "a thousand refactorizations pay for more than these";
  EXPECT_THAT(candidates, testing::Contains(choice.at("chosen").get<std::string>()));
  EXPECT_THAT(choice.at("reason").get<std::string>(), testing::HasSubstr("critical path"));
}

}  // namespace
}  // namespace lufact::test
