// SPDX-License-Identifier: BSD-3-Clause
// Runs of the stages on batches of small matrices, for the tests of all of them.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/array/array_stage.hpp"
#include "core/batch/batch_entry.hpp"
#include "gpu/batch/device_batch_arrays.hpp"
#include "gpu/gpu.hpp"
#include "gpu/runtime/device_query.hpp"

namespace lufact::gpu::testing_support {

struct StageCase {
  std::string stage;
  ArrayOperation operation;
};

// Every operation of every stage that computes something: `copy` is the yardstick, and gives back
// what it was given.
inline std::vector<StageCase> batch_stage_cases() {
  std::vector<StageCase> cases;
  for (const auto& stage : array_stages()) {
    const ArrayStageFacts& facts = stage->facts();
    if (facts.workload != "batch" || facts.name == "copy") continue;
    for (const ArrayOperation operation : facts.operations) {
      cases.push_back({facts.name, operation});
    }
  }
  return cases;
}

inline std::unique_ptr<ArrayStage> batch_stage(std::string_view name) {
  for (auto& stage : array_stages()) {
    if (stage->facts().name == name) return std::move(stage);
  }
  return nullptr;
}

// Of the orders of the tests, those that the stage has in this build.
inline std::vector<Index> orders_of(const ArrayStageFacts& facts) {
  std::vector<Index> orders;
  for (const Index n :
       {1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 20, 24, 28, 31, 32, 33, 48, 63, 64}) {
    const auto& built = facts.built_orders;
    const bool has = built.empty() || std::ranges::find(built, n) != built.end();
    if (n >= facts.least_order && n <= facts.largest_order && has) orders.push_back(n);
  }
  return orders;
}

struct RunSettings {
  ArrayOptions options{};
  DeviceBatchOptions arrays{.shift = 0, .keep_copy = false};
};

// Of matrices without padding in the first layout of the stage, in place.
inline ArrayProblem problem_of(const ArrayStageFacts& facts, ArrayOperation operation, Index n,
                               Offset count) {
  ArrayProblem problem;
  problem.operation = operation;
  problem.rows = problem.columns = problem.ld = n;
  problem.count = count;
  problem.rhs = problem.operation == ArrayOperation::solve ? 1 : 0;
  problem.layout = facts.layouts.front();
  return problem;
}

inline BatchGroup kind_of(const ArrayProblem& problem, BatchKind kind) {
  return {.n = problem.rows, .count = problem.count, .kind = kind, .given = nullptr, .seed = 11};
}

inline BatchGroup given(Index n, std::vector<double> values) {
  auto matrices = std::make_shared<GivenMatrices>();
  *matrices = {.n = n, .count = static_cast<Offset>(values.size()) / (Offset{n} * n), .values = {}};
  matrices->values = std::move(values);
  return {.n = n, .count = matrices->count, .kind = std::nullopt, .given = matrices, .seed = 11};
}

// Matrices first, first + step, ... of a kind, `count` of them.
inline std::vector<double> entries(Index n, BatchKind kind, Offset first, Offset count,
                                   Offset step = 1) {
  std::vector<double> values;
  for (Offset k = 0; k < count; ++k) {
    for (Index j = 0; j < n; ++j) {
      for (Index i = 0; i < n; ++i) {
        values.push_back(batch_entry(kind, 11, n, first + k * step, i, j));
      }
    }
  }
  return values;
}

// Throws what prepare() throws.
inline std::unique_ptr<DeviceBatchArrays> run_stage(DeviceSession& session, const ArrayStage& stage,
                                                    const ArrayProblem& problem,
                                                    const BatchGroup& group,
                                                    const RunSettings& settings = {}) {
  std::vector<Choice> choices;
  std::vector<Warning> warnings;
  ArrayContext context{settings.options, choices, warnings, &session};
  const auto prepared = stage.prepare(problem, context);
  auto arrays = std::make_unique<DeviceBatchArrays>(session, group, problem, settings.arrays);
  arrays->restore();
  prepared->run(arrays->operands(), problem.count);
  session.synchronize();
  return arrays;
}

// Of all matrices of a batch.
inline std::vector<BatchResult> results_of(const DeviceBatchArrays& arrays) {
  std::vector<BatchResult> results;
  for_results(
      arrays, arrays.problem().count, [](Offset k) { return k; },
      [&](BatchResult& result) { results.push_back(std::move(result)); });
  return results;
}

// Bits of a result, all NaN being equal.
inline std::vector<std::uint64_t> bits_of(const BatchResult& result) {
  std::vector<std::uint64_t> bits{static_cast<std::uint64_t>(result.info)};
  for (const double value : result.values) {
    bits.push_back(std::isnan(value) ? ~std::uint64_t{0} : std::bit_cast<std::uint64_t>(value));
  }
  return bits;
}

// The whole result of a batch, to compare with another of the same matrices.
inline std::pair<std::string, std::string> hashes(const DeviceBatchArrays& arrays) {
  const bool lu = arrays.problem().operation == ArrayOperation::lu;
  return {arrays.values_sha256(), lu ? arrays.pivots_sha256() : ""};
}

class BatchStageTest : public testing::TestWithParam<StageCase> {
 protected:
  void SetUp() override {
    const std::string fault = find_device_fault(0);
    if (!fault.empty()) GTEST_SKIP() << fault;
    session.emplace(SessionOptions{});
    stage = batch_stage(GetParam().stage);
    ASSERT_NE(stage, nullptr);
  }
  const ArrayStageFacts& facts() const { return stage->facts(); }
  ArrayProblem problem_of(Index n, Offset count) const {
    return testing_support::problem_of(facts(), GetParam().operation, n, count);
  }
  std::unique_ptr<DeviceBatchArrays> run(const ArrayProblem& problem, const BatchGroup& group,
                                         const RunSettings& settings = {}) {
    return run_stage(*session, *stage, problem, group, settings);
  }

  std::optional<DeviceSession> session;
  std::unique_ptr<ArrayStage> stage;
};

inline std::string test_name(const testing::TestParamInfo<StageCase>& info) {
  std::string name = info.param.stage + "_" + std::string(to_string(info.param.operation));
  std::ranges::replace(name, '-', '_');
  return name;
}

// For the messages of GoogleTest.
inline void PrintTo(const StageCase& stage_case, std::ostream* out) {
  *out << stage_case.stage << " " << to_string(stage_case.operation);
}

}  // namespace lufact::gpu::testing_support
