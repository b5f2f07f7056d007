// SPDX-License-Identifier: BSD-3-Clause
// Pivot blocks of fronts are what elimination begins with: the product of their determinants is
// that of the matrix.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/fronts/numeric/pivot_blocks.hpp"
#include "core/fronts/test/host_fronts.hpp"

namespace lufact {
namespace {

using namespace test;

// log |det|, of a matrix by columns, by elimination with partial pivoting.
double log_determinant(std::vector<double> a, Index n) {
  const auto entry = [&](Index i, Index j) -> double& { return a[at(i + Offset{j} * n)]; };
  double sum = 0;
  for (Index k = 0; k < n; ++k) {
    Index pivot = k;
    for (Index i = k + 1; i < n; ++i) {
      if (std::abs(entry(i, k)) > std::abs(entry(pivot, k))) pivot = i;
    }
    for (Index j = 0; j < n; ++j) std::swap(entry(k, j), entry(pivot, j));
    sum += std::log(std::abs(entry(k, k)));
    for (Index i = k + 1; i < n; ++i) {
      const double factor = entry(i, k) / entry(k, k);
      for (Index j = k; j < n; ++j) entry(i, j) -= factor * entry(k, j);
    }
  }
  return sum;
}

// row_scale B col_scale.
std::vector<double> dense(const PermutedMatrix& b) {
  const Index n = b.pattern.n_rows;
  std::vector<double> a(at(Offset{n} * n), 0);
  for (Index i = 0; i < n; ++i) {
    for (Offset p = b.pattern.row_ptr[at(i)]; p < b.pattern.row_ptr[at(i) + 1]; ++p) {
      const Index j = b.pattern.col_idx[at(p)];
      a[at(i + Offset{j} * n)] = b.row_scale[at(i)] * b.values[at(p)] * b.col_scale[at(j)];
    }
  }
  return a;
}

PivotBlocks blocks_of(Fronts& fronts, Index largest) {
  return pivot_blocks(fronts.b, fronts.tree_product, fronts.schedule_product, largest,
                      fronts.harness.context);
}

double log_determinant(const PivotBlocks& blocks) {
  double sum = 0;
  auto begin = blocks.values.begin();
  for (const Index n : blocks.order) {
    const auto end = begin + Offset{n} * n;
    sum += log_determinant({begin, end}, n);
    begin = end;
  }
  EXPECT_EQ(begin, blocks.values.end());
  return sum;
}

TEST(PivotBlocks, TheirDeterminantsMultiplyToThatOfTheMatrix) {
  for (const Index n : {1, 7, 40, 90, 250}) {
    for (const Index row : {2, 5}) {
      SCOPED_TRACE(n);
      const auto b = scaled_product(random_matrix(n, row, 3));
      const double expected = log_determinant(dense(*b), n);
      for (const int threads : {1, 3}) {
        for (const Pivoting pivoting : {Pivoting::fixed_rows, Pivoting::diagonal_block}) {
          Fronts fronts(b, threads, {Precision::float64, pivoting});
          const PivotBlocks blocks = blocks_of(fronts, n);
          EXPECT_EQ(blocks.left_out, 0);
          EXPECT_NEAR(log_determinant(blocks), expected, 1e-8 * n);
        }
      }
    }
  }
}

// Large enough that several threads share fronts.
TEST(PivotBlocks, AreTheSameForAnyNumberOfThreads) {
  const auto b = scaled_product(random_matrix(900, 2, 23));
  Fronts one(b, 1), three(b, 3);
  const PivotBlocks all = blocks_of(one, 900);
  EXPECT_EQ(all.values, blocks_of(three, 900).values);
  const PivotBlocks small = blocks_of(three, 16);
  const auto larger = std::ranges::count_if(all.order, [](Index n) { return n > 16; });
  EXPECT_GT(larger, 0);
  EXPECT_EQ(small.left_out, larger);
  EXPECT_EQ(small.order.size() + at(larger), all.order.size());
  EXPECT_THAT(small.order, testing::Each(testing::Le(16)));
}

}  // namespace
}  // namespace lufact
