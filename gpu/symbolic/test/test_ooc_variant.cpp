// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "gpu/symbolic/search/chunk_planner.hpp"
#include "gpu/symbolic/search/ooc_variant.hpp"

namespace lufact::gpu {
namespace {

TEST(WorkBytes, GoFromOneRowToAllOfThemWithinSixWordsAnEntry) {
  for (const Index n : {1, 2, 1000, 40000}) {
    const std::uint64_t row = row_scratch_bytes(n, n > 2 ? n - 1 : 1);
    const auto rows = static_cast<std::uint64_t>(n);
    const WorkBytes um = work_bytes(um_variant, n);
    EXPECT_TRUE(um.managed);
    EXPECT_EQ(um.least, row);
    EXPECT_EQ(um.all_rows, row * rows);
    const WorkBytes ooc = work_bytes(ooc_variant, n);
    EXPECT_FALSE(ooc.managed);
    EXPECT_GE(ooc.least, row);
    EXPECT_LE(ooc.least, row + 64 * 1024);
    EXPECT_GE(ooc.all_rows, row * rows);
    EXPECT_LE(um.all_rows, 24 * rows * rows) << "more than E2E's c = 6";
  }
}

TEST(WorkBytes, OfTheInCoreVariantHaveNoLeastBelowAllRows) {
  const WorkBytes work = work_bytes(in_core_variant, 5000);
  EXPECT_EQ(work.least, work.all_rows);
  EXPECT_EQ(work.all_rows, work_bytes(ooc_naive_variant, 5000).all_rows);
}

TEST(WorkBytes, AreCountedIn64Bits) {
  constexpr Index n = (Index{1} << 30) - 1;
  EXPECT_GT(work_bytes(um_variant, n).all_rows, std::uint64_t{1} << 62);
}

}  // namespace
}  // namespace lufact::gpu
