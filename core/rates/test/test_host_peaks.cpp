// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "core/rates/host_peaks.hpp"

namespace lufact {
namespace {

// No processor does 1e15 multiply-adds a second, and none that runs this fewer than 1e7.
TEST(HostPeaks, AreRatesOfAProcessor) {
  const HostPeaks peaks = measure_host_peaks(
      {.threads = 2, .copied_bytes = std::size_t{8} << 20, .rounds = 2, .round_s = 0.005});
  EXPECT_GE(peaks.threads, 1);
  EXPECT_LE(peaks.threads, 2);
  EXPECT_GT(peaks.fp64_flops_per_s, 1e7);
  EXPECT_LT(peaks.fp64_flops_per_s, 1e15);
  EXPECT_GT(peaks.copy_bytes_per_s, 1e7);
  EXPECT_LT(peaks.copy_bytes_per_s, 1e14);
}

}  // namespace
}  // namespace lufact
