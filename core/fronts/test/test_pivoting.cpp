// SPDX-License-Identifier: BSD-3-Clause
// Row exchanges inside diagonal blocks, where static pivoting perturbs or lets entries grow: the
// factors of the sequential twin, usable solutions, the same bits for any number of threads.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/fronts/test/host_fronts.hpp"
#include "core/reference/front_elimination.hpp"
#include "core/verify/front_growth.hpp"
#include "core/verify/validate_fronts.hpp"

namespace lufact {
namespace {

using namespace test;

constexpr HostFrontVariant in_double{Precision::float64, Pivoting::diagonal_block};
constexpr HostFrontVariant in_float{Precision::float32, Pivoting::diagonal_block};

// A chain of dense blocks of `width` rows, each coupled with the next. With `swapped`, rows 2k and
// 2k + 1, each of which is dominant in its own column, have changed places, and diagonals are zero.
CsrMatrix block_chain(Index blocks, Index width, bool swapped) {
  std::vector<Triplet> entries;
  const Index n = blocks * width;
  for (Index i = 0; i < n; ++i) {
    const Index own = swapped ? (i % 2 == 0 ? i + 1 : i - 1) : -1;
    const Index block = i / width;
    for (Index j = block * width; j < std::min(n, (block + 2) * width); ++j) {
      const auto row = static_cast<std::uint64_t>(i), column = static_cast<std::uint64_t>(j);
      if (swapped && i == j) continue;
      const double value = symmetric_interval(hash64(width, row, column));
      entries.push_back({i, j, j == own ? 3.0 * width : value});
      if (j / width != block) {
        entries.push_back({j, i, symmetric_interval(hash64(width, column, row))});
      }
    }
  }
  return matrix_from_triplets(n, std::move(entries));
}

std::vector<NamedMatrix> swapped_matrices() {
  std::vector<NamedMatrix> list;
  for (const Index width : {2, 4, 6, 10, 16, 30, 32, 48, 64, 66, 100, 130, 200}) {
    list.push_back({"swapped " + std::to_string(width), block_chain(5, width, true)});
  }
  list.push_back({"swapped, many", block_chain(120, 8, true)});
  return list;
}

TaskGraph graph_of(Fronts& fronts) {
  return product_cast<TaskGraph>(
      *make_task_graph_levelize()->run(fronts.tree_product, fronts.harness.context));
}

void check_with_twin(const CsrMatrix& matrix, const HostFrontVariant& variant) {
  Fronts fronts(scaled_product(matrix), 1, variant);
  const TaskGraph graph = graph_of(fronts);
  const auto expected = reference::eliminate_fronts(
      *fronts.b, fronts.tree(), graph, fronts.harness.options.pivot_threshold, variant.pivoting);
  const FactorFigures figures = fronts.factor().factors->figures();
  EXPECT_GT(expected.exchanged_rows, 0);
  EXPECT_EQ(figures.exchanged_rows, expected.exchanged_rows);
  EXPECT_EQ(figures.perturbed_pivots, 0);
  EXPECT_EQ(fronts.front_factors().row_sources(), expected.row_sources);
  expect_close(fronts.front_factors().stored_values(), expected.values, variant.tolerance());
  for (const Index columns : {1, 4, 6}) {
    std::vector<double> x = random_vector(fronts.tree().n, columns);
    const std::vector<double> actual = fronts.solve(x);
    reference::solve_fronts(fronts.tree(), graph.shape, expected.values, expected.row_sources, x,
                            columns);
    expect_close(actual, x, variant.tolerance());
  }
}

// ||b - S x|| / (||S|| ||x|| + ||b||) for one right-hand side.
double backward_error(Fronts& fronts) {
  const PermutedMatrix& b = *fronts.b;
  const std::vector<double> rhs = random_vector(fronts.tree().n, 1), x = fronts.solve(rhs);
  double error = 0, x_norm = 0;
  for (std::size_t i = 0; i < rhs.size(); ++i) {
    double r = rhs[i];
    for (Offset p = b.pattern.row_ptr[i]; p < b.pattern.row_ptr[i + 1]; ++p) {
      const std::size_t j = at(b.pattern.col_idx[at(p)]);
      r -= b.row_scale[i] * b.values[at(p)] * b.col_scale[j] * x[j];
    }
    error = std::max(error, std::abs(r));
    x_norm = std::max(x_norm, std::abs(x[i]));
  }
  return error / (b.scaled_norm * x_norm + 1);
}

TEST(DiagonalBlockPivoting, GivesTheTwinsFactorsAndSolutionsWhereRowsAreExchanged) {
  for (const NamedMatrix& named : swapped_matrices()) {
    for (const HostFrontVariant& variant : {in_double, in_float}) {
      SCOPED_TRACE(named.name + " " + variant.name());
      check_with_twin(named.matrix, variant);
    }
  }
}

TEST(DiagonalBlockPivoting, GivesTheSameBitsForAnyNumberOfThreads) {
  for (const HostFrontVariant& variant : {in_double, in_float}) {
    expect_same_bits(block_chain(120, 8, true), variant);
    expect_same_bits(block_chain(6, 250, true), variant);  // threads share fronts
  }
}

TEST(DiagonalBlockPivoting, NeedsNoPerturbationWhereStaticPivotingDoes) {
  for (const NamedMatrix& named : swapped_matrices()) {
    SCOPED_TRACE(named.name);
    const auto b = scaled_product(named.matrix);
    Fronts fixed(b, 1), exchanging(b, 1, in_double);
    EXPECT_GT(fixed.factor().factors->figures().perturbed_pivots, 0);
    EXPECT_FALSE(fixed.factors->figures().exchanged_rows);
    EXPECT_EQ(exchanging.factor().factors->figures().perturbed_pivots, 0);
    EXPECT_LT(*exchanging.factors->figures().growth, 4);
    EXPECT_LT(backward_error(exchanging), 1e-14);
  }
}

TEST(DiagonalBlockPivoting, BoundsTheGrowthInMatricesOfRandomSigns) {
  for (const Index width : {8, 20, 64, 128}) {
    SCOPED_TRACE(width);
    const auto b = scaled_product(block_chain(1, width, false));
    Fronts fixed(b, 1), exchanging(b, 1, in_double);
    fixed.factor();
    exchanging.factor();
    EXPECT_LT(*exchanging.factors->figures().growth, *fixed.factors->figures().growth);
    EXPECT_EQ(exchanging.factors->figures().perturbed_pivots, 0);
    EXPECT_LT(backward_error(exchanging), width <= tile_order ? 1e-15 : 1e-12);
  }
}

// Of an engine that does not watch growth the validator finds that of U.
void check_without_watched_growth(const CsrMatrix& matrix, Pivoting pivoting, double& most) {
  Fronts fronts(scaled_product(matrix), 2, {Precision::float64, pivoting});
  const FrontFactors& factors = fronts.factor().front_factors();
  const std::vector<FrontShape> shapes = factors.shapes();
  std::vector<double> values = factors.stored_values();
  FactorFigures figures = factors.figures();
  const double growth = growth_of_u(*fronts.b, shapes, values);
  EXPECT_GE(growth, 1 - 1e-9);  // the first row of S, or one that has grown
  EXPECT_LE(growth, *figures.growth * (1 + 1e-6));
  most = std::max(most, growth);
  figures.growth.reset();
  const auto verdict = [&] {
    return validate_front_factors(*fronts.b, fronts.tree(), shapes, values, factors.row_sources(),
                                  figures);
  };
  EXPECT_TRUE(verdict().passed) << verdict().message;
  for (const Offset place : reciprocal_places(shapes, fronts.tree().n)) {
    if (place % 7 == 0) values[at(place)] *= 1.01;
  }
  EXPECT_FALSE(verdict().passed);
}

TEST(DiagonalBlockPivoting, ValidatorFindsTheGrowthThatNobodyWatched) {
  double most = 0;
  for (const Index width : {7, 20, 64, 128, 200}) {
    for (const Index blocks : {1, 4}) {
      SCOPED_TRACE(std::to_string(blocks) + " blocks of " + std::to_string(width));
      const CsrMatrix matrix = block_chain(blocks, width, false);
      check_without_watched_growth(matrix, Pivoting::fixed_rows, most);
      check_without_watched_growth(matrix, Pivoting::diagonal_block, most);
    }
  }
  EXPECT_GT(most, 1000);
}

TEST(DiagonalBlockPivoting, PassesTheValidatorWhichMissesTheExchangesWhereTheyAreLost) {
  for (const Index width : {10, 100}) {
    Fronts fronts(scaled_product(block_chain(4, width, true)), 2, in_double);
    fronts.factor();
    const FrontFactors& factors = fronts.front_factors();
    const auto verdict = [&](const std::vector<std::uint8_t>& sources) {
      return validate_front_factors(*fronts.b, fronts.tree(), factors.shapes(),
                                    factors.stored_values(), sources, factors.figures());
    };
    std::vector<std::uint8_t> sources = factors.row_sources();
    EXPECT_TRUE(verdict(sources).passed) << verdict(sources).message;
    const auto moved = std::find(sources.begin(), sources.end(), std::uint8_t{1});
    EXPECT_EQ(moved == sources.end(), width == 100);  // in tiles: nothing is stored apart
    if (moved == sources.end()) continue;
    std::swap(moved[0], moved[1]);
    EXPECT_FALSE(verdict(sources).passed);
    EXPECT_FALSE(verdict({}).passed);
  }
}

// Other values, other exchanges.
TEST(DiagonalBlockPivoting, RefactorizationsChooseTheirOwnRows) {
  for (const Index width : {10, 100}) {
    const auto b = scaled_product(block_chain(4, width, true));
    auto changed = std::make_shared<PermutedMatrix>(*b);
    for (std::size_t p = 0; p < changed->values.size(); ++p) {
      changed->values[p] = symmetric_interval(hash64(37, p));
    }
    Fronts first(b, 2, in_double), second(changed, 2, in_double);
    const std::string before = first.factor().front_factors().values_sha256();
    first.factors->refactor(changed, first.harness.context);
    EXPECT_NE(first.front_factors().values_sha256(), before);
    EXPECT_EQ(first.front_factors().values_sha256(),
              second.factor().front_factors().values_sha256());
    EXPECT_EQ(first.factors->figures().exchanged_rows, second.factors->figures().exchanged_rows);
    first.factors->refactor(b, first.harness.context);
    EXPECT_EQ(first.front_factors().values_sha256(), before);
  }
}

TEST(DiagonalBlockPivoting, PerturbsWhatIsTinyInTheWholeBlock) {
  const auto b = natural_product(matrix_from_triplets(
      4, {{0, 0, 0.0}, {1, 1, 1.0}, {1, 2, 1.0}, {2, 1, 1.0}, {2, 2, 1.0}, {3, 3, 4.0}}));
  Fronts fronts(b, 1, in_double);
  const FactorFigures figures = fronts.factor().factors->figures();
  EXPECT_EQ(figures.perturbed_pivots, 2);
  EXPECT_EQ(figures.exchanged_rows, 0);
}

}  // namespace
}  // namespace lufact
