// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <stdexcept>

#include "core/matrix/test/failing_allocations.hpp"
#include "core/order/graph/elimination_tree.hpp"
#include "core/order/suitesparse_orderings.hpp"
#include "core/order/test/preprocess_fixtures.hpp"
#include "core/permute/permute.hpp"

namespace lufact {
namespace {

struct Parts {
  CsrMatrix a;
  Matching matching;
  Ordering ordering;
};

// A matrix with random permutations and scales, which need not be good ones.
Parts random_parts(Index n, std::uint64_t seed) {
  testing::Draws draws(seed + 500);
  Parts parts{.a = testing::random_matrix(n, 3, 2, false, seed), .matching = {}, .ordering = {}};
  parts.matching.rows = Permutation::from_old_of_new(testing::random_labels(n, draws));
  for (Index k = 0; k < n; ++k) {
    parts.matching.row_scale.push_back(0.5 + draws.unit());
    parts.matching.col_scale.push_back(0.5 + draws.unit());
  }
  parts.ordering.perm = Permutation::from_old_of_new(testing::random_labels(n, draws));
  return parts;
}

// Every field of B against its definition, entry by entry through A.
void expect_permuted(const Parts& parts, const PermutedMatrix& b) {
  const Index n = parts.a.pattern.n_rows;
  ASSERT_EQ(find_pattern_fault(b.pattern.view()), "");
  EXPECT_EQ(b.pattern.nnz(), parts.a.pattern.nnz() + b.missing_diagonals_added);
  double norm = 0;
  Index added = 0;
  for (Index i = 0; i < n; ++i) {
    const Index row = b.rows.old_of_new()[i];
    EXPECT_EQ(row, parts.matching.rows.old_of_new()[parts.ordering.perm.old_of_new()[i]]);
    EXPECT_EQ(b.row_scale[i], parts.matching.row_scale[row]);
    EXPECT_EQ(b.cols.old_of_new()[i], parts.ordering.perm.old_of_new()[i]);
    EXPECT_EQ(b.col_scale[i], parts.matching.col_scale[b.cols.old_of_new()[i]]);
    EXPECT_GE(find_entry(b.pattern.view(), i, i), 0);
    double sum = 0;
    for (Offset p = b.pattern.row_ptr[i]; p < b.pattern.row_ptr[i + 1]; ++p) {
      const Index j = b.pattern.col_idx[p];
      const Offset source = find_entry(parts.a.pattern.view(), row, b.cols.old_of_new()[j]);
      EXPECT_EQ(b.source[p], source);
      EXPECT_EQ(b.values[p], source < 0 ? 0 : parts.a.values[source]);
      if (source < 0) {
        EXPECT_EQ(i, j);
        ++added;
      }
      sum += std::abs(b.row_scale[i] * b.values[p] * b.col_scale[j]);
    }
    norm = std::max(norm, sum);
  }
  EXPECT_EQ(b.missing_diagonals_added, added);
  EXPECT_NEAR(b.scaled_norm, norm, 1e-14 * norm);
}

TEST(PermutedMatrix, HasEveryFieldAsDefined) {
  for (const Index n : {0, 1, 2, 31, 32, 33, 300}) {
    const Parts parts = random_parts(n, static_cast<std::uint64_t>(n));
    expect_permuted(parts, *build_permuted_matrix(parts.a, parts.matching, parts.ordering));
  }
}

// Long ones are sorted one way in few labels, another way in many.
TEST(PermutedMatrix, SortsRowsOfEveryLength) {
  for (const Index n : {100, 4000}) {
    Parts parts = random_parts(n, 6);
    parts.a.pattern.col_idx.clear();
    parts.a.values.clear();
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j <= i % 100; ++j) {
        parts.a.pattern.col_idx.push_back(j * (n / 100));
        parts.a.values.push_back(100 * i + j + 1);
      }
      parts.a.pattern.row_ptr[i + 1] = static_cast<Offset>(parts.a.values.size());
    }
    expect_permuted(parts, *build_permuted_matrix(parts.a, parts.matching, parts.ordering));
  }
}

TEST(PermutedMatrix, IsTheSameWithThreads) {
  const Parts parts = random_parts(6000, 9);  // enough rows for the parallel path
  expect_permuted(parts, *build_permuted_matrix(parts.a, parts.matching, parts.ordering));
}

TEST(PermutedMatrix, IsLaidOutWithoutItsEntriesWhichCanBePlacedLater) {
  for (const Index n : {0, 1, 33, 300}) {
    const Parts parts = random_parts(n, 50 + static_cast<std::uint64_t>(n));
    const auto b = lay_out_permuted_matrix(parts.a, parts.matching, parts.ordering);
    EXPECT_EQ(b->unplaced, &parts.a);
    EXPECT_TRUE(b->pattern.col_idx.empty() && b->values.empty() && b->source.empty());
    EXPECT_EQ(b->pattern.nnz(), parts.a.pattern.nnz() + b->missing_diagonals_added);
    EXPECT_EQ(b->scaled_norm, 0);
    place_entries(*b);
    EXPECT_EQ(b->unplaced, nullptr);
    expect_permuted(parts, *b);
    place_entries(*b);  // which have been placed
    expect_permuted(parts, *b);
  }
}

TEST(PermutedMatrix, TakesNewValuesInItsPattern) {
  Parts parts = random_parts(120, 3);
  const auto b = build_permuted_matrix(parts.a, parts.matching, parts.ordering);
  const double norm = b->scaled_norm;
  for (double& value : parts.a.values) value *= -3;
  replace_values(*b, parts.a.values);
  expect_permuted(parts, *b);
  EXPECT_NEAR(b->scaled_norm, 3 * norm, 1e-12 * b->scaled_norm);
  parts.a.values.pop_back();
  EXPECT_THROW(replace_values(*b, parts.a.values), std::invalid_argument);
}

// Row i has the first lengths[i] columns.
Parts parts_of_lengths(const std::vector<Index>& lengths) {
  Parts parts = random_parts(static_cast<Index>(lengths.size()), 8);
  parts.a.pattern.col_idx.clear();
  parts.a.values.clear();
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    for (Index j = 0; j < lengths[i]; ++j) {
      parts.a.pattern.col_idx.push_back(j);
      parts.a.values.push_back(1.0 / (1.0 + static_cast<double>(i) + 3 * j));
    }
    parts.a.pattern.row_ptr[i + 1] = static_cast<Offset>(parts.a.values.size());
  }
  return parts;
}

// The sums of piece, window and row that are open are closed where the next entry needs others.
double norm_by_positions(const PermutedMatrix& b) {
  double norm = 0;
  for (Index i = 0; i < b.pattern.n_rows; ++i) {
    double row = 0, window = 0, piece = 0;
    for (Offset p = b.pattern.row_ptr[i]; p < b.pattern.row_ptr[i + 1]; ++p) {
      piece += std::abs(b.values[p] * b.col_scale[b.pattern.col_idx[p]]);
      const bool last = p + 1 == b.pattern.row_ptr[i + 1];
      if (!last && (p + 1) % norm_piece != 0) continue;
      window += piece;
      piece = 0;
      if (!last && (p + 1) % norm_window != 0) continue;
      row += window;
      window = 0;
    }
    norm = std::max(norm, b.row_scale[i] * row);
  }
  return norm;
}

// Sums that round differently in another order.
TEST(PermutedMatrix, AddsRowsInPiecesAndWindows) {
  std::vector<std::vector<Index>> cases{{2100, 2, 1}, {20, 5000, 11}, {7}, {2047, 2049, 2048}};
  for (std::vector<Index>& lengths : cases) {
    const std::vector<Index> cycle = lengths;
    while (lengths.size() < 5000) lengths.push_back(cycle[lengths.size() % cycle.size()] % 30 + 1);
    Parts parts = parts_of_lengths(lengths);
    const auto b = build_permuted_matrix(parts.a, parts.matching, parts.ordering);
    EXPECT_EQ(b->scaled_norm, norm_by_positions(*b));
    for (double& value : parts.a.values) value = 1 / value;
    replace_values(*b, parts.a.values);
    EXPECT_EQ(b->scaled_norm, norm_by_positions(*b));
  }
}

TEST(PermutedMatrix, LeavesSumsThatAreNotNumbersOutOfTheNorm) {
  const Parts parts = random_parts(50, 12);
  const auto b = build_permuted_matrix(parts.a, parts.matching, parts.ordering);
  const double norm = b->scaled_norm;
  std::vector<double> values = parts.a.values;
  values[17] = std::nan("");
  replace_values(*b, values);
  EXPECT_LE(b->scaled_norm, norm);
  EXPECT_EQ(b->scaled_norm, norm_by_positions(*b));
  values[17] = -std::numeric_limits<double>::infinity();
  replace_values(*b, values);
  EXPECT_EQ(b->scaled_norm, std::numeric_limits<double>::infinity());
}

// Rows longer than any that was filled before need a longer workspace, within the region.
TEST(PermutedMatrix, LetsAFailedAllocationOutOfItsRegion) {
  const Parts parts = parts_of_lengths(std::vector<Index>(5000, 9));
  omp_set_num_threads(2);
  {
    const test::NoMemoryInRegions no_memory;
    EXPECT_THROW(build_permuted_matrix(parts.a, parts.matching, parts.ordering), std::bad_alloc);
  }
  expect_permuted(parts, *build_permuted_matrix(parts.a, parts.matching, parts.ordering));
}

TEST(PermutedMatrix, RefusesPartsOfDifferentSizes) {
  Parts parts = random_parts(10, 4);
  parts.ordering.perm = Permutation::identity(9);
  EXPECT_THROW(build_permuted_matrix(parts.a, parts.matching, parts.ordering),
               std::invalid_argument);
}

TEST(PermutedRows, MovesWholeRows) {
  const Parts parts = random_parts(40, 5);
  const CsrPattern pa = permuted_rows(parts.a, parts.matching.rows);
  EXPECT_EQ(find_pattern_fault(pa.view()), "");
  for (Index k = 0; k < 40; ++k) {
    EXPECT_TRUE(
        std::ranges::equal(pa.row(k), parts.a.pattern.row(parts.matching.rows.old_of_new()[k])));
  }
}

// The parent of k is the first row below k in column k of the factor of A + A'.
std::vector<Index> tree_by_elimination(const CsrPattern& a, const Permutation& perm) {
  const auto label = perm.new_of_old();
  std::vector<std::set<Index>> later(static_cast<std::size_t>(a.n_rows));
  for (Index i = 0; i < a.n_rows; ++i) {
    for (const Index j : a.row(i)) {
      if (i != j) later[std::min(label[i], label[j])].insert(std::max(label[i], label[j]));
    }
  }
  std::vector<Index> parent(later.size(), -1);
  for (std::size_t k = 0; k < later.size(); ++k) {
    if (later[k].empty()) continue;
    parent[k] = *later[k].begin();
    later[parent[k]].insert(std::next(later[k].begin()), later[k].end());
  }
  return parent;
}

TEST(EliminationTree, IsThatOfTheFactorOfThePermutedPattern) {
  for (const auto& [name, pattern] : testing::named_patterns()) {
    const Permutation natural = Permutation::identity(pattern.n_rows);
    EXPECT_EQ(elimination_tree(pattern, natural), tree_by_elimination(pattern, natural)) << name;
    const Permutation amd = amd_ordering(pattern);
    EXPECT_EQ(elimination_tree(pattern, amd), tree_by_elimination(pattern, amd)) << name;
  }
}

TEST(EliminationTree, IsTheSameForEveryNumberOfThreads) {
  for (const CsrPattern& pattern : {testing::grid_matrix(200, 150).pattern,
                                    testing::random_matrix(40000, 2, 0, true, 8).pattern}) {
    ASSERT_GE(pattern.nnz(), 100000);  // with fewer entries one thread makes the tree
    testing::Draws draws(3);
    for (const Permutation& perm :
         {Permutation::identity(pattern.n_rows),
          Permutation::from_old_of_new(testing::random_labels(pattern.n_rows, draws))}) {
      const std::vector<Index> one = elimination_tree(pattern, perm);
      for (const int threads : {2, 3, 8}) EXPECT_EQ(elimination_tree(pattern, perm, threads), one);
    }
  }
}

TEST(Postorder, VisitsSubtreesWithoutGaps) {
  for (const auto& [name, pattern] : testing::named_patterns()) {
    const Ordering composed = compose_postorder(pattern, {.perm = amd_ordering(pattern)});
    EXPECT_TRUE(composed.postordered);
    const std::vector<Index> parent = elimination_tree(pattern, composed.perm);
    EXPECT_EQ(composed.forest, parent) << name;
    const auto n = static_cast<Index>(parent.size());
    std::vector<Index> size(parent.size(), 1);
    for (Index k = 0; k < n; ++k) {
      if (parent[k] < 0) continue;
      ASSERT_GT(parent[k], k) << name;
      size[parent[k]] += size[k];
    }
    // In a postorder the subtree of k is k - size + 1 .. k: no label of it has a parent beyond k.
    for (Index k = 0; k < n; ++k) {
      for (Index inside = k - size[k] + 1; inside < k; ++inside) {
        ASSERT_TRUE(parent[inside] >= 0 && parent[inside] <= k) << name;
      }
    }
  }
}

TEST(Postorder, LeavesTheFillUnchanged) {
  for (const auto& [name, pattern] : testing::named_patterns()) {
    for (const Permutation& perm : {amd_ordering(pattern), Permutation::identity(pattern.n_rows)}) {
      const Ordering composed = compose_postorder(pattern, {.perm = perm});
      EXPECT_EQ(testing::symmetric_fill(pattern, composed.perm),
                testing::symmetric_fill(pattern, perm))
          << name;
    }
  }
}

TEST(Postorder, OfALongPathNeedsNoStack) {
  std::vector<Index> parent(300000);
  for (Index k = 0; k < 300000; ++k) parent[k] = k + 1 < 300000 ? k + 1 : -1;
  const std::vector<Index> order = postorder(parent);
  ASSERT_EQ(order.size(), parent.size());
  EXPECT_EQ(order.front(), 0);
  EXPECT_EQ(order.back(), 299999);
}

}  // namespace
}  // namespace lufact
