// SPDX-License-Identifier: BSD-3-Clause
// `lufact run --pivoting`, from the outside.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "app/test/command_line.hpp"
#include "core/report/consistency.hpp"
#include "core/report/result_schema.hpp"

namespace lufact::test {
namespace {

// Ones of either sign, without a diagonal.
std::string write_signs(const TemporaryFolder& folder, int n) {
  std::string path = folder / "signs.mtx";
  std::ofstream file(path);
  file << "%%MatrixMarket matrix coordinate integer general\n";
  file << n << " " << n << " " << n * (n - 1) << "\n";
  unsigned state = 1;
  for (int k = 0; k < n * n; ++k) {
    if (k % (n + 1) == 0) continue;
    state = state * 1664525U + 1013904223U;
    file << k % n + 1 << " " << k / n + 1 << " " << (state >> 31 == 0 ? 1 : -1) << "\n";
  }
  return path;
}

nlohmann::json run_unmatched(const TemporaryFolder& folder, const std::string& matrix,
                             const std::vector<std::string>& options) {
  std::vector<std::string> words{"run",
                                 "--matrix",
                                 matrix,
                                 "--mode",
                                 "fast-cpu",
                                 "--scaling",
                                 "none",
                                 "--repetitions",
                                 "1",
                                 "--warmup",
                                 "0",
                                 "--refactor",
                                 "1",
                                 "--verify",
                                 "full",
                                 "--output",
                                 folder / "out.json"};
  words.insert(words.end(), options.begin(), options.end());
  const Outcome outcome = run_program(words);
  EXPECT_EQ(outcome.status, 0) << outcome.err << outcome.out;
  const nlohmann::json result = read_json(folder / "out.json");
  EXPECT_THAT(schema_violations(result), testing::IsEmpty());
  EXPECT_THAT(consistency_violations(result, {sparse_facts()}), testing::IsEmpty());
  return result.at("runs").at(0);
}

TEST(PivotingOption, ExchangesRowsAndRecordsHowMany) {
  const TemporaryFolder folder;
  const std::string matrix = write_signs(folder, 50);
  const auto fixed = run_unmatched(folder, matrix, {});
  const auto exchanging = run_unmatched(folder, matrix, {"--pivoting", "diagonal-block"});
  EXPECT_NE(fixed.at("id"), exchanging.at("id"));
  EXPECT_EQ(fixed.at("numeric").at("pivoting"), "static");
  EXPECT_TRUE(fixed.at("numeric").at("exchanged_rows").is_null());
  EXPECT_GT(fixed.at("numeric").at("perturbed_pivots"), 0);
  EXPECT_EQ(exchanging.at("numeric").at("pivoting"), "diagonal-block");
  EXPECT_GT(exchanging.at("numeric").at("exchanged_rows"), 0);
  EXPECT_EQ(exchanging.at("numeric").at("perturbed_pivots"), 0);
  EXPECT_LT(exchanging.at("verification").at("backward_error_before_refinement").get<double>(),
            1e-14);
}

TEST(PivotingOption, IsRefusedByStagesWithoutIt) {
  const TemporaryFolder folder;
  const std::string matrix = write_signs(folder, 5);
  const Outcome columns =
      run_program({"run", "--matrix", matrix, "--mode", "cpu", "--pivoting", "diagonal-block"});
  EXPECT_EQ(columns.status, 2);
  EXPECT_THAT(columns.err, testing::HasSubstr("cpu-multifrontal"));
  const Outcome unknown = run_program({"run", "--matrix", matrix, "--pivoting", "complete"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, testing::HasSubstr("diagonal-block"));
}

}  // namespace
}  // namespace lufact::test
