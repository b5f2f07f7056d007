// SPDX-License-Identifier: BSD-3-Clause
// Nested dissection as a whole: a bijection of everything, the same for every number of threads,
// about as good as it should be, with the cost that it says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/order/dissection_ordering.hpp"
#include "core/order/graph/elimination_tree.hpp"
#include "core/order/graph/ordering_cost.hpp"
#include "core/order/nd/nested_dissection.hpp"
#include "core/order/suitesparse_orderings.hpp"
#include "core/order/test/dissection_patterns.hpp"

namespace lufact {
namespace {

nd::Dissection dissected(const CsrPattern& pattern, int threads) {
  const SteadyClock clock;
  PhaseRecorder phases(clock);
  return nd::dissect(pattern.view(), threads, phases);
}

std::vector<Index> whole_order(const nd::Dissection& parts, bool by_level) {
  std::vector<Index> order = parts.leaves;
  const std::vector<Index>& tail = by_level ? parts.by_level : parts.by_degree;
  order.insert(order.end(), tail.begin(), tail.end());
  order.insert(order.end(), parts.last.begin(), parts.last.end());
  return order;
}

TEST(Dissection, IsTheSameBijectionForEveryNumberOfThreads) {
  for (const auto& patterns : {testing::named_patterns(), testing::larger_patterns()}) {
    for (const auto& [name, pattern] : patterns) {
      const nd::Dissection one = dissected(pattern, 1);
      for (const bool by_level : {false, true}) {
        const std::vector<Index> order = whole_order(one, by_level);
        ASSERT_EQ(order.size(), static_cast<std::size_t>(pattern.n_rows)) << name;
        EXPECT_NO_THROW(Permutation::from_old_of_new(order)) << name;
        for (const int threads : {2, 3, 8}) {
          EXPECT_EQ(whole_order(dissected(pattern, threads), by_level), order)
              << name << " with " << threads << " threads";
        }
      }
    }
  }
}

TEST(Dissection, PartsAreNotAdjacentToEachOther) {
  for (const auto& [name, pattern] : testing::larger_patterns()) {
    for (const int threads : {1, 3}) {
      const nd::Dissection order = dissected(pattern, threads);
      ASSERT_EQ(order.part_begin.front(), 0) << name;
      ASSERT_EQ(order.part_begin.back(), static_cast<Index>(order.leaves.size())) << name;
      std::vector<Index> part(static_cast<std::size_t>(pattern.n_rows), -1);
      for (Index p = 0; p < order.parts(); ++p) {
        for (Index k = order.part_begin[p]; k < order.part_begin[p + 1]; ++k) {
          part[order.leaves[k]] = p;
        }
      }
      for (Index i = 0; i < pattern.n_rows; ++i) {
        for (const Index j : pattern.row(i)) {
          EXPECT_TRUE(part[i] < 0 || part[j] < 0 || part[i] == part[j]) << name << ' ' << i;
        }
      }
    }
  }
}

TEST(DissectionStage, SaysWhatAPostorderNeeds) {
  // Large enough for threads to build the tree by parts.
  auto patterns = testing::larger_patterns();
  patterns["larger grid"] = testing::grid_matrix(170, 160).pattern;
  for (const auto& [name, pattern] : patterns) {
    testing::TestContext test;
    test.options.threads = 3;
    const Ordering ordering = make_dissection_ordering()->run(pattern, test.context);
    ASSERT_NE(ordering.graph, nullptr);
    const Ordering expected = compose_postorder(pattern, {.perm = ordering.perm}, 1);
    for (const int threads : {1, 3}) {
      const Ordering composed = compose_postorder(pattern, ordering, threads);
      EXPECT_EQ(composed.forest, expected.forest) << name;
      EXPECT_TRUE(std::ranges::equal(composed.perm.old_of_new(), expected.perm.old_of_new()))
          << name;
    }
  }
}

TEST(Dissection, CostsWhatItSaysOrALittleLess) {
  for (const auto& [name, pattern] : testing::larger_patterns()) {
    const nd::Dissection parts = dissected(pattern, 2);
    if (!parts.last.empty()) continue;  // hubs do not count
    for (const bool by_level : {false, true}) {
      const OrderingCost& said = by_level ? parts.cost_by_level : parts.cost_by_degree;
      const OrderingCost cost =
          ordering_cost(pattern, Permutation::from_old_of_new(whole_order(parts, by_level)));
      EXPECT_GE(said.nnz_l, cost.nnz_l * (1 - 1e-9)) << name;
      EXPECT_LE(said.nnz_l, cost.nnz_l * 1.02) << name;
      EXPECT_GE(said.flops, cost.flops * (1 - 1e-9)) << name;
      EXPECT_LE(said.flops, cost.flops * 1.02) << name;
      EXPECT_GE(said.path.flops, cost.path.flops * (1 - 1e-9)) << name;
      EXPECT_GE(said.path.columns, cost.path.columns) << name;
      EXPECT_GE(said.path.seconds, cost.path.seconds * (1 - 1e-9)) << name;
      EXPECT_EQ(said.columns, pattern.n_rows) << name;
    }
  }
}

TEST(Dissection, IsNotFarFromMinimumDegreeOnMeshes) {
  for (const CsrPattern& pattern : {testing::grid_matrix(120, 120).pattern,
                                    testing::blocked_grid(40), testing::archipelago(9, 40, 10)}) {
    const double amd = ordering_cost(pattern, amd_ordering(pattern)).flops;
    const nd::Dissection parts = dissected(pattern, 2);
    EXPECT_LT(parts.cost_by_degree.flops, 1.3 * amd);
    EXPECT_LT(parts.cost_by_level.path.columns, parts.cost_by_degree.path.columns * 1.2);
  }
}

TEST(Dissection, PutsHubsLast) {
  const CsrPattern pattern = testing::grid_with_hubs(71);
  const nd::Dissection parts = dissected(pattern, 2);
  EXPECT_THAT(parts.last, ::testing::UnorderedElementsAre(5041, 5042, 5043));
}

TEST(Dissection, OfAPathAndAStarHasHardlyAnyFill) {
  for (const CsrPattern& pattern : {testing::path_pattern(5003), testing::star_pattern(5001)}) {
    const std::vector<Index> order = whole_order(dissected(pattern, 1), false);
    const OrderingCost cost = ordering_cost(pattern, Permutation::from_old_of_new(order));
    EXPECT_LT(cost.nnz_l, 3 * pattern.n_rows);
  }
}

TEST(DissectionStage, RecordsWhyItOrderedTheSeparatorSo) {
  testing::TestContext test;
  test.options.threads = 2;
  const auto stage = make_dissection_ordering();
  const CsrPattern grid = testing::grid_matrix(60, 60).pattern;
  const Ordering ordering = stage->run(grid, test.context);
  EXPECT_EQ(ordering.perm.size(), 3600);
  ASSERT_EQ(test.notes.choices.size(), 1u);
  const Choice& choice = test.notes.choices.front();
  EXPECT_THAT(choice.candidates, ::testing::Contains(choice.chosen));
  EXPECT_THAT(choice.reason, ::testing::HasSubstr("critical path"));
}

TEST(OrderingCost, IsThatOfTheFactor) {
  for (const auto& [name, pattern] : testing::named_patterns()) {
    const Permutation perm = amd_ordering(pattern);
    const OrderingCost cost = ordering_cost(pattern, perm);
    const double n = pattern.n_rows;
    EXPECT_EQ(2 * cost.nnz_l - n, static_cast<double>(testing::symmetric_fill(pattern, perm)))
        << name;
    const auto counts =
        column_counts(nd::graph_of(pattern.view(), 1), perm, elimination_tree(pattern, perm));
    double flops = 0;
    for (const Offset count : counts) {
      const auto below = static_cast<double>(count - 1);
      flops += below + 2 * below * below;
    }
    EXPECT_EQ(cost.flops, flops) << name;
    EXPECT_LE(cost.path.flops, cost.flops) << name;
    EXPECT_LE(cost.path.columns, pattern.n_rows) << name;
    EXPECT_LE(cost.path.seconds, cost.path.columns * ColumnPathRates{}.short_column_s * (1 + 1e-9))
        << name;
    EXPECT_EQ(cost.columns, pattern.n_rows) << name;
  }
  const OrderingCost chain = ordering_cost(testing::path_pattern(50), Permutation::identity(50));
  EXPECT_EQ(chain.path.columns, 50);
  EXPECT_EQ(chain.path.flops, chain.flops);
  EXPECT_DOUBLE_EQ(chain.path.seconds, 50 * ColumnPathRates{}.short_column_s);
}

}  // namespace
}  // namespace lufact
