// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "gpu/gpu.hpp"
#include "gpu/levelize/cdp_levelize.hpp"
#include "gpu/levelize/test/engines_under_test.hpp"
#include "gpu/stage_list.hpp"

namespace lufact::gpu::testing_support {

std::vector<std::unique_ptr<LevelizeStage>> engines_under_test() {
  return stage_list(make_cdp_levelize());
}

// With the three of engines_by_host.cpp: who adds an engine adds it to one of the two programs.
TEST(EnginesUnderTest, AreAllEngines) {
  EXPECT_EQ(levelize_stages().size(), engines_under_test().size() + 3);
}

}  // namespace lufact::gpu::testing_support
