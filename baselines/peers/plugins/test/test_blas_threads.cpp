// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "baselines/peers/plugins/blas.hpp"

namespace lufact::peers {
namespace {

TEST(BlasThreads, AreThoseThatTheBlasWillUse) {
  constexpr int more_than_any_takes = 1'000'000;
  const int most = set_blas_threads(more_than_any_takes);
  EXPECT_GE(most, 1);
  EXPECT_LT(most, more_than_any_takes);
  EXPECT_EQ(set_blas_threads(1), 1);
}

}  // namespace
}  // namespace lufact::peers
