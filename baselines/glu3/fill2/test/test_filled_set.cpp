// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <set>

#include "baselines/glu3/fill2/filled_set.hpp"
#include "core/base/random.hpp"

namespace lufact {
namespace {

TEST(FilledSet, WalksItsMembersInOrder) {
  for (const Index n : {1, 63, 64, 65, 4095, 4096, 4097, 20000}) {
    FilledSet filled(n);
    std::set<Index> expected;
    for (std::uint64_t k = 0; k < 40; ++k) {
      const auto member = static_cast<Index>(hash64(7, k) % static_cast<std::uint64_t>(n));
      filled.insert(member);
      expected.insert(member);
    }
    EXPECT_EQ(filled.next(0), *expected.begin()) << n;
    for (const Index member : expected) {
      EXPECT_EQ(filled.next(member), member);
      filled.erase(member);
      const auto after = expected.upper_bound(member);
      EXPECT_EQ(filled.next(member), after == expected.end() ? n : *after) << n;
    }
    EXPECT_EQ(filled.next(0), n);
  }
}

TEST(FilledSet, IsEmptyWithoutVertices) {
  EXPECT_EQ(FilledSet(0).next(0), 0);
}

}  // namespace
}  // namespace lufact
