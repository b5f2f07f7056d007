// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "gpu/peaks/device_peaks.hpp"
#include "gpu/runtime/device_query.hpp"
#include "gpu/runtime/session.hpp"

namespace lufact::gpu {
namespace {

class DevicePeaksTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string fault = find_device_fault(0);
    if (!fault.empty()) GTEST_SKIP() << fault;
  }
};

// Any card of compute capability 7.0 and above copies at more than 50 GB/s and does more than 0.1
// and 2 Tflop/s; none does a thousand times as much.
TEST_F(DevicePeaksTest, AreRatesOfACard) {
  DeviceSession session({});
  const DevicePeaks peaks = measure_device_peaks(session, {});
  EXPECT_GT(peaks.copy_bytes_per_s, 5e10);
  EXPECT_LT(peaks.copy_bytes_per_s, 5e13);
  EXPECT_GT(peaks.fp64_flops_per_s, 1e11);
  EXPECT_LT(peaks.fp64_flops_per_s, 1e15);
  EXPECT_GT(peaks.fp32_flops_per_s, 2e12);
  EXPECT_LT(peaks.fp32_flops_per_s, 1e15);
  RecordProperty("copy_bytes_per_s", std::to_string(peaks.copy_bytes_per_s));
  RecordProperty("fp64_flops_per_s", std::to_string(peaks.fp64_flops_per_s));
  RecordProperty("fp32_flops_per_s", std::to_string(peaks.fp32_flops_per_s));
}

TEST_F(DevicePeaksTest, AreNearlyTheSameTwice) {
  DeviceSession session({});
  const DevicePeaks one = measure_device_peaks(session, {}),
                    two = measure_device_peaks(session, {});
  EXPECT_NEAR(one.copy_bytes_per_s / two.copy_bytes_per_s, 1, 0.1);
  EXPECT_NEAR(one.fp64_flops_per_s / two.fp64_flops_per_s, 1, 0.1);
  EXPECT_NEAR(one.fp32_flops_per_s / two.fp32_flops_per_s, 1, 0.1);
}

TEST_F(DevicePeaksTest, FitIntoASmallBudget) {
  DeviceSession session({0, std::uint64_t{64} << 20});
  EXPECT_GT(measure_device_peaks(session, {}).copy_bytes_per_s, 0);
}

}  // namespace
}  // namespace lufact::gpu
