// SPDX-License-Identifier: BSD-3-Clause
// Plans of factors that are kept on the host: within any room from the least one on, every front
// once and in order, and the factors of all at once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "core/base/error.hpp"
#include "core/fronts/plan/device_bytes.hpp"
#include "core/fronts/plan/factor_parts.hpp"
#include "core/fronts/test/planned_fronts.hpp"
#include "core/verify/validate_fronts.hpp"

namespace lufact {
namespace {

using namespace test;
using ::testing::HasSubstr;

FactorPartsPlan plan_for(const PlannedFronts& problem, Offset room) {
  TaskGraph graph;
  shape_fronts(problem.tree(), 1, graph);
  return plan_factor_parts(room, graph);
}

Offset whole_of(const PlannedFronts& problem) {
  return problem.at_once().factor_entries + problem.at_once().contribution_entries;
}

// Rooms from the least on, up to that of everything.
std::vector<Offset> rooms_of(const PlannedFronts& problem, Offset least) {
  const Offset whole = std::max(whole_of(problem), least);
  std::vector<Offset> rooms;
  for (const int percent : {0, 1, 5, 10, 25, 50, 75, 100}) {
    rooms.push_back(least + (whole - least) * percent / 100);
  }
  return rooms;
}

ProductPtr levelized(PlannedFronts& problem, FactorPlace place,
                     std::optional<std::uint64_t> room = std::nullopt) {
  problem.harness.options.factors = place;
  problem.harness.context.device_room = room;
  problem.harness.notes = {};
  return make_task_graph_levelize()->run(problem.tree_product, problem.harness.context);
}

// What the device holds of a plan.
std::uint64_t device_bytes(const PlannedFronts& problem, const TaskGraph& graph) {
  const std::array<Offset, 2> regions = factor_regions(graph.factor_end);
  const Offset factors = graph.factor_end.empty() ? graph.factor_entries : regions[0] + regions[1];
  return front_product_bytes(problem.tree(), graph) +
         front_work_bytes(front_counts(problem.tree(), graph, problem.harness.options),
                          sizeof(double)) +
         checked_bytes(factors + graph.contribution_entries, sizeof(double));
}

TEST(FactorParts, AnyRoomFromTheLeastOnIsKeptTo) {
  for (const NamedMatrix& named : front_matrices()) {
    SCOPED_TRACE(named.name);
    const PlannedFronts problem(named.matrix);
    const Offset least = plan_for(problem, 0).entries;
    for (const Offset room : rooms_of(problem, least)) {
      SCOPED_TRACE(room);
      const FactorPartsPlan plan = plan_for(problem, room);
      EXPECT_LE(plan.entries, room);
      const auto regions = factor_regions(plan.factor_end);
      EXPECT_LE(regions[0] + regions[1], plan.entries);
      ASSERT_EQ(plan.factor_end.size(), at(plan.parts.count));
      EXPECT_EQ(plan.factor_end.back(), problem.at_once().factor_entries);
      EXPECT_TRUE(std::ranges::is_sorted(plan.factor_end));
    }
    EXPECT_EQ(plan_for(problem, least - 1).entries, least);
    const Offset huge = std::numeric_limits<Offset>::max();
    EXPECT_LE(plan_for(problem, huge).parts.count, 4) << "nothing overflows";
  }
}

TEST(FactorParts, MoreRoomIsFewerParts) {
  const PlannedFronts problem(separator_tree(8, 12));
  const Offset least = plan_for(problem, 0).entries, whole = whole_of(problem);
  EXPECT_LT(3 * least, whole);
  const Index few = plan_for(problem, whole / 2).parts.count;
  const Index some = plan_for(problem, whole / 3).parts.count;
  const Index many = plan_for(problem, least).parts.count;
  EXPECT_LE(few, some);
  EXPECT_LT(some, many);
  EXPECT_GT(few, 1);
  EXPECT_LT(some, 40);
}

TEST(FactorParts, EveryTaskOnceInOrderAndTheFactorsOfAllAtOnce) {
  for (const NamedMatrix& named : front_matrices()) {
    SCOPED_TRACE(named.name);
    PlannedFronts problem(named.matrix);
    const std::vector<double> expected = problem.factors(problem.at_once());
    const ProductPtr product = levelized(problem, FactorPlace::host);
    const auto& graph = product_cast<TaskGraph>(*product);
    ASSERT_EQ(graph.factor_end.size(), graph.part_end.size());
    ASSERT_EQ(graph.solve_end.size(), graph.part_end.size());
    const ValidatorVerdict verdict = validate_task_graph(problem.tree(), graph);
    EXPECT_TRUE(verdict.passed) << verdict.message;
    EXPECT_EQ(problem.factors(graph), expected);
    EXPECT_EQ(graph.solve.task.size(), problem.at_once().solve.task.size());
  }
}

TEST(FactorParts, TheValidatorSeesFactorsAndSolvesOutsideTheirPart) {
  PlannedFronts problem(separator_tree(7, 12));
  const ProductPtr product = levelized(problem, FactorPlace::host);
  const auto& whole = product_cast<TaskGraph>(*product);
  ASSERT_GT(whole.factor_end.size(), 2u);
  TaskGraph fewer = whole, shifted = whole, solved = whole;
  fewer.factor_end.pop_back();
  --shifted.factor_end.front();
  ++solved.solve_end.front();
  for (const TaskGraph& graph : {fewer, shifted, solved}) {
    EXPECT_FALSE(validate_task_graph(problem.tree(), graph).passed);
  }
}

// Child of a later front with the tickets of its own: no ticket of a leg waits for a later leg.
TEST(FactorParts, LegsOfASolveGoThroughAllTicketsOnceForwardsAndBack) {
  for (const std::vector<Index>& end :
       {std::vector<Index>{7}, {3, 7}, {0, 4, 4, 9}, {1, 2, 3, 4, 5}, {0}}) {
    const std::vector<SolveLeg> legs = solve_legs(end);
    ASSERT_EQ(legs.size(), 2 * end.size() - 1);
    Index next = 0;
    for (std::size_t k = 0; k < legs.size(); ++k) {
      EXPECT_EQ(legs[k].first, next);
      next = legs[k].end;
      const auto part = at(legs[k].part);
      const Index first = part == 0 ? 0 : end[part - 1];
      EXPECT_EQ(legs[k].tickets, end[part] - first);
      for (Index drawn = legs[k].first; drawn < legs[k].end; ++drawn) {
        const Index ticket = drawn < end.back() ? drawn : 2 * end.back() - 1 - drawn;
        EXPECT_TRUE(first <= ticket && ticket < end[part]) << drawn;
      }
      if (k == 0) continue;
      EXPECT_EQ(std::abs(legs[k].part - legs[k - 1].part), 1);
    }
    EXPECT_EQ(next, 2 * end.back());
  }
}

TEST(FactorPlaces, StayOnTheDeviceWhereThereIsRoomAndLeaveItWhereThereIsNone) {
  PlannedFronts problem(separator_tree(8, 12));
  const std::uint64_t all = device_bytes(problem, problem.at_once());
  const auto choose = [&](std::uint64_t room) {
    const ProductPtr product = levelized(problem, FactorPlace::automatic, room);
    const auto& graph = product_cast<TaskGraph>(*product);
    EXPECT_LE(device_bytes(problem, graph), room);
    EXPECT_TRUE(validate_task_graph(problem.tree(), graph).passed);
    if (!graph.factor_end.empty()) return std::string("host");
    return std::string(graph.part_end.size() > 1 ? "device-parts" : "device");
  };
  EXPECT_EQ(choose(2 * all), "device");
  EXPECT_TRUE(problem.harness.notes.choices.empty());
  const Offset factors = problem.at_once().factor_entries;
  const std::uint64_t without_blocks = all - checked_bytes(whole_of(problem), sizeof(double)) +
                                       checked_bytes(factors, sizeof(double));
  for (const auto& [room, place] :
       {std::pair{all - 200'000, "device-parts"}, std::pair{without_blocks, "host"},
        std::pair{without_blocks - 500'000, "host"}}) {
    EXPECT_EQ(choose(room), place);
    ASSERT_EQ(problem.harness.notes.choices.size(), 1u);
    const Choice& choice = problem.harness.notes.choices.front();
    EXPECT_EQ(choice.stage, "factors");
    EXPECT_EQ(choice.chosen, place);
    EXPECT_THAT(choice.reason, HasSubstr("free are"));
  }
}

TEST(FactorPlaces, TooLittleRoomNamesTheNeedAndTheNeedIsEnough) {
  PlannedFronts problem(separator_tree(8, 12));
  std::uint64_t need = 0;
  try {
    levelized(problem, FactorPlace::automatic, 1000);
    ADD_FAILURE() << "everything fits into 1000 bytes";
  } catch (const Error& error) {
    EXPECT_EQ(error.outcome(), Outcome::oom_device);
    EXPECT_EQ(error.code(), "device_budget");
    const std::string message = error.what();
    const std::size_t begin = message.find('(') + 1;
    need = std::stoull(message.substr(begin, message.find(" bytes", begin) - begin));
  }
  for (const FactorPlace place : {FactorPlace::automatic, FactorPlace::host}) {
    const ProductPtr product = levelized(problem, place, need);
    EXPECT_LE(device_bytes(problem, product_cast<TaskGraph>(*product)), need);
    EXPECT_THROW(levelized(problem, place, need - sizeof(double)), Error);
  }
}

TEST(FactorPlaces, AreAsAskedFor) {
  PlannedFronts problem(separator_tree(7, 12));
  const ProductPtr on_device = levelized(problem, FactorPlace::device, 1);
  EXPECT_TRUE(product_cast<TaskGraph>(*on_device).factor_end.empty());
  EXPECT_EQ(product_cast<TaskGraph>(*on_device).part_end.size(), 1u);
  const ProductPtr on_host =
      levelized(problem, FactorPlace::host, std::numeric_limits<std::uint64_t>::max());
  const auto& graph = product_cast<TaskGraph>(*on_host);
  EXPECT_GT(graph.factor_end.size(), 1u);
  const auto regions = factor_regions(graph.factor_end);
  EXPECT_LE(2 * (regions[0] + regions[1] + graph.contribution_entries), whole_of(problem) + 1);
  EXPECT_EQ(problem.harness.notes.choices.front().chosen, "host");
  EXPECT_EQ(to_string(FactorPlace::automatic), "auto");
  EXPECT_EQ(to_string(FactorPlace::host), "host");
}

}  // namespace
}  // namespace lufact
