// SPDX-License-Identifier: BSD-3-Clause
// Fronts on the longest path: merged where that shortens it, and not behind groups of others.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "core/fronts/analysis/front_latency.hpp"
#include "core/fronts/analysis/group_children.hpp"
#include "core/fronts/analysis/shorten_paths.hpp"

namespace lufact {
namespace {

// Sets in postorder.
class Sets {
 public:
  // Returns its number.
  Index add(Index pivots, Index rows, std::initializer_list<Index> children) {
    AmalgamationSet set{-1, pivots, pivots + rows, size(), 1, pivots, 0, 0};
    for (const Index c : children) {
      AmalgamationSet& child = sets_[static_cast<std::size_t>(c)];
      child.parent = size();
      set.subtree += child.subtree;
      set.below = std::max(set.below, child.path({}));
    }
    sets_.push_back(set);
    return size() - 1;
  }
  Index size() const { return static_cast<Index>(sets_.size()); }
  AmalgamationSets& all() { return sets_; }
  const AmalgamationSet& operator[](Index s) const { return sets_[static_cast<std::size_t>(s)]; }

  Index into(Index s) const {
    while ((*this)[s].into != s) s = (*this)[s].into;
    return s;
  }
  // Latency of the longest path, from the pivots and rows of what is left.
  double longest() const {
    std::vector<double> below(sets_.size(), 0);
    double result = 0;
    for (Index s = 0; s < size(); ++s) {
      if (into(s) != s) continue;
      const double path = below[static_cast<std::size_t>(s)] +
                          front_latency((*this)[s].pivots, (*this)[s].rows(), {});
      result = std::max(result, path);
      if ((*this)[s].parent < 0) continue;
      double& above = below[static_cast<std::size_t>(into((*this)[s].parent))];
      above = std::max(above, path);
    }
    return result;
  }
  Index pivots() const {
    Index sum = 0;
    for (Index s = 0; s < size(); ++s) sum += into(s) == s ? (*this)[s].pivots : 0;
    return sum;
  }

 private:
  AmalgamationSets sets_;
};

TEST(ShortenPaths, JoinsTheFrontsOfAChainAndLeavesOthersAlone) {
  Sets sets;
  Index top = sets.add(10, 3, {});
  std::vector<Index> leaves;
  for (int k = 0; k < 40; ++k) {
    leaves.push_back(sets.add(6, 10, {}));
    top = sets.add(10, 3, {top, leaves.back()});
  }
  const double before = sets.longest();
  const Index pivots = sets.pivots();
  shorten_paths(sets.all(), {});
  EXPECT_LT(sets.longest(), 0.7 * before);
  EXPECT_EQ(sets.pivots(), pivots);
  for (const Index leaf : leaves) EXPECT_EQ(sets.into(leaf), leaf);
  Index left = 0;
  for (Index s = 0; s < sets.size(); ++s) {
    left += sets.into(s) == s ? 1 : 0;
    EXPECT_LE(sets[s].pivots, tile_order);
  }
  EXPECT_LT(left, 40 + 40 / 2);
}

TEST(ShortenPaths, FillsHalfEmptyPivotTiles) {
  Sets sets;
  Index top = sets.add(28, 48, {});
  for (int k = 0; k < 9; ++k) top = sets.add(28, 48, {top});
  const double before = sets.longest();
  shorten_paths(sets.all(), {});
  EXPECT_LT(sets.longest(), 0.8 * before);
  for (Index s = 0; s < sets.size(); ++s) {
    if (sets.into(s) != s) continue;
    EXPECT_EQ(sets[s].pivots, 56);
  }
}

TEST(ShortenPaths, LeavesSetsWhereTheWorkWouldCostMore) {
  Sets wide;
  Index top = wide.add(20, 2000, {});
  for (int k = 0; k < 9; ++k) top = wide.add(20, 2000, {top});
  shorten_paths(wide.all(), {});
  for (Index s = 0; s < wide.size(); ++s) EXPECT_EQ(wide.into(s), s);
}

TEST(ShortenPaths, TakesAForestWithoutPathsAndAnEmptyOne) {
  Sets none, single;
  shorten_paths(none.all(), {});
  for (int k = 0; k < 20; ++k) single.add(4, 0, {});
  shorten_paths(single.all(), {});
  for (Index s = 0; s < single.size(); ++s) EXPECT_EQ(single.into(s), s);
}

// `leaves` fronts of 8 pivots and the root's rows below a root of 30 pivots, and at the end of them
// a chain of fronts like them.
FrontTree broad_tree(Index leaves, Index chain) {
  FrontTree tree;
  const auto add = [&](Index pivots, Index rows, Index parent) {
    tree.first.push_back(tree.first.back() + pivots);
    tree.parent.push_back(parent);
    for (Index r = 0; r < rows; ++r) tree.row.push_back(8 * (leaves + chain) + r);
    tree.row_ptr.push_back(static_cast<Offset>(tree.row.size()));
  };
  const Index root = leaves + chain;
  for (Index f = 0; f < root; ++f) {
    add(8, 30, f >= leaves && f + 1 < root ? f + 1 : root);
  }
  add(30, 0, -1);
  tree.n = tree.first.back();
  return tree;
}

TEST(GroupChildren, LeavesTheLongestPathAlone) {
  for (const Index leaves : {12, 13, 40, 150, 900, 2000}) {
    SCOPED_TRACE(leaves);
    constexpr Index chain = 5;
    FrontTree tree = broad_tree(leaves, chain);
    group_children(tree, {});
    const Index root = tree.fronts() - 1;
    std::vector<Index> children(static_cast<std::size_t>(root) + 1, 0);
    std::vector<Index> depth(static_cast<std::size_t>(root) + 1, 0);  // of fronts below
    for (Index f = 0; f < root; ++f) {
      const auto up = static_cast<std::size_t>(tree.parent[static_cast<std::size_t>(f)]);
      ++children[up];
      depth[up] = std::max(depth[up], depth[static_cast<std::size_t>(f)] + 1);
    }
    for (const Index count : children) EXPECT_LE(count, most_children);
    EXPECT_EQ(depth.back(), chain);
  }
}

}  // namespace
}  // namespace lufact
