// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "core/measure/clock.hpp"
#include "gpu/gpu.hpp"

namespace lufact::gpu {
namespace {

using testing::HasSubstr;

struct Workbench {
  SteadyClock clock;
  PhaseRecorder phases{clock};
  StageOptions options;
  StageNotes notes;
  StageContext context{phases, options, notes, nullptr, nullptr, {}};
};

template <class Call>
void expect_no_device(const Call& call) {
  try {
    call();
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.outcome(), Outcome::unsupported);
    EXPECT_EQ(error.code(), "no_device");
    EXPECT_THAT(error.what(), HasSubstr("CUDA toolkit 12.0 or newer"));
  }
}

TEST(Stub, QueryGivesNoDeviceTheReasonAndWhatToDo) {
  std::string reason;
  EXPECT_FALSE(query_device(0, reason).has_value());
  EXPECT_THAT(reason, HasSubstr("no GPU code"));
  EXPECT_THAT(reason, HasSubstr("install the CUDA toolkit 12.0 or newer"));
  EXPECT_TRUE(build_facts().runtime.empty());
}

TEST(Stub, ASessionCannotBeOpened) {
  expect_no_device([] { open_session({}); });
}

TEST(Stub, EveryStageIsListedAsADeviceStageThatIsNotSupportedAndRefusesToRun) {
  Workbench bench;
  Machine machine;
  machine.device = query_device(0, machine.device_absent_reason);
  const auto check = [&](const Stage& stage, const std::string& name) {
    EXPECT_EQ(stage.info().name, name);
    EXPECT_EQ(stage.info().side, Side::device);
    EXPECT_FALSE(stage.supported(machine).ok);
    EXPECT_EQ(stage.supported(machine).reason, machine.device_absent_reason);
  };
  const auto symbolic = symbolic_stages();
  const auto levelize = levelize_stages();
  const auto numeric = numeric_stages();
  ASSERT_EQ(symbolic.size(), 1u);
  ASSERT_EQ(levelize.size(), 1u);
  ASSERT_EQ(numeric.size(), 1u);
  check(*symbolic[0], "gpu-ooc");
  check(*levelize[0], "gpu-host-loop");
  check(*numeric[0], "gpu-binary-search");
  expect_no_device([&] { symbolic[0]->run(nullptr, bench.context); });
  expect_no_device([&] { levelize[0]->run(nullptr, bench.context); });
  expect_no_device([&] { numeric[0]->run(nullptr, nullptr, nullptr, bench.context); });
}

TEST(Stub, TheMemoryOfTheNumericStageIsPredictedAllTheSame) {
  const auto numeric = numeric_stages();
  const auto bytes = [&](Offset nnz_lu, Precision precision) {
    return numeric[0]->resident_bytes(1000, 5000, nnz_lu, 1, precision);
  };
  EXPECT_GT(bytes(20000, Precision::float64), 20000u * (4 + 8 + 16));
  EXPECT_EQ(bytes(20001, Precision::float64) - bytes(20000, Precision::float64), 28u);
  EXPECT_EQ(bytes(20001, Precision::float32) - bytes(20000, Precision::float32), 20u);
}

TEST(Stub, TransfersBetweenTheSidesAreListedOnceAndRefuseToRun) {
  Workbench bench;
  std::set<std::pair<std::string_view, Side>> seen;
  for (const auto& transfer : transfers()) {
    EXPECT_NE(transfer->from(), transfer->to());
    EXPECT_TRUE(seen.insert({transfer->type().name, transfer->from()}).second);
    expect_no_device([&] { transfer->run(nullptr, bench.context); });
  }
  EXPECT_EQ(seen.size(), 5u);
  EXPECT_TRUE(seen.contains({product_types::permuted_matrix.name, Side::host}));
  EXPECT_TRUE(seen.contains({product_types::column_pattern.name, Side::device}));
  EXPECT_TRUE(seen.contains({product_types::column_schedule.name, Side::device}));
}

}  // namespace
}  // namespace lufact::gpu
