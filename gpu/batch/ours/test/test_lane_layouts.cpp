// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <string>

#include "core/base/error.hpp"
#include "gpu/batch/ours/lane_layouts.hpp"
#include "gpu/batch/tuning.hpp"

namespace lufact {
namespace {

using gpu::ours::lane_layouts;
using gpu::ours::LaneLayout;
using testing::Each;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr int shared_bytes_of_a_block = 227 * 1024;

TEST(LaneLayouts, EveryOrderHasOnePerPrecision) {
  for (const Precision precision : {Precision::float32, Precision::float64}) {
    for (Index n = 1; n <= gpu::ours::largest_order; ++n) {
      const std::vector<LaneLayout> layouts = lane_layouts(precision, n);
      EXPECT_THAT(layouts, Not(IsEmpty())) << "order " << n;
      for (const LaneLayout& layout : layouts) {
        EXPECT_TRUE(layout.is_thread() || layout.lanes * layout.rows >= n);
        EXPECT_LE(layout.shared_bytes(n, precision), shared_bytes_of_a_block);
      }
    }
  }
}

TEST(LaneLayouts, StagesOfOneKindTakeEveryOrderThatTheyPromise) {
  for (const Precision precision : {Precision::float32, Precision::float64}) {
    for (Index n = 1; n <= gpu::ours::largest_order; ++n) {
      const std::vector<LaneLayout> layouts = lane_layouts(precision, n);
      const bool thread = std::ranges::any_of(layouts, &LaneLayout::is_thread);
      const bool rows = std::ranges::any_of(
          layouts, [](const LaneLayout& layout) { return !layout.is_thread(); });
      EXPECT_EQ(thread, n <= gpu::ours::largest_thread_order) << "order " << n;
      EXPECT_EQ(rows, n >= 2) << "order " << n;
    }
  }
}

std::set<std::string> names_of_layouts(Precision precision, const std::vector<Index>& orders) {
  std::set<std::string> names;
  for (const Index n : orders) {
    for (const LaneLayout& layout : lane_layouts(precision, n)) names.insert(layout.name());
  }
  return names;
}

TEST(LaneLayouts, OrdersThatAreCompiledWithoutADeviceHaveAll) {
  std::vector<Index> all(gpu::ours::largest_order);
  std::iota(all.begin(), all.end(), Index{1});
  for (const Precision precision : {Precision::float32, Precision::float64}) {
    EXPECT_EQ(names_of_layouts(precision, {LUFACT_ORDERS_WITHOUT_DEVICE}),
              names_of_layouts(precision, all));
  }
}

TEST(LaneLayouts, NamesOfKernels) {
  EXPECT_EQ((LaneLayout{8, 3}.kernel(ArrayOperation::inverse)), "rows_g8r3_inverse");
  EXPECT_EQ((LaneLayout{1, 0}.kernel(ArrayOperation::lu)), "thread_lu");
}

TEST(LaneLayouts, ABlockHasFullWarpsAndNoMoreThanAre) {
  const LaneLayout layout{8, 3};
  EXPECT_EQ(layout.warps(4), 1);
  EXPECT_EQ(layout.warps(16), 4);
  for (const int matrices : {0, -4, 1, 6, 20}) EXPECT_EQ(layout.warps(matrices), std::nullopt);
  EXPECT_EQ((LaneLayout{1, 0}.warps(64)), 2);
}

TEST(BatchTuning, IsReadAsItWasWritten) {
  const BatchTuning tuning{
      .device = "NVIDIA H200",
      .commit = "0123abc",
      .candidates = {{ArrayOperation::solve, Precision::float32, ArrayLayout::pointers, 17, 3,
                      "rows_g8r3", 8, 1003, 1.25e-5}}};
  const BatchTuning read = parse_tuning(tuning_text(tuning));
  EXPECT_EQ(read.device, tuning.device);
  EXPECT_EQ(read.commit, tuning.commit);
  ASSERT_THAT(read.candidates, SizeIs(1));
  EXPECT_EQ(tuning_text(read), tuning_text(tuning));
  EXPECT_EQ(read.candidates[0].kernel, "rows_g8r3");
  EXPECT_EQ(read.candidates[0].median_s, 1.25e-5);
}

TEST(BatchTuning, NamesTheLineThatItDoesNotUnderstand) {
  const std::string text = tuning_text({.device = "x", .commit = "y", .candidates = {}});
  for (const char* line :
       {"lu\tdouble\tcontiguous\t17", "lu\tdouble\tdiagonal\t1\t0\tthread\t1\t1\t1",
        "lu\tdouble\tcontiguous\t1\t0\tthread\t1\t1\t0"}) {
    try {
      parse_tuning(text + line + "\n");
      FAIL() << line;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), "bad_tuning");
      EXPECT_THAT(std::string(error.what()), testing::HasSubstr("line 4"));
    }
  }
}

}  // namespace
}  // namespace lufact
