// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/base/error.hpp"
#include "core/match/mc64.hpp"
#include "core/match/scaling_stages.hpp"
#include "core/match/test/dense_assignment.hpp"
#include "core/order/test/preprocess_fixtures.hpp"

namespace lufact {
namespace {

using testing::Cells;
using testing::matrix_of;
using testing::random_matrix;

// -log |a_ij| as a dense matrix by rows; +infinity where there is no nonzero.
std::vector<double> dense_costs(const CsrMatrix& a) {
  const Index n = a.pattern.n_rows;
  std::vector<double> costs(static_cast<std::size_t>(n) * static_cast<std::size_t>(n),
                            std::numeric_limits<double>::infinity());
  for (Index i = 0; i < n; ++i) {
    for (Offset p = a.pattern.row_ptr[i]; p < a.pattern.row_ptr[i + 1]; ++p) {
      costs[i * n + a.pattern.col_idx[p]] = -std::log(std::abs(a.values[p]));
    }
  }
  return costs;
}

double objective(const CsrMatrix& a, const Matching& matching) {
  const std::vector<double> costs = dense_costs(a);
  double sum = 0;
  for (Index j = 0; j < a.pattern.n_rows; ++j) {
    sum += costs[matching.rows.old_of_new()[j] * a.pattern.n_rows + j];
  }
  return sum;
}

// Feasible scales that are tight on a perfect matching: the proof that its product is largest.
// In logarithms, so that no product of extreme numbers overflows.
void expect_optimal(const CsrMatrix& a, const Matching& matching, double tolerance) {
  const Index n = a.pattern.n_rows;
  ASSERT_EQ(matching.rows.size(), n);
  EXPECT_EQ(matching.structural_rank, n);
  for (Index i = 0; i < n; ++i) {
    ASSERT_TRUE(std::isnormal(matching.row_scale[i]) && matching.row_scale[i] > 0);
    ASSERT_TRUE(std::isnormal(matching.col_scale[i]) && matching.col_scale[i] > 0);
    const Index own = matching.rows.new_of_old()[i];
    bool matched_present = false;
    for (Offset p = a.pattern.row_ptr[i]; p < a.pattern.row_ptr[i + 1]; ++p) {
      if (a.values[p] == 0) continue;
      const Index j = a.pattern.col_idx[p];
      const double log_scaled = std::log(matching.row_scale[i]) + std::log(std::abs(a.values[p])) +
                                std::log(matching.col_scale[j]);
      ASSERT_LE(log_scaled, tolerance) << "entry " << i << ", " << j;
      if (j != own) continue;
      matched_present = true;
      ASSERT_NEAR(log_scaled, 0, tolerance) << "matched entry " << i << ", " << j;
    }
    ASSERT_TRUE(matched_present) << "row " << i;
  }
}

Matching match(const CsrMatrix& a, bool allow_singular = false) {
  std::vector<Warning> warnings;
  Matching result = mc64(a, allow_singular, warnings);
  EXPECT_TRUE(warnings.empty());
  return result;
}

TEST(Mc64, MatchesTheBestOfAllPermutationsOfSmallMatrices) {
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    const auto n = static_cast<Index>(1 + seed % 8);
    const CsrMatrix a = random_matrix(n, 2.5, 3, true, seed);
    const Matching matching = match(a);
    expect_optimal(a, matching, 1e-12);
    const std::vector<double> costs = dense_costs(a);
    std::vector<Index> row_of_column(static_cast<std::size_t>(n));
    std::iota(row_of_column.begin(), row_of_column.end(), 0);
    double best = std::numeric_limits<double>::infinity();
    do {
      double sum = 0;
      for (Index j = 0; j < n; ++j) sum += costs[row_of_column[j] * n + j];
      best = std::min(best, sum);
    } while (std::next_permutation(row_of_column.begin(), row_of_column.end()));
    EXPECT_NEAR(objective(a, matching), best, 1e-11) << "seed " << seed;
  }
}

TEST(Mc64, HasTheObjectiveOfADenseAssignmentSolver) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto n = static_cast<Index>(50 + seed % 20);
    const CsrMatrix a = random_matrix(n, 1 + static_cast<double>(seed % 7), 4, true, 1000 + seed);
    const Matching matching = match(a);
    expect_optimal(a, matching, 1e-12);
    EXPECT_NEAR(objective(a, matching), testing::least_assignment_cost(n, dense_costs(a)), 1e-9)
        << "seed " << seed;
  }
}

TEST(Mc64, ProvesItsOptimumOnLargerRandomMatrices) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const auto n = static_cast<Index>(200 + 300 * seed);
    const CsrMatrix a = random_matrix(n, 1 + static_cast<double>(seed % 4), 6, true, 2000 + seed);
    expect_optimal(a, match(a), 1e-12);
  }
}

void expect_same_for_every_number_of_threads(const CsrMatrix& a, bool allow_singular) {
  const Matching one = match(a, allow_singular);
  for (const int threads : {2, 3, 8}) {
    std::vector<Warning> warnings;
    const Matching many = mc64(a, allow_singular, warnings, threads);
    EXPECT_TRUE(std::ranges::equal(one.rows.old_of_new(), many.rows.old_of_new()));
    EXPECT_EQ(one.row_scale, many.row_scale);
    EXPECT_EQ(one.col_scale, many.col_scale);
    EXPECT_EQ(one.structural_rank, many.structural_rank);
  }
}

TEST(Mc64, IsTheSameForEveryNumberOfThreads) {
  CsrMatrix symmetric = testing::grid_matrix(120, 120);
  for (std::size_t k = 0; k < symmetric.values.size(); k += 1000) symmetric.values[k] *= 100;
  for (const CsrMatrix& a :
       {random_matrix(9000, 4, 6, true, 77), testing::grid_matrix(120, 120), symmetric}) {
    expect_optimal(a, match(a), 1e-12);
    expect_same_for_every_number_of_threads(a, false);
  }
  expect_same_for_every_number_of_threads(random_matrix(12000, 2, 6, false, 78), true);
}

// Rows of about equal length, columns of very unequal length. The searches take long, and are fewer
// from the side whose vertices have short lists.
CsrMatrix skewed_matrix(Index n, std::uint64_t seed) {
  testing::Draws draws(seed);
  const auto value = [&] { return std::pow(100.0, 2 * draws.unit() - 1); };
  const std::vector<Index> hidden = testing::random_labels(n, draws);
  Cells cells;
  for (Index i = 0; i < n; ++i) {
    cells[{i, hidden[i]}] = value();
    for (Index k = 0; k < 2; ++k) {
      const double unit = draws.unit();
      cells[{i, static_cast<Index>(n * unit * unit * unit * unit)}] = value();
    }
  }
  return matrix_of(n, cells);
}

TEST(Mc64, LongSearchesFromEitherSideEndAtTheOptimum) {
  const CsrMatrix a = skewed_matrix(13000, 4);
  ASSERT_GT(a.pattern.nnz(), 1 << 15);  // enough for threads
  for (const CsrMatrix& b : {a, transpose(a)}) {
    expect_optimal(b, match(b), 1e-12);
    expect_same_for_every_number_of_threads(b, false);
  }
  CsrMatrix singular = a;
  for (Offset p = a.pattern.row_ptr[12000]; p < a.pattern.row_ptr[12001]; ++p) {
    singular.values[p] = 0;
  }
  for (const CsrMatrix& b : {singular, transpose(singular)}) {
    EXPECT_EQ(match(b, true).structural_rank, 12999);
    expect_same_for_every_number_of_threads(b, true);
  }
  const CsrMatrix small = skewed_matrix(1200, 10);
  for (const CsrMatrix& b : {small, transpose(small)}) {
    EXPECT_NEAR(objective(b, match(b)), testing::least_assignment_cost(1200, dense_costs(b)), 1e-8);
  }
}

TEST(Mc64, ManyEqualMagnitudesAreNoTrouble) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const CsrMatrix a = random_matrix(150, 2, 0, true, 3000 + seed);
    expect_optimal(a, match(a), 1e-13);
  }
}

TEST(Mc64, SymmetricMatricesWithZeroBlocksAreMatched) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    testing::Draws draws(4000 + seed);
    Cells cells;
    for (Index k = 0; k < 60; ++k) {
      cells[{k, k}] = 0.1 + draws.unit();
      cells[{60 + k, k}] = cells[{k, 60 + k}] = 10 * draws.unit() + 0.01;
      const Index other = draws.below(60);
      cells[{60 + k, other}] = cells[{other, 60 + k}] = 3 * draws.unit() + 0.01;
    }
    const CsrMatrix a = matrix_of(120, cells);
    expect_optimal(a, match(a), 1e-12);
  }
}

TEST(Mc64, KeepsTheDiagonalOfADominantMatrixWithSymmetricScales) {
  const CsrMatrix a = testing::grid_matrix(9, 7);
  const Matching matching = match(a);
  for (Index k = 0; k < 63; ++k) {
    EXPECT_EQ(matching.rows.old_of_new()[k], k);
    EXPECT_DOUBLE_EQ(matching.row_scale[k], 0.5);
    EXPECT_DOUBLE_EQ(matching.col_scale[k], 0.5);
  }
}

TEST(Mc64, PrefersTheDiagonalAmongEqualProducts) {
  Cells cells;
  for (Index i = 0; i < 20; ++i) {
    for (Index j = 0; j < 20; ++j) cells[{i, j}] = i < j ? -2 : 2;
  }
  const Matching matching = match(matrix_of(20, cells));
  for (Index k = 0; k < 20; ++k) EXPECT_EQ(matching.rows.old_of_new()[k], k);
}

TEST(Mc64, EmptyAndOneByOneMatricesAreMatched) {
  const Matching empty = match(matrix_of(0, {}));
  EXPECT_EQ(empty.rows.size(), 0);
  EXPECT_EQ(empty.structural_rank, 0);
  const CsrMatrix one = matrix_of(1, {{{0, 0}, -8.0}});
  expect_optimal(one, match(one), 1e-15);
}

TEST(Mc64, ExplicitZerosCountAsAbsent) {
  const CsrMatrix a = matrix_of(
      3,
      {{{0, 0}, 0.0}, {{0, 1}, 1e-9}, {{1, 0}, 1e-9}, {{1, 1}, 0.0}, {{1, 2}, 5.0}, {{2, 2}, 1.0}});
  const Matching matching = match(a);
  expect_optimal(a, matching, 1e-13);
  EXPECT_EQ(matching.rows.old_of_new()[0], 1);
  EXPECT_EQ(matching.rows.old_of_new()[1], 0);
  const CsrMatrix zero = matrix_of(1, {{{0, 0}, 0.0}});
  std::vector<Warning> warnings;
  EXPECT_THROW(mc64(zero, false, warnings), Error);
}

TEST(Mc64, ValuesSpreadOver600DecadesKeepTheInvariantsOrWarn) {
  int unclamped = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const CsrMatrix a = random_matrix(30, 1.5, seed < 20 ? 100 : 300, true, 5000 + seed);
    std::vector<Warning> warnings;
    const Matching matching = mc64(a, false, warnings);
    for (Index k = 0; k < 30; ++k) {
      ASSERT_TRUE(std::isnormal(matching.row_scale[k]) && std::isnormal(matching.col_scale[k]));
    }
    EXPECT_NEAR(objective(a, matching), testing::least_assignment_cost(30, dense_costs(a)), 1e-8);
    if (!warnings.empty()) {
      EXPECT_EQ(warnings.front().code, "scaling_clamped");
      continue;
    }
    ++unclamped;
    expect_optimal(a, matching, 1e-11);
  }
  EXPECT_GT(unclamped, 10);
}

TEST(Mc64, ScalesBeyondDoubleAreClampedWithAWarning) {
  // A chain of tight entries that asks the scales of one side to span 10^2400.
  Cells cells;
  for (Index k = 0; k < 5; ++k) cells[{k, k}] = 1e-300;
  for (Index k = 0; k + 1 < 5; ++k) cells[{k, k + 1}] = 1e300;
  std::vector<Warning> warnings;
  const Matching matching = mc64(matrix_of(5, cells), false, warnings);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].code, "scaling_clamped");
  for (Index k = 0; k < 5; ++k) {
    EXPECT_TRUE(std::isnormal(matching.row_scale[k]));
    EXPECT_TRUE(std::isnormal(matching.col_scale[k]));
  }
}

TEST(Mc64, NamesTheUnmatchedRowsAndColumns) {
  // Rows 2 and 4 (from 1) share their only column 3; column 5 is empty.
  const CsrMatrix a = matrix_of(
      5,
      {{{0, 0}, 1.0}, {{1, 2}, 1.0}, {{2, 1}, 1.0}, {{3, 2}, 2.0}, {{4, 3}, 1.0}, {{4, 0}, 1.0}});
  std::vector<Warning> warnings;
  try {
    mc64(a, false, warnings);
    FAIL() << "a structurally singular matrix was matched";
  } catch (const Error& error) {
    EXPECT_EQ(error.outcome(), Outcome::singular_structural);
    EXPECT_EQ(error.code(), "structurally_singular");
    EXPECT_THAT(error.what(), ::testing::HasSubstr("structural rank is 4 but n is 5"));
    EXPECT_THAT(error.what(), ::testing::ContainsRegex("row\\(s\\) [24] and column\\(s\\) 5 "));
    EXPECT_THAT(error.what(), ::testing::HasSubstr("counted from 1"));
  }
}

TEST(Mc64, CompletesASingularMatrixWithScaleOneOnWhatIsUnmatched) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const CsrMatrix a = random_matrix(40, 1.2, 3, false, 6000 + seed);
    const Index rank = testing::largest_matching(a.pattern);
    std::vector<Warning> warnings;
    if (rank < 40) {
      EXPECT_THROW(mc64(a, false, warnings), Error);
    }
    const Matching matching = mc64(a, true, warnings);
    EXPECT_EQ(matching.structural_rank, rank) << "seed " << seed;
    ASSERT_EQ(matching.rows.size(), 40);
    std::vector<char> row_covered(40, 0), col_covered(40, 0);
    Index covered = 0;
    for (Index j = 0; j < 40; ++j) {
      const Index i = matching.rows.old_of_new()[j];
      const Offset p = find_entry(a.pattern.view(), i, j);
      const double scaled =
          p < 0 ? 0 : std::abs(matching.row_scale[i] * a.values[p] * matching.col_scale[j]);
      if (std::abs(scaled - 1) < 1e-12) {
        row_covered[i] = col_covered[j] = 1;
        ++covered;
      } else {
        EXPECT_EQ(matching.row_scale[i], 1);
        EXPECT_EQ(matching.col_scale[j], 1);
      }
    }
    EXPECT_GE(covered, rank) << "seed " << seed;
    for (Index i = 0; i < 40; ++i) {
      for (Offset p = a.pattern.row_ptr[i]; p < a.pattern.row_ptr[i + 1]; ++p) {
        const Index j = a.pattern.col_idx[p];
        if (!row_covered[i] || !col_covered[j]) continue;
        EXPECT_LE(std::abs(matching.row_scale[i] * a.values[p] * matching.col_scale[j]), 1 + 1e-12);
      }
    }
  }
}

TEST(Mc64, RefusesValuesThatAreNotFiniteAndMatricesThatAreNotSquare) {
  std::vector<Warning> warnings;
  for (const double bad :
       {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
        std::numeric_limits<double>::quiet_NaN()}) {
    for (const Index column : {0, 1}) {
      const CsrMatrix a = matrix_of(2, {{{0, 0}, 1.0}, {{1, column}, bad}});
      EXPECT_THROW(mc64(a, true, warnings), Error);
    }
  }
  CsrMatrix wide = matrix_of(2, {{{0, 0}, 1.0}});
  wide.pattern.n_cols = 3;
  EXPECT_THROW(mc64(wide, false, warnings), Error);
}

TEST(ScalingStages, AreNoneAndMc64AndRunThroughTheirInterface) {
  const CsrMatrix a = random_matrix(25, 2, 3, true, 1);
  const auto stages = scaling_stages();
  ASSERT_EQ(stages.size(), 2u);
  for (const auto& stage : stages) {
    testing::TestContext test;
    EXPECT_TRUE(stage->supported(Machine{}).ok);
    EXPECT_FALSE(stage->info().description.empty());
    const Matching matching = stage->run(a, test.context);
    EXPECT_EQ(matching.structural_rank, 25);
    ASSERT_EQ(matching.row_scale.size(), 25u);
    ASSERT_EQ(matching.col_scale.size(), 25u);
    if (stage->info().name == "mc64") {
      expect_optimal(a, matching, 1e-12);
    } else {
      EXPECT_EQ(stage->info().name, "none");
      for (Index k = 0; k < 25; ++k) EXPECT_EQ(matching.rows.old_of_new()[k], k);
    }
  }
}

}  // namespace
}  // namespace lufact
