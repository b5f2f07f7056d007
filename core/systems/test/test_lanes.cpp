// SPDX-License-Identifier: BSD-3-Clause
// Small fronts by lanes: the plan, and the model of their kernels beside the sequential reference.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/columns/test/stage_harness.hpp"
#include "core/fronts/front_stages.hpp"
#include "core/reference/front_elimination.hpp"
#include "core/run/repetition.hpp"
#include "core/systems/test/lane_model.hpp"

namespace lufact {
namespace {

using namespace test;

struct Planned {
  CsrMatrix a;
  std::shared_ptr<PermutedMatrix> b;
  ProductPtr tree_product, graph_product;
  SystemsPlan plan;

  explicit Planned(const CsrMatrix& matrix, Index most = lane_front_order, bool in_parts = false)
      : a(matrix), b(natural_product(a)) {
    Harness harness;
    harness.context.blocks_apart = true;
    give_scales(*b, 5);
    tree_product = make_cpu_fronts_symbolic()->run(b, harness.context);
    const auto levelize = in_parts ? make_task_graph_parts_levelize() : make_task_graph_levelize();
    graph_product = levelize->run(tree_product, harness.context);
    plan = plan_systems(graph(), tree().n, most);
  }
  const FrontTree& tree() const { return product_cast<FrontTree>(*tree_product); }
  const TaskGraph& graph() const { return product_cast<TaskGraph>(*graph_product); }
  const LanePlan& lanes() const { return plan.lanes; }

  PermutedMatrix system(int number) const {
    PermutedMatrix own = *b;
    const std::vector<double> before(own.values.begin(), own.values.end());
    refactor_values(before, 7, number, std::span<double>(own.values));
    return own;
  }
};

// A complete binary tree of sets of `width` rows, each coupled with the set above it; the root has
// `root` rows. Fronts are small where they are not coupled with a large root.
CsrMatrix tree_matrix(int depth, Index width, Index root, bool zero_pivots = false) {
  const Index sets = (Index{1} << depth) - 1, n = (sets - 1) * width + root;
  const auto first = [&](Index set) { return set == 1 ? n - root : (sets - set) * width; };
  const auto draw = [](Index i, Index j) { return symmetric_interval(hash64(3, at(i), at(j))); };
  std::vector<Triplet> entries;
  for (Index set = 1; set <= sets; ++set) {
    const Index begin = first(set), end = begin + (set == 1 ? root : width);
    const Index above = set == 1 ? end : first(set / 2);
    const Index above_end = set == 1 ? end : above + (set / 2 == 1 ? root : width);
    for (Index i = begin; i < end; ++i) {
      for (Index j = begin; j < end; ++j) {
        const double diagonal = zero_pivots && i % 5 == 0 ? 0.0 : 4.0 * (width + root);
        entries.push_back({i, j, i == j ? diagonal : draw(i, j)});
      }
      for (Index j = above; j < above_end; ++j) {
        entries.push_back({i, j, draw(i, j)});
        entries.push_back({j, i, draw(j, i)});
      }
    }
  }
  return matrix_from_triplets(n, entries);
}

std::vector<NamedMatrix> matrices() {
  std::vector<NamedMatrix> list;
  for (NamedMatrix& named : cpu_matrices()) {
    if (named.dominant) list.push_back(std::move(named));
  }
  for (const Index width : {1, 2, 3, 5, 9, 12, 17}) {
    for (const Index root : {width, Index{60}}) {
      list.push_back({"tree of sets of " + std::to_string(width), tree_matrix(6, width, root)});
    }
  }
  return list;
}

TEST(LanePlan, HasWhatStandsBelowItsFronts) {
  for (const auto& named : matrices()) {
    for (const Index most : {0, 5, lane_front_order}) {
      SCOPED_TRACE(named.name + " up to " + std::to_string(most));
      const Planned planned(named.matrix, most);
      std::set<Index> by_lanes;
      for (const LaneFront& front : planned.lanes().front) {
        EXPECT_LE(front.order(), most);
        const FrontShape& shape = planned.graph().shape[at(front.front)];
        ASSERT_EQ(front.child_end - front.child_begin, shape.child_end - shape.child_begin);
        for (Index k = 0; k < front.child_end - front.child_begin; ++k) {
          const Index child = planned.graph().child[at(shape.child_begin + k)];
          EXPECT_TRUE(by_lanes.contains(child));
          const Index number = planned.lanes().child[at(front.child_begin + k)].number;
          EXPECT_EQ(planned.lanes().front[at(number)].front, child);
          EXPECT_FALSE(planned.lanes().front[at(number)].feeds_tiles);
        }
        EXPECT_TRUE(by_lanes.insert(front.front).second);
      }
      for (const FrontTask& task : planned.plan.tiles.factorization.task) {
        EXPECT_FALSE(by_lanes.contains(task.front));
      }
      EXPECT_EQ(by_lanes.size() + planned.plan.tiles.factorization.task.size(),
                planned.graph().factorization.task.size());
    }
  }
}

TEST(LanePlan, LeavesTheOrderOfOtherTasks) {
  for (const bool in_parts : {false, true}) {
    const Planned planned(tree_matrix(8, 3, 100), lane_front_order, in_parts);
    const TaskGraph &whole = planned.graph(), &tiles = planned.plan.tiles;
    ASSERT_FALSE(planned.lanes().front.empty());
    ASSERT_FALSE(tiles.factorization.task.empty());
    ASSERT_EQ(tiles.part_end.size(), whole.part_end.size());
    EXPECT_EQ(tiles.part_end.back(), tiles.factorization.tickets());
    EXPECT_EQ(planned.lanes().part_end.back(), static_cast<Index>(planned.lanes().front.size()));
    std::size_t next = 0;
    for (const FrontTask& task : whole.factorization.task) {
      const auto& rest = tiles.factorization.task;
      if (next < rest.size() && rest[next].front == task.front &&
          rest[next].tile_row == task.tile_row && rest[next].tile_column == task.tile_column) {
        ++next;
      }
    }
    EXPECT_EQ(next, tiles.factorization.task.size());
    for (const OrderedTasks* list : {&tiles.factorization, &tiles.solve}) {
      EXPECT_EQ(list->ticket.back(), static_cast<Index>(list->task.size()));
      EXPECT_TRUE(std::ranges::is_sorted(list->ticket, std::ranges::less_equal{}) ||
                  list->ticket.size() == 1);
    }
  }
}

std::span<const FrontTask> tasks_of(const OrderedTasks& list, Index ticket) {
  const Index first = list.ticket[at(ticket)], end = list.ticket[at(ticket) + 1];
  return std::span(list.task).subspan(at(first), at(end - first));
}

bool waits_for_one_of(const TaskGraph& graph, Index front, std::span<const FrontTask> tasks) {
  const FrontShape& shape = graph.shape[at(front)];
  return std::ranges::any_of(tasks, [&](const FrontTask& task) {
    return task.front == front || graph.shape[at(task.front)].parent == front ||
           task.front == shape.parent;
  });
}

// `shares`: whether a task takes one warp.
template <class Shares>
void expect_full_tickets(const TaskGraph& graph, const OrderedTasks& list, Index most,
                         const std::vector<Index>& part_end, const Shares& shares) {
  for (Index t = 0; t < list.tickets(); ++t) {
    const auto own = tasks_of(list, t);
    ASSERT_FALSE(own.empty());
    if (own.size() > 1) {
      EXPECT_LE(static_cast<Index>(own.size()), most);
      EXPECT_TRUE(std::ranges::all_of(own, shares));
      for (std::size_t k = 1; k < own.size(); ++k) {
        EXPECT_FALSE(waits_for_one_of(graph, own[k].front, own.first(k)));
      }
    }
    const bool last =
        t + 1 == list.tickets() || std::ranges::find(part_end, t + 1) != part_end.end();
    if (last || !shares(own.back())) continue;
    const FrontTask& next = tasks_of(list, t + 1).front();
    EXPECT_TRUE(static_cast<Index>(own.size()) == most || !shares(next) ||
                waits_for_one_of(graph, next.front, own));
  }
}

TEST(LanePlan, FillsTickets) {
  for (const auto& named : matrices()) {
    for (const Index most : {0, 5, lane_front_order}) {
      SCOPED_TRACE(named.name + " up to " + std::to_string(most));
      const Planned planned(named.matrix, most);
      const TaskGraph& tiles = planned.plan.tiles;
      expect_full_tickets(tiles, tiles.factorization, warps_per_ticket, tiles.part_end,
                          [](const FrontTask& task) { return task.kind == TaskKind::warp_front; });
      expect_full_tickets(
          tiles, tiles.solve, solve_warps_per_ticket, {},
          [&](const FrontTask& task) { return tiles.shape[at(task.front)].small(); });
    }
  }
}

TEST(LanePlan, StoresEveryFactorOnce) {
  const Planned planned(tree_matrix(8, 3, 100));
  std::vector<std::pair<Offset, Offset>> stored;
  for (const LaneFront& front : planned.lanes().front) {
    const Offset entries = Offset{front.pivots} * (front.pivots + 2 * front.rows);
    if (entries > 0) stored.emplace_back(front.factors, front.factors + entries);
  }
  std::ranges::sort(stored);
  Offset end = 0;
  for (const auto& [first, last] : stored) {
    EXPECT_EQ(first, end);
    end = last;
  }
  EXPECT_EQ(end, planned.lanes().factor_entries);
  EXPECT_LT(planned.plan.tiles.factor_entries, planned.graph().factor_entries);
  EXPECT_EQ(planned.lanes().pivot.size() + planned.lanes().other.size(), at(planned.tree().n));
}

TEST(LanePlan, RefusesLargerFronts) {
  EXPECT_THROW(Planned(tree_matrix(2, 2, 2), lane_front_order + 1), std::invalid_argument);
}

// The model's factors of a lane beside those of the reference, for every front by lanes.
template <class T>
void expect_factors(const Planned& planned, const LaneModel<T>& model, Index lane,
                    const reference::FrontElimination& expected, double tolerance) {
  double largest = 0;
  for (const double value : expected.values) largest = std::max(largest, std::abs(value));
  for (const LaneFront& front : planned.lanes().front) {
    const Offset entries = Offset{front.pivots} * (front.pivots + 2 * front.rows);
    const Offset from = planned.graph().shape[at(front.front)].factors;
    for (Offset e = 0; e < entries; ++e) {
      ASSERT_NEAR(model.factor(lane, front.factors + e), expected.values[at(from + e)],
                  tolerance * largest)
          << "entry " << e << " of a front with " << front.pivots << " pivots of " << front.order();
    }
  }
}

template <class T>
void check_elimination(double tolerance) {
  for (const auto& named : matrices()) {
    SCOPED_TRACE(named.name);
    const Planned planned(named.matrix);
    LaneModel<T> model(planned.tree(), planned.graph(), planned.lanes());
    for (const Index lane : {0, 7, 31}) {
      const PermutedMatrix own = planned.system(lane);
      model.eliminate(lane, own, 1e-13);
      expect_factors(planned, model, lane,
                     reference::eliminate_fronts(own, planned.tree(), planned.graph(), 1e-13),
                     tolerance);
      EXPECT_EQ(model.replaced[at(lane)], 0);
    }
  }
}

TEST(LaneModel, EliminatesAsTheReference) {
  check_elimination<double>(1e-12);
}
TEST(LaneModel, EliminatesAsTheReferenceInSinglePrecision) {
  check_elimination<float>(1e-4);
}

TEST(LaneModel, ReplacesPivotsAsTheReference) {
  for (const auto& [depth, width] : {std::pair{4, 1}, {3, 2}, {1, 14}}) {
    const Planned planned(tree_matrix(depth, width, width, true));
    LaneModel<double> model(planned.tree(), planned.graph(), planned.lanes());
    const PermutedMatrix own = planned.system(1);
    model.eliminate(3, own, 1e-5);
    const auto expected = reference::eliminate_fronts(own, planned.tree(), planned.graph(), 1e-5);
    ASSERT_EQ(planned.lanes().front.size(), planned.graph().shape.size());
    EXPECT_GT(expected.perturbed_pivots, 0);
    EXPECT_EQ(model.replaced[3], expected.perturbed_pivots);
    expect_factors(planned, model, 3, expected, 1e-11);
  }
}

// The solution with the reference's factors, by position.
std::vector<double> reference_solution(const Planned& planned, const PermutedMatrix& own,
                                       const std::vector<double>& b) {
  const auto factors = reference::eliminate_fronts(own, planned.tree(), planned.graph(), 1e-13);
  std::vector<double> by_label(b.size()), x(b.size());
  for (std::size_t k = 0; k < b.size(); ++k) by_label[at(planned.tree().label[k])] = b[k];
  reference::solve_fronts(planned.tree(), planned.graph().shape, factors.values, {}, by_label, 1);
  for (std::size_t k = 0; k < b.size(); ++k) x[k] = by_label[at(planned.tree().label[k])];
  return x;
}

TEST(LaneModel, SolvesAsTheReference) {
  for (const auto& named : matrices()) {
    SCOPED_TRACE(named.name);
    const Planned planned(named.matrix);
    LaneModel<double> model(planned.tree(), planned.graph(), planned.lanes());
    std::vector<double> b(at(planned.tree().n));
    for (const Index lane : {2, 30}) {
      for (std::size_t k = 0; k < b.size(); ++k) {
        b[k] = symmetric_interval(hash64(11, at(lane), k));
      }
      const PermutedMatrix own = planned.system(lane);
      const std::vector<double> expected = reference_solution(planned, own, b);
      std::vector<double> x = expected;
      for (const Index k : planned.lanes().pivot) x[at(k)] = std::nan("");
      model.eliminate(lane, own, 1e-13);
      model.forward(lane, b);
      model.backward(lane, x);
      double largest = 0;
      for (const double value : expected) largest = std::max(largest, std::abs(value));
      for (std::size_t k = 0; k < x.size(); ++k) {
        ASSERT_NEAR(x[k], expected[k], 1e-11 * largest) << "position " << k;
      }
    }
  }
}

TEST(LaneModel, TheBitsOfASystemDoNotDependOnItsLaneOrNeighbours) {
  const Planned planned(tree_matrix(5, 3, 3));
  LaneModel<double> model(planned.tree(), planned.graph(), planned.lanes());
  for (const int lane : {0, 17, 31}) {
    model.eliminate(lane, planned.system(lane == 17 ? 1 : 2), 1e-13);
  }
  for (Offset e = 0; e < planned.lanes().factor_entries; ++e) {
    ASSERT_EQ(model.factor(0, e), model.factor(31, e));
  }
}

}  // namespace
}  // namespace lufact
