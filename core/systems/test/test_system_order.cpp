// SPDX-License-Identifier: BSD-3-Clause
// The order of many systems' tickets, and how many systems go through at a time.
#include <gtest/gtest.h>

#include <array>
#include <utility>
#include <vector>

#include "core/systems/system_chunks.hpp"
#include "core/systems/system_tickets.hpp"

namespace lufact {
namespace {

TEST(SystemTickets, EveryTicketOfEverySystemComesOnceAndInThePlansOrder) {
  for (const auto& [tickets, systems, window] : {std::array<Index, 3>{7, 1, 1},
                                                 {1, 9, 4},
                                                 {5, 64, 64},
                                                 {5, 65, 64},
                                                 {3, 130, 64},
                                                 {4, 10, 3},
                                                 {2, 128, 64}}) {
    SCOPED_TRACE(testing::Message() << tickets << " x " << systems << " by " << window);
    const SystemTickets order{tickets, systems, window};
    std::vector<Index> next(at(systems), 0);
    Index last_window = 0;
    ASSERT_EQ(order.count(), tickets * systems);
    for (Index drawn = 0; drawn < order.count(); ++drawn) {
      const auto [ticket, system] = order.at(drawn);
      ASSERT_TRUE(system >= 0 && system < systems);
      EXPECT_EQ(ticket, next[at(system)]++);
      EXPECT_GE(system / window, last_window);
      last_window = system / window;
    }
    EXPECT_EQ(next, std::vector<Index>(at(systems), tickets));
  }
}

TEST(SystemTickets, AWindowTakesATicketForAllItsSystemsBeforeTheNext) {
  const SystemTickets order{2, 5, 3};
  std::vector<std::pair<Index, Index>> drawn;
  for (Index k = 0; k < order.count(); ++k)
    drawn.emplace_back(order.at(k).ticket, order.at(k).system);
  EXPECT_EQ(drawn,
            (std::vector<std::pair<Index, Index>>{
                {0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}, {0, 3}, {0, 4}, {1, 3}, {1, 4}}));
}

TEST(SystemTickets, WindowsAreNoWiderThanTheSystems) {
  EXPECT_EQ(order_systems(3, 5).window, 5);
  EXPECT_EQ(order_systems(3, 1000).window, systems_side_by_side);
}

TEST(SystemChunks, AllSystemsAtATimeWhereTheyFit) {
  EXPECT_EQ(systems_at_a_time(256, {.bytes = 2560, .per_system = 10}), 256);
  EXPECT_EQ(systems_at_a_time(1, {.bytes = 10, .per_system = 10}), 1);
  EXPECT_EQ(systems_at_a_time(7, {}), 7);
}

TEST(SystemChunks, ElseAsFewChunksOfNearlyTheSameSize) {
  EXPECT_EQ(systems_at_a_time(256, {.bytes = 2559, .per_system = 10}), 128);
  EXPECT_EQ(systems_at_a_time(10, {.bytes = 49, .per_system = 10}), 4);  // 4 + 4 + 2, not 4 + ...
  EXPECT_EQ(systems_at_a_time(9, {.bytes = 49, .per_system = 10}), 3);   // 3 + 3 + 3
  EXPECT_EQ(systems_at_a_time(5, {.bytes = 15, .per_system = 10}), 1);
}

TEST(SystemChunks, NoneWhereNotOneFits) {
  EXPECT_EQ(systems_at_a_time(5, {.bytes = 9, .per_system = 10}), 0);
}

TEST(SystemChunks, NumbersOfTicketsAreIndices) {
  constexpr Offset most = 2147483647;
  EXPECT_EQ(systems_at_a_time(100, {.bytes = 1000, .per_system = 1, .tickets = most / 10}), 10);
  EXPECT_EQ(systems_at_a_time(
                100, {.bytes = 1000, .per_system = 1, .tickets = most / 10, .spare_tickets = 500}),
            9);  // 12 chunks, of which the last has 1
  EXPECT_EQ(systems_at_a_time(2, {.bytes = 1000, .per_system = 1, .tickets = most}), 1);
  EXPECT_EQ(
      systems_at_a_time(2, {.bytes = 1000, .per_system = 1, .tickets = most, .spare_tickets = 500}),
      0);
}

}  // namespace
}  // namespace lufact
