// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>

#include <algorithm>

#include "gpu/batch/built_orders.hpp"

namespace lufact::gpu {
namespace {

TEST(BuiltBatchOrders, OrderOneIsAlwaysThere) {
  EXPECT_THAT(built_batch_orders(1, 1), testing::IsEmpty());  // all of them
}

TEST(BuiltBatchOrders, AreWithinTheRangeOfTheStageAndAscend) {
  const std::vector<Index> built = built_batch_orders(1, 64);
  EXPECT_TRUE(std::is_sorted(built.begin(), built.end()));
  EXPECT_TRUE(built.empty() || built.front() == 1);
  const std::vector<Index> part = built_batch_orders(1, 32);
  EXPECT_TRUE(std::all_of(part.begin(), part.end(), [](Index n) { return n >= 1 && n <= 32; }));
}

}  // namespace
}  // namespace lufact::gpu
