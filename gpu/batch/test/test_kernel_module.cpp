// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>

#include <optional>

#include "core/base/error.hpp"
#include "gpu/batch/kernel_module.hpp"
#include "gpu/runtime/buffer.hpp"
#include "gpu/runtime/device_query.hpp"

namespace lufact::gpu {
namespace {
using testing::Each;
using testing::HasSubstr;

class KernelModuleTest : public testing::Test {
 protected:
  void SetUp() override {
    const std::string fault = find_device_fault(0);
    if (!fault.empty()) GTEST_SKIP() << fault;
    session.emplace(SessionOptions{});
  }
  Buffer<std::int32_t> numbers(Offset count) {
    return {*session, MemoryRole::scratch, count, "numbers of a test"};
  }
  std::optional<DeviceSession> session;
};

TEST_F(KernelModuleTest, KernelsAreThoseOfTheFileOfTheirOrderAndPrecision) {
  const KernelModule module(*session, "probe", Precision::float32, 1);
  auto info = numbers(1000);
  BatchKernelArguments arguments;
  arguments.info = info.data();
  arguments.count = info.size();
  module.kernel("probe_order").launch(*session, (1000 + 31) / 32, 32, 0, arguments);
  EXPECT_THAT(info.download(), Each(1));
  module.kernel("probe_real").launch(*session, 1, 1, 0, arguments);
  EXPECT_EQ(info.download(1)[0], 4);
  const KernelModule doubles(*session, "probe", Precision::float64, 1);
  doubles.kernel("probe_real").launch(*session, 1, 1, 0, arguments);
  EXPECT_EQ(info.download(1)[0], 8);
}

TEST_F(KernelModuleTest, MoreBlocksThanOneDimensionHas) {
  const KernelModule module(*session, "probe", Precision::float32, 1);
  auto info = numbers(64);
  info.fill_bytes(0);
  BatchKernelArguments arguments;
  arguments.info = info.data();
  arguments.count = info.size();
  module.kernel("probe_order").launch(*session, Offset{1} << 31, 32, 0, arguments);
  EXPECT_THAT(info.download(), Each(1));
}

TEST_F(KernelModuleTest, SharedMemoryBeyond48KilobytesIsAskedFor) {
  const KernelModule module(*session, "probe", Precision::float64, 1);
  const BatchKernel kernel = module.kernel("probe_shared");
  auto info = numbers(64);
  BatchKernelArguments arguments;
  arguments.info = info.data();
  arguments.flags = 90 << 10;
  kernel.launch(*session, 1, 64, std::size_t{90} << 10, arguments);
  const auto seen = info.download();
  for (int i = 0; i < 64; ++i) EXPECT_EQ(seen[static_cast<std::size_t>(i)], 63 - i);
  EXPECT_GE(kernel.resident_blocks(64, std::size_t{90} << 10), 1);
  EXPECT_EQ(kernel.resident_blocks(64, std::size_t{1} << 20), 0);
  EXPECT_GE(kernel.resident_warps(64, 0), 2);
}

TEST_F(KernelModuleTest, AttributesAreThoseOfTheKernel) {
  const KernelModule module(*session, "probe", Precision::float64, 1);
  const BatchKernelAttributes attributes = module.kernel("probe_order").attributes();
  EXPECT_GT(attributes.registers, 0);
  EXPECT_EQ(attributes.static_shared_bytes, 0U);
  EXPECT_GE(attributes.max_threads, 32);
}

TEST_F(KernelModuleTest, AKernelOutlivesItsModuleObject) {
  std::optional<BatchKernel> kernel;
  {
    const KernelModule module(*session, "probe", Precision::float64, 1);
    kernel.emplace(module.kernel("probe_order"));
  }
  auto info = numbers(32);
  BatchKernelArguments arguments;
  arguments.info = info.data();
  arguments.count = info.size();
  kernel->launch(*session, 1, 32, 0, arguments);
  EXPECT_THAT(info.download(), Each(1));
}

TEST_F(KernelModuleTest, WhatIsNotThereIsNamed) {
  try {
    KernelModule(*session, "no_such_family", Precision::float64, 5);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "no_batch_kernels");
    EXPECT_THAT(error.what(), HasSubstr("no_such_family_f64_5.fatbin"));
  }
  const KernelModule module(*session, "probe", Precision::float64, 1);
  try {
    module.kernel("probe_nothing");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "no_batch_kernel");
    EXPECT_THAT(error.what(), HasSubstr("probe_nothing"));
  }
}

TEST_F(KernelModuleTest, NothingToDoLaunchesNothing) {
  const KernelModule module(*session, "probe", Precision::float64, 1);
  EXPECT_NO_THROW(module.kernel("probe_order").launch(*session, 0, 32, 0, {}));
}

}  // namespace
}  // namespace lufact::gpu
