// SPDX-License-Identifier: BSD-3-Clause
// The steps of the matching by one thread of the host: what they find, and that the order in which
// a step is done does not matter.
#include <cstdlib>
#include <limits>

#include "core/base/error.hpp"
#include "core/base/random.hpp"
#include "core/match/mc64.hpp"
#include "gpu/match/host_matching.hpp"
#include "gpu/match/phases.hpp"
#include "gpu/match/test/match_matrices.hpp"

namespace lufact::gpu {
namespace {

using testing::deficient_matrices;
using testing::expect_as_good_as;
using testing::perfect_matrices;

// Another order in every step.
HostTeam shuffled(std::uint64_t seed) {
  return HostTeam([seed, calls = std::uint64_t{0}](std::vector<Offset>& numbers) mutable {
    testing::Draws draws(seed + ++calls);
    for (std::size_t k = numbers.size(); k > 1; --k) {
      std::swap(numbers[k - 1], numbers[at(draws.below(static_cast<Index>(k)))]);
    }
  });
}

void expect_same_state(const CsrMatrix& a, HostMatching& one, HostMatching& other) {
  for (Index k = 0; k < a.pattern.n_rows; ++k) {
    ASSERT_EQ(one.arrays().column_of_row[k], other.arrays().column_of_row[k]) << "row " << k;
    ASSERT_EQ(one.arrays().columns[k].dual, other.arrays().columns[k].dual) << "column " << k;
  }
}

void expect_optimal(const CsrMatrix& a, HostMatching& found) {
  ASSERT_EQ(found.counters().end, MatchEnd::perfect);
  std::vector<Warning> warnings, host_warnings;
  const Matching matching = found.result(warnings);
  expect_as_good_as(a, mc64(a, false, host_warnings), matching, !warnings.empty());
}

TEST(MatchSteps, FindTheMatchingOfMc64) {
  for (const auto& [name, a] : perfect_matrices()) {
    SCOPED_TRACE(name);
    HostMatching found(a);
    found.find(unlimited_rules());
    expect_optimal(a, found);
  }
}

TEST(MatchSteps, DoNotDependOnTheOrderInsideAStep) {
  for (const auto& [name, a] : perfect_matrices()) {
    SCOPED_TRACE(name);
    HostMatching ascending(a);
    ascending.find(unlimited_rules());
    for (const std::uint64_t seed : {1U, 2U}) {
      HostMatching other(a);
      other.find(unlimited_rules(), shuffled(seed));
      expect_same_state(a, ascending, other);
      EXPECT_EQ(other.counters().phases, ascending.counters().phases);
    }
  }
}

// Copies what a device would hand over.
void hand_over(const CsrMatrix& a, HostMatching& from, HostMatching& to) {
  std::copy_n(from.arrays().cost, a.pattern.nnz(), to.arrays().cost);
  std::copy_n(from.arrays().columns, a.pattern.n_rows, to.arrays().columns);
  std::copy_n(from.arrays().column_of_row, a.pattern.n_rows, to.arrays().column_of_row);
  std::copy_n(from.arrays().cost_of_row, a.pattern.n_rows, to.arrays().cost_of_row);
}

TEST(MatchSteps, EndTheSameWayWhereverAnotherTeamTakesOver) {
  int handed_over = 0;
  for (const auto& [name, a] : perfect_matrices()) {
    SCOPED_TRACE(name);
    HostMatching whole(a);
    whole.find(unlimited_rules());
    for (const int rounds : {1, 7, 40}) {
      MatchRules rules = unlimited_rules();
      rules.rounds = rounds;
      HostMatching begun(a);
      begun.find(rules);
      if (begun.counters().end == MatchEnd::perfect) continue;
      ASSERT_EQ(begun.counters().end, MatchEnd::long_paths);
      HostMatching ended(a);
      hand_over(a, begun, ended);
      ended.finish(begun.counters(), unlimited_rules());
      ASSERT_EQ(ended.counters().end, MatchEnd::perfect);
      expect_same_state(a, whole, ended);
      ++handed_over;
    }
  }
  EXPECT_GT(handed_over, 10);
}

TEST(MatchSteps, StopAtLongThinSearches) {
  const CsrMatrix a = testing::long_path(4000);
  HostMatching found(a);
  found.find({});
  EXPECT_EQ(found.counters().end, MatchEnd::long_paths);
  EXPECT_EQ(found.counters().thin_rounds, MatchRules().thin_rounds + 1);
}

TEST(MatchSteps, LeaveEqualCostsThatBidsDoNotSettle) {
  const CsrMatrix hard = testing::random_matrix(3000, 2, 0, true, 3);
  HostMatching found(hard);
  found.find({});
  EXPECT_EQ(found.counters().end, MatchEnd::equal_costs);
  const CsrMatrix easy = testing::random_matrix(3000, 0, 0, true, 3);
  HostMatching settled(easy);
  settled.find({});
  EXPECT_EQ(settled.counters().end, MatchEnd::perfect);
}

TEST(MatchSteps, CountTheStructuralRank) {
  for (const auto& [name, matrix] : deficient_matrices()) {
    SCOPED_TRACE(name);
    const auto& [a, rank] = matrix;
    HostMatching found(a);
    found.find(unlimited_rules());
    EXPECT_EQ(found.counters().end, MatchEnd::deficient);
    EXPECT_EQ(a.pattern.n_rows - found.counters().free_rows, rank);
  }
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const CsrMatrix a = testing::random_matrix(400, 1.2, 3, false, 600 + seed);
    std::vector<Warning> warnings;
    HostMatching found(a);
    found.find(unlimited_rules());
    EXPECT_EQ(400 - found.counters().free_rows, mc64(a, true, warnings).structural_rank);
  }
}

TEST(MatchSteps, TellOfValuesThatAreNotFinite) {
  for (const double bad :
       {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
        std::numeric_limits<double>::quiet_NaN()}) {
    CsrMatrix a = testing::grid_matrix(5, 5);
    a.values[17] = bad;
    HostMatching found(a);
    found.find({});
    EXPECT_EQ(found.counters().end, MatchEnd::values_not_finite);
  }
}

TEST(MatchSteps, WarnOfScalesBeyondDouble) {
  testing::Cells cells;
  for (Index k = 0; k < 5; ++k) cells[{k, k}] = 1e-300;
  for (Index k = 0; k + 1 < 5; ++k) cells[{k, k + 1}] = 1e300;
  const CsrMatrix a = testing::matrix_of(5, cells);
  HostMatching found(a);
  found.find(unlimited_rules());
  std::vector<Warning> warnings;
  const Matching matching = found.result(warnings);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings[0].code, "scaling_clamped");
  for (std::size_t k = 0; k < 5; ++k) {
    EXPECT_TRUE(std::isnormal(matching.row_scale[k]) && std::isnormal(matching.col_scale[k]));
  }
}

TEST(MatchSteps, MatchRealMatrices) {
  const char* const data = std::getenv("LUFACT_TEST_DATA");
  if (data == nullptr) GTEST_SKIP() << "LUFACT_TEST_DATA is not set";
  for (const std::string& path : testing::matrix_files(data)) {
    SCOPED_TRACE(path);
    const CsrMatrix a = read_matrix(path, {}).matrix;
    HostMatching found(a);
    found.find(unlimited_rules());
    expect_optimal(a, found);
  }
}

TEST(Logarithms, AreThoseOfTheLibrary) {
  testing::Draws draws(1);
  for (int k = 0; k < 200000; ++k) {
    const double value = std::pow(2.0, 2097 * draws.unit() - 1074);
    if (value == 0) continue;
    const double units = std::log2(value) * (1 << log_bits);
    ASSERT_NEAR(fixed_log2(value), units, 0.51) << value;
  }
  for (int exponent = -1074; exponent < 1024; ++exponent) {
    EXPECT_EQ(fixed_log2(std::ldexp(1.0, exponent)), exponent * (1 << log_bits));
  }
  for (int k = 0; k < 100000; ++k) {
    const auto x = static_cast<float>(-39 * draws.unit());
    ASSERT_NEAR(power_of_two(x) / std::exp2(x), 1, 1e-6) << x;
  }
  EXPECT_EQ(power_of_two(0), 1);
}

TEST(DistanceBuckets, CoverAllDistancesInOrder) {
  Units from = 0;
  for (int bucket = 0; bucket < DistanceBuckets::count - 24; ++bucket) {
    if (bucket >= 8 && bucket < 24) continue;
    const Units last = DistanceBuckets::last(bucket);
    ASSERT_EQ(DistanceBuckets::of(from), bucket);
    ASSERT_EQ(DistanceBuckets::of(last), bucket);
    from = last + 1;
  }
  EXPECT_GT(from, LabelShape(1).longest());
}

TEST(LabelShape, KeepsWhatItIsGiven) {
  for (const Index n : {1, 2, 3, 1000, 1 << 18, most_rows - 1}) {
    const LabelShape shape(n);
    EXPECT_GE(shape.longest(), 200000) << n;
    const Word label = shape.label(shape.longest(), static_cast<Word>(n), n - 1);
    EXPECT_LT(label, unreached);
    EXPECT_EQ(shape.distance(label), shape.longest());
    EXPECT_EQ(shape.hops(label), static_cast<Word>(n));
    EXPECT_EQ(shape.row(label), n - 1);
    EXPECT_TRUE(shape.same_place(label, shape.renamed(label, 0)));
  }
}

}  // namespace
}  // namespace lufact::gpu
