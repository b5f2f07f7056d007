// SPDX-License-Identifier: BSD-3-Clause
// Delayed pivots: where weak ones go, and the sizes of pivots that factors tell.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "core/fronts/analysis/delayed_pivots.hpp"
#include "core/fronts/test/host_fronts.hpp"

namespace lufact {
namespace {

using namespace test;
using testing::ElementsAre;

// Fronts with two pivots each, but none in those of `empty`; labels are positions from 10 down.
FrontTree path_of_fronts(Index count, const std::vector<Index>& empty = {}) {
  FrontTree tree;
  for (Index f = 0; f < count; ++f) {
    const bool none = std::ranges::count(empty, f) > 0;
    tree.first.push_back(tree.first.back() + (none ? 0 : 2));
    tree.parent.push_back(f + 1 < count ? f + 1 : -1);
    tree.row_ptr.push_back(0);
  }
  tree.n = tree.first.back();
  tree.label.resize(at(tree.n));
  std::iota(tree.label.rbegin(), tree.label.rend(), 0);
  return tree;
}

struct Delay {
  FrontTree tree;
  std::vector<double> size;
  std::vector<std::uint8_t> times;

  explicit Delay(FrontTree t) : tree(std::move(t)), size(at(tree.n), 1.0), times(at(tree.n), 0) {}
  DelayedOrder run(double smallest = 0.1) { return delay_pivots(tree, size, smallest, times); }
};

TEST(DelayedPivots, StayWhereNoneIsWeak) {
  Delay delay(path_of_fronts(3));
  const DelayedOrder order = delay.run();
  EXPECT_THAT(order.label, ElementsAre(5, 4, 3, 2, 1, 0));
  EXPECT_EQ(order.weak, 0);
  EXPECT_FALSE(order.changed);
  EXPECT_FALSE(order.exhausted);
}

TEST(DelayedPivots, ComeBehindThePivotsOfTheParent) {
  Delay delay(path_of_fronts(3));
  delay.size[5] = 0.1;
  const DelayedOrder order = delay.run();
  EXPECT_THAT(order.label, ElementsAre(4, 3, 2, 5, 1, 0));
  EXPECT_EQ(order.weak, 1);
  EXPECT_TRUE(order.changed);
  EXPECT_THAT(delay.times, ElementsAre(0, 0, 0, 0, 0, 1));
}

TEST(DelayedPivots, ClimbTwiceAsFarEachTimeAndPassFrontsWithoutPivots) {
  Delay delay(path_of_fronts(6, {2}));
  delay.size[9] = 0;
  delay.times[9] = 1;
  EXPECT_THAT(delay.run().label, ElementsAre(8, 7, 6, 5, 4, 9, 3, 2, 1, 0));
  EXPECT_EQ(delay.times[9], 2);
  EXPECT_THAT(delay.run().label, ElementsAre(8, 7, 6, 5, 4, 3, 2, 1, 0, 9));
  delay.times[9] = 30;
  EXPECT_THAT(delay.run().label, ElementsAre(8, 7, 6, 5, 4, 3, 2, 1, 0, 9));
}

TEST(DelayedPivots, OfTheRootComeLastAndThenAreExhausted) {
  Delay delay(path_of_fronts(2));
  delay.size[1] = 0;
  const DelayedOrder order = delay.run();
  EXPECT_THAT(order.label, ElementsAre(3, 2, 0, 1));
  EXPECT_FALSE(order.exhausted);
  delay.size = {0, 1, 1, 1};
  const DelayedOrder last = delay.run();
  EXPECT_FALSE(last.changed);
  EXPECT_TRUE(last.exhausted);
}

TEST(DelayedPivots, OfTwoBlocksOfARootAreNotExhausted) {
  FrontTree tree;
  tree.n = 100;
  tree.first = {0, 100};
  tree.parent = {-1};
  tree.row_ptr = {0, 0};
  tree.label.resize(100);
  std::iota(tree.label.begin(), tree.label.end(), 0);
  Delay delay(tree);
  std::fill(delay.size.begin() + 60, delay.size.end(), 0.0);
  const DelayedOrder order = delay.run();
  EXPECT_FALSE(order.changed);
  EXPECT_FALSE(order.exhausted);
}

TEST(DelayedPivots, AreNotThoseThatAreNoNumbers) {
  Delay delay(path_of_fronts(2));
  delay.size[3] = std::nan("");
  EXPECT_EQ(delay.run().weak, 0);
}

TEST(PivotSizes, AreTheReciprocalsThatFactorsStore) {
  for (const Index n : {1, 8, 33, 64, 65, 129, 200}) {
    for (const HostFrontVariant& variant : host_front_variants) {
      SCOPED_TRACE(std::to_string(n) + " " + variant.name());
      Fronts fronts(scaled_product(random_matrix(n, n / 4 + 2, 3)), 1, variant);
      fronts.factor();
      const std::vector<double> sizes = fronts.front_factors().pivot_sizes();
      const std::vector<double> values = fronts.front_factors().stored_values();
      const std::vector<Offset> places = reciprocal_places(fronts.front_factors().shapes(), n);
      ASSERT_EQ(sizes.size(), at(n));
      for (std::size_t p = 0; p < sizes.size(); ++p) {
        EXPECT_NEAR(sizes[p] * std::abs(values[at(places[p])]), 1, variant.tolerance()) << p;
      }
    }
  }
}

}  // namespace
}  // namespace lufact
