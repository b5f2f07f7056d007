// SPDX-License-Identifier: BSD-3-Clause
// Fronts on the longest path are merged where that shortens it.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/fronts/front_latency.hpp"
#include "core/fronts/shorten_paths.hpp"

namespace lufact {
namespace {

// Sets in postorder.
class Sets {
 public:
  // Returns its number.
  Index add(Index pivots, Index rows, std::initializer_list<Index> children) {
    MergingSet set{-1, pivots, pivots + rows, size(), 1, 0, 0};
    for (const Index c : children) {
      MergingSet& child = sets_[static_cast<std::size_t>(c)];
      child.parent = size();
      set.subtree += child.subtree;
      set.below = std::max(set.below, child.path());
    }
    sets_.push_back(set);
    return size() - 1;
  }
  Index size() const { return static_cast<Index>(sets_.size()); }
  MergingSets& all() { return sets_; }
  const MergingSet& operator[](Index s) const { return sets_[static_cast<std::size_t>(s)]; }

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
      const double path =
          below[static_cast<std::size_t>(s)] + front_latency((*this)[s].pivots, (*this)[s].rows());
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
  MergingSets sets_;
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
  shorten_paths(sets.all());
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
  shorten_paths(sets.all());
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
  shorten_paths(wide.all());
  for (Index s = 0; s < wide.size(); ++s) EXPECT_EQ(wide.into(s), s);
}

TEST(ShortenPaths, TakesAForestWithoutPathsAndAnEmptyOne) {
  Sets none, single;
  shorten_paths(none.all());
  for (int k = 0; k < 20; ++k) single.add(4, 0, {});
  shorten_paths(single.all());
  for (Index s = 0; s < single.size(); ++s) EXPECT_EQ(single.into(s), s);
}

}  // namespace
}  // namespace lufact
