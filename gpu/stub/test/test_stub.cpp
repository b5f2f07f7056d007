// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "core/base/error.hpp"
#include "core/measure/clock.hpp"
#include "gpu/gpu.hpp"
#include "gpu/stages.hpp"

namespace lufact::gpu {
namespace {

using testing::HasSubstr;

struct Workbench {
  SteadyClock clock;
  PhaseRecorder phases{clock};
  StageOptions options;
  StageNotes notes;
  StageContext context{.phases = phases, .options = options, .notes = notes, .check_resident = {}};
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

struct Listed {
  std::vector<StageInfo> scaling, ordering, symbolic, levelize, numeric;
};

Listed listed() {
  Listed infos;
#define LUFACT_GPU_SCALING(name) infos.scaling.push_back(name##_scaling_facts().info);
#define LUFACT_GPU_ORDERING(name) infos.ordering.push_back(name##_ordering_facts().info);
#define LUFACT_GPU_SYMBOLIC(name) infos.symbolic.push_back(name##_symbolic_facts().info);
#define LUFACT_GPU_LEVELIZE(name) infos.levelize.push_back(name##_levelize_facts().info);
#define LUFACT_GPU_NUMERIC(name) infos.numeric.push_back(name##_numeric_facts().info);
#include "gpu/stages.def"
  return infos;
}

template <class Stages>
void expect_listed_and_unsupported(const Stages& stages, const std::vector<StageInfo>& infos) {
  Machine machine;
  machine.device = query_device(0, machine.device_absent_reason);
  std::set<std::string> names;
  ASSERT_EQ(stages.size(), infos.size());
  for (std::size_t s = 0; s < infos.size(); ++s) {
    EXPECT_EQ(stages[s]->info().name, infos[s].name);
    EXPECT_EQ(infos[s].side, Side::device) << infos[s].name;
    EXPECT_TRUE(names.insert(infos[s].name).second) << infos[s].name << " is listed twice";
    EXPECT_FALSE(stages[s]->supported(machine).ok) << infos[s].name;
    EXPECT_EQ(stages[s]->supported(machine).reason, machine.device_absent_reason);
  }
}

TEST(Stub, EveryStageOfTheListIsADeviceStageThatIsNotSupported) {
  expect_listed_and_unsupported(scaling_stages(), listed().scaling);
  expect_listed_and_unsupported(ordering_stages(), listed().ordering);
  expect_listed_and_unsupported(symbolic_stages(), listed().symbolic);
  expect_listed_and_unsupported(levelize_stages(), listed().levelize);
  expect_listed_and_unsupported(numeric_stages(), listed().numeric);
  EXPECT_FALSE(listed().numeric.empty());
}

TEST(Stub, EveryStageRefusesToRun) {
  Workbench bench;
  for (const auto& stage : scaling_stages()) {
    expect_no_device([&] { stage->run({}, bench.context); });
  }
  for (const auto& stage : ordering_stages()) {
    expect_no_device([&] { stage->run({}, bench.context); });
  }
  for (const auto& stage : symbolic_stages()) {
    expect_no_device([&] { stage->run(nullptr, bench.context); });
  }
  for (const auto& stage : levelize_stages()) {
    expect_no_device([&] { stage->run(nullptr, bench.context); });
  }
  for (const auto& stage : numeric_stages()) {
    expect_no_device([&] { stage->run(nullptr, nullptr, nullptr, bench.context); });
  }
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

TEST(Stub, TheMemoryOfTheOutOfCoreFamilyIsPredictedAllTheSame) {
  int predicted = 0;
  for (const auto& stage : symbolic_stages()) {
    const auto work = stage->work_bytes(1000);
    if (!work) continue;
    ++predicted;
    EXPECT_GE(work->least, 4u * 1999) << stage->info().name;
    // GSoFa keeps numbers below the row alone, half of them in the mean.
    const std::uint64_t words = stage->info().name == "gpu-gsofa" ? 1500 : 1999;
    EXPECT_GE(work->all_rows, 4000 * words) << stage->info().name;
  }
  EXPECT_GE(predicted, 5);
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
