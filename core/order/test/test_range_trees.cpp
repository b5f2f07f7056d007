// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "core/order/graph/elimination_tree.hpp"
#include "core/order/graph/range_trees.hpp"
#include "core/order/suitesparse_orderings.hpp"
#include "core/order/test/preprocess_fixtures.hpp"

namespace lufact {
namespace {

std::vector<Index> random_bounds(Index n, int ranges, testing::Draws& draws) {
  std::vector<Index> bounds{0, n};
  for (int k = 1; k < ranges; ++k) bounds.push_back(draws.below(n + 1));
  std::sort(bounds.begin(), bounds.end());
  return bounds;
}

std::vector<Index> joined_tree(const nd::Graph& graph, const Permutation& perm,
                               const std::vector<Index>& bounds) {
  RangeTrees trees(graph, perm, bounds);
  for (Offset range = 0; range < trees.ranges(); ++range) trees.link_within(range);
  RangeTrees::LastUpperEnds last;
  for (Offset range = trees.ranges() - 1; range >= 0; --range) trees.link_across(range, last);
  return std::move(trees).join();
}

TEST(RangeTrees, AnyRangesGiveTheTreeOfAllLabels) {
  testing::Draws draws(5);
  for (const auto& [name, pattern] : testing::named_patterns()) {
    const nd::Graph graph = nd::graph_of(pattern.view(), 1);
    for (const Permutation& perm :
         {Permutation::identity(pattern.n_rows), amd_ordering(pattern),
          Permutation::from_old_of_new(testing::random_labels(pattern.n_rows, draws))}) {
      const std::vector<Index> tree = elimination_tree(pattern, perm);
      for (const int ranges : {1, 2, 3, 7, 40}) {
        EXPECT_EQ(joined_tree(graph, perm, random_bounds(pattern.n_rows, ranges, draws)), tree)
            << name << ", " << ranges << " ranges";
      }
    }
  }
}

}  // namespace
}  // namespace lufact
