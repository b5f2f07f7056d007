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
  StageContext context{.phases = phases, .options = options, .notes = notes};
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
  const auto ordering = ordering_stages();
  const auto symbolic = symbolic_stages();
  const auto levelize = levelize_stages();
  const auto numeric = numeric_stages();
  ASSERT_EQ(symbolic.size(), 8u);
  ASSERT_EQ(levelize.size(), 4u);
  ASSERT_EQ(ordering.size(), 1u);
  check(*ordering[0], "nd-gpu");
  check(*symbolic[0], "gpu-ooc");
  check(*symbolic[1], "gpu-ooc-naive");
  check(*symbolic[2], "gpu-um");
  check(*symbolic[3], "gpu-um-prefetch");
  check(*symbolic[4], "gpu-in-core");
  check(*symbolic[5], "gpu-fill2");
  check(*symbolic[6], "gpu-panels");
  check(*symbolic[7], "gpu-fronts");
  check(*levelize[0], "gpu-host-loop");
  check(*levelize[1], "gpu-cdp");
  check(*levelize[2], "gpu-cooperative");
  check(*levelize[3], "gpu-sync-free");
  std::vector<std::string> names;
  for (const auto& stage : numeric) {
    check(*stage, stage->info().name);
    names.push_back(stage->info().name);
  }
  EXPECT_THAT(names, testing::ElementsAre("gpu-dense", "gpu-dense-fixed", "gpu-binary-search",
                                          "gpu-auto", "gpu-persistent", "gpu-multifrontal"));
  expect_no_device([&] { ordering[0]->run({}, bench.context); });
  for (const auto& stage : symbolic) {
    expect_no_device([&] { stage->run(nullptr, bench.context); });
  }
  expect_no_device([&] { levelize[0]->run(nullptr, bench.context); });
  expect_no_device([&] { numeric[0]->run(nullptr, nullptr, nullptr, bench.context); });
}

TEST(Stub, TheMemoryOfTheNumericStageIsPredictedAllTheSame) {
  for (const auto& stage : numeric_stages()) {
    if (stage->info().gives != product_types::column_factors) continue;
    SCOPED_TRACE(stage->info().name);
    const auto bytes = [&](Offset nnz_lu, Precision precision) {
      return stage->resident_bytes(1000, 5000, nnz_lu, 1, precision);
    };
    EXPECT_GT(bytes(20000, Precision::float64), 20000u * (4 + 8 + 16));
    // An entry is an index, its place by rows and two values; for panels a place of their own too.
    const std::uint64_t panels = stage->info().name == "gpu-persistent" ? sizeof(Index) : 0;
    EXPECT_EQ(bytes(20001, Precision::float64) - bytes(20000, Precision::float64), 28u + panels);
    EXPECT_EQ(bytes(20001, Precision::float32) - bytes(20000, Precision::float32), 20u + panels);
  }
}

TEST(Stub, TheMemoryOfTheSymbolicFamilyIsPredictedAllTheSame) {
  for (const auto& stage : symbolic_stages()) {
    const auto work = stage->work_bytes(1000);
    const std::string& name = stage->info().name;
    if (name == "gpu-fill2" || name == "gpu-panels" || name == "gpu-fronts") {
      EXPECT_FALSE(work.has_value()) << "it depends on more than the order of the matrix";
      continue;
    }
    ASSERT_TRUE(work.has_value()) << stage->info().name;
    EXPECT_GE(work->least, 4u * 1999) << stage->info().name;
    EXPECT_GE(work->all_rows, 4000u * 1999) << stage->info().name;
  }
}

TEST(Stub, TransfersBetweenTheSidesAreListedOnceAndRefuseToRun) {
  Workbench bench;
  std::set<std::pair<std::string_view, Side>> seen;
  for (const auto& transfer : transfers()) {
    EXPECT_NE(transfer->from(), transfer->to());
    EXPECT_TRUE(seen.insert({transfer->type().name, transfer->from()}).second);
    expect_no_device([&] { transfer->run(nullptr, bench.context); });
  }
  EXPECT_EQ(seen.size(), 8u);
  EXPECT_TRUE(seen.contains({product_types::permuted_matrix.name, Side::host}));
  EXPECT_TRUE(seen.contains({product_types::column_pattern.name, Side::device}));
  EXPECT_TRUE(seen.contains({product_types::column_schedule.name, Side::device}));
}

}  // namespace
}  // namespace lufact::gpu
