// SPDX-License-Identifier: BSD-3-Clause
// The matching on the device: the bits of one thread of the host, and as a stage the outcomes of
// mc64.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "core/base/error.hpp"
#include "core/match/mc64.hpp"
#include "gpu/match/device_matching.hpp"
#include "gpu/match/host_matching.hpp"
#include "gpu/match/mc64_scaling.hpp"
#include "gpu/match/test/match_matrices.hpp"
#include "gpu/runtime/device_query.hpp"
#include "gpu/runtime/session.hpp"
#include "gpu/test_support/busy_kernel.hpp"

namespace lufact::gpu {
namespace {

using testing::deficient_matrices;
using testing::perfect_matrices;
using testing::rows_by_blocks_under_watch;
using testing::rows_under_watch;
using testing::TestContext;

class DeviceMatchingTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string fault = find_device_fault(0);
    if (!fault.empty()) GTEST_SKIP() << fault;
  }
};

void expect_same(const Matching& found, const Matching& expected) {
  EXPECT_EQ(found.structural_rank, expected.structural_rank);
  ASSERT_TRUE(std::ranges::equal(found.rows.old_of_new(), expected.rows.old_of_new()));
  ASSERT_EQ(found.row_scale, expected.row_scale);
  ASSERT_EQ(found.col_scale, expected.col_scale);
}

Matching matched_by_one_thread(const CsrMatrix& a) {
  HostMatching host(a);
  host.find(unlimited_rules());
  EXPECT_EQ(host.counters().end, MatchEnd::perfect);
  std::vector<Warning> warnings;
  return host.result(warnings);
}

Matching matched_by_device(DeviceSession& session, const CsrMatrix& a,
                           const MatchRules& rules = unlimited_rules()) {
  DeviceMatching device(session, a);
  EXPECT_EQ(device.find(rules).end, MatchEnd::perfect);
  std::vector<Warning> warnings;
  return device.result(warnings);
}

// Those of at most `most` rows.
std::map<std::string, CsrMatrix> perfect_matrices_to(Index most) {
  std::map<std::string, CsrMatrix> all = perfect_matrices();
  std::erase_if(all, [&](const auto& named) { return named.second.pattern.n_rows > most; });
  return all;
}

void check_bits(const std::map<std::string, CsrMatrix>& matrices) {
  DeviceSession session({});
  for (const auto& [name, a] : matrices) {
    SCOPED_TRACE(name);
    expect_same(matched_by_device(session, a), matched_by_one_thread(a));
  }
}
TEST_F(DeviceMatchingTest, SanitizeHasTheBitsOfOneThreadOfTheHost) {
  check_bits(perfect_matrices_to(rows_under_watch));
}
TEST_F(DeviceMatchingTest, HasTheBitsOfOneThreadOfTheHost) {
  check_bits(perfect_matrices());
}

void check_whoever_takes_a_row(const std::map<std::string, CsrMatrix>& matrices) {
  DeviceSession session({});
  MatchRules rules = unlimited_rules();
  for (const auto& [name, a] : matrices) {
    SCOPED_TRACE(name);
    const Matching expected = matched_by_one_thread(a);
    for (const Offset most_of_warp : {1, 40}) {
      for (const Offset most_of_block : {Offset{2}, MatchRules().most_of_block}) {
        rules.most_of_warp = most_of_warp;
        rules.most_of_block = most_of_block;
        expect_same(matched_by_device(session, a, rules), expected);
      }
    }
  }
}
TEST_F(DeviceMatchingTest, SanitizeHasTheSameBitsWhoeverTakesARow) {
  check_whoever_takes_a_row(perfect_matrices_to(rows_by_blocks_under_watch));
}
TEST_F(DeviceMatchingTest, HasTheSameBitsWhoeverTakesARow) {
  check_whoever_takes_a_row(perfect_matrices_to(600));
}

TEST_F(DeviceMatchingTest, HasTheSameBitsBesideOtherKernels) {
  DeviceSession session({});
  const testing_support::OtherStream other;
  for (const CsrMatrix& a :
       {testing::saddle_point(4000, 3999, 8, 6), testing::uneven_rows(3000, 7)}) {
    const Matching expected = matched_by_one_thread(a);
    for (std::uint64_t run = 0; run < 50 && !HasFailure(); ++run) {
      other.occupy_randomly(session.sm_count(), run);
      expect_same(matched_by_device(session, a), expected);
    }
  }
}

TEST_F(DeviceMatchingTest, IsEndedByTheHostWithTheSameBits) {
  DeviceSession session({});
  int handed_over = 0;
  for (const auto& [name, a] : perfect_matrices()) {
    SCOPED_TRACE(name);
    for (const int rounds : {1, 7, 40}) {
      MatchRules rules = unlimited_rules();
      rules.rounds = rounds;
      DeviceMatching device(session, a);
      if (device.find(rules).end == MatchEnd::perfect) continue;
      HostMatching host(a);
      host.finish(device.hand_over(host.arrays()), unlimited_rules());
      ASSERT_EQ(host.counters().end, MatchEnd::perfect);
      std::vector<Warning> warnings;
      expect_same(host.result(warnings), matched_by_one_thread(a));
      ++handed_over;
    }
  }
  EXPECT_GT(handed_over, 10);
}

void check_ranks(Index most_rows) {
  DeviceSession session({});
  for (const auto& [name, matrix] : deficient_matrices()) {
    const auto& [a, rank] = matrix;
    if (a.pattern.n_rows > most_rows) continue;
    SCOPED_TRACE(name);
    DeviceMatching device(session, a);
    const MatchReport report = device.find(unlimited_rules());
    EXPECT_EQ(report.end, MatchEnd::deficient);
    EXPECT_EQ(a.pattern.n_rows - report.free_rows, rank);
  }
}
TEST_F(DeviceMatchingTest, SanitizeCountsTheStructuralRank) {
  check_ranks(rows_under_watch);
}
TEST_F(DeviceMatchingTest, CountsTheStructuralRank) {
  check_ranks(std::numeric_limits<Index>::max());
}

TEST_F(DeviceMatchingTest, TellsOfValuesThatAreNotFinite) {
  DeviceSession session({});
  CsrMatrix a = testing::grid_matrix(50, 50);
  a.values[1700] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(DeviceMatching(session, a).find({}).end, MatchEnd::values_not_finite);
}

// What the stage gives, and what it says of who matched.
struct StageResult {
  Matching matching;
  Choice choice;
  std::vector<Warning> warnings;
};

StageResult run_stage(DeviceSession& session, const CsrMatrix& a, bool allow_singular = false) {
  TestContext test;
  test.options.allow_singular = allow_singular;
  test.context.device = &session;
  StageResult result;
  result.matching = make_mc64_scaling()->run(a, test.context);
  EXPECT_EQ(test.notes.choices.size(), 1U);
  result.choice = test.notes.choices.front();
  EXPECT_EQ(result.choice.stage, "scaling/matching");
  EXPECT_TRUE(std::ranges::count(result.choice.candidates, result.choice.chosen) == 1);
  result.warnings = test.notes.warnings;
  return result;
}

TEST_F(DeviceMatchingTest, SaysWhoMatchedAndWhy) {
  DeviceSession session({});
  const auto chosen = [&](const CsrMatrix& a) { return run_stage(session, a).choice; };
  EXPECT_EQ(chosen(testing::grid_matrix(60, 50)).chosen, "diagonal");
  EXPECT_EQ(chosen(testing::saddle_point(4000, 3999, 8, 6)).chosen, "gpu");
  const Choice small = chosen(testing::random_matrix(500, 3, 5, true, 1));
  EXPECT_EQ(small.chosen, "host");
  EXPECT_THAT(small.reason, ::testing::HasSubstr("500 rows are fewer"));
  EXPECT_EQ(chosen(testing::uneven_rows(3000, 7)).chosen, "gpu");
  const Choice thin = chosen(testing::long_path(4000));
  EXPECT_EQ(thin.chosen, "gpu+host");
  EXPECT_THAT(thin.reason, ::testing::HasSubstr("thin ones"));
  const Choice equal = chosen(testing::random_matrix(3000, 2, 0, true, 3));
  EXPECT_EQ(equal.chosen, "host");
  EXPECT_THAT(equal.reason, ::testing::HasSubstr("all costs are equal"));
  DeviceSession narrow({.device = 0, .memory_limit = std::uint64_t{1} << 18});
  const CsrMatrix a = testing::saddle_point(4000, 3999, 8, 6);
  const Choice limited = run_stage(narrow, a).choice;
  EXPECT_EQ(limited.chosen, "host");
  EXPECT_THAT(limited.reason, ::testing::HasSubstr("bytes of device memory"));
}

TEST_F(DeviceMatchingTest, GivesBackAllMemory) {
  DeviceSession session({});
  run_stage(session, testing::saddle_point(4000, 3999, 8, 6));
  EXPECT_EQ(session.ledger().report().in_use_bytes, 0U);
}

TEST_F(DeviceMatchingTest, IsAsGoodAsMc64) {
  DeviceSession session({});
  for (const auto& [name, a] : perfect_matrices()) {
    SCOPED_TRACE(name);
    std::vector<Warning> warnings;
    const StageResult found = run_stage(session, a);
    testing::expect_as_good_as(a, mc64(a, false, warnings), found.matching,
                               !found.warnings.empty());
  }
}

TEST_F(DeviceMatchingTest, HasTheOutcomeOfMc64OnSingularMatrices) {
  DeviceSession session({});
  for (const auto& [name, matrix] : deficient_matrices()) {
    SCOPED_TRACE(name);
    const CsrMatrix& a = matrix.first;
    std::vector<Warning> warnings;
    std::string expected, found;
    try {
      mc64(a, false, warnings);
    } catch (const Error& error) {
      expected = error.what();
    }
    try {
      run_stage(session, a);
    } catch (const Error& error) {
      EXPECT_EQ(error.outcome(), Outcome::singular_structural);
      found = error.what();
    }
    EXPECT_FALSE(found.empty());
    EXPECT_EQ(found, expected);
    const StageResult completed = run_stage(session, a, true);
    expect_same(completed.matching, mc64(a, true, warnings));
    EXPECT_EQ(completed.choice.chosen, "host");
    // Few rows and equal costs go to the host before the rank is known.
    EXPECT_THAT(
        completed.choice.reason,
        ::testing::AnyOf(::testing::HasSubstr("structural rank " + std::to_string(matrix.second)),
                         ::testing::HasSubstr("all costs are equal"),
                         ::testing::HasSubstr("rows are fewer than")));
  }
}

TEST_F(DeviceMatchingTest, RefusesWhatMc64Refuses) {
  DeviceSession session({});
  CsrMatrix a = testing::grid_matrix(50, 50);
  a.values[1700] = std::numeric_limits<double>::infinity();
  EXPECT_THROW(run_stage(session, a), Error);
  CsrMatrix wide = testing::grid_matrix(50, 50);
  ++wide.pattern.n_cols;
  EXPECT_THROW(run_stage(session, wide), Error);
}

TEST_F(DeviceMatchingTest, MatchesRealMatricesWithTheBitsOfOneThread) {
  const char* const data = std::getenv("LUFACT_TEST_DATA");
  if (data == nullptr) GTEST_SKIP() << "LUFACT_TEST_DATA is not set";
  DeviceSession session({});
  for (const std::string& path : testing::matrix_files(data)) {
    SCOPED_TRACE(path);
    const CsrMatrix a = read_matrix(path, {}).matrix;
    std::vector<Warning> warnings;
    const Matching expected = matched_by_one_thread(a);
    expect_same(matched_by_device(session, a), expected);
    const StageResult staged = run_stage(session, a);
    testing::expect_as_good_as(a, mc64(a, false, warnings), staged.matching, false);
    if (staged.choice.chosen.starts_with("gpu")) expect_same(staged.matching, expected);
  }
}

}  // namespace
}  // namespace lufact::gpu
