// SPDX-License-Identifier: BSD-3-Clause
// Every stage on batches of small matrices, on all kinds of input, judged by both validators, with
// guard zones around every array.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <span>
#include <string>

#include "core/base/error.hpp"
#include "core/reference/dense_lu.hpp"
#include "core/verify/pivot_replay.hpp"
#include "core/verify/validate_batch.hpp"
#include "gpu/batch/test/stage_runs.hpp"

namespace lufact::gpu {
namespace {

using testing_support::BatchStageTest;
using testing_support::given;
using testing_support::kind_of;
using testing_support::orders_of;
using testing_support::results_of;
using testing_support::RunSettings;

// The first matrix whose pivots or info the host's validator does not accept, for a message.
std::string first_fault(const ArrayProblem& problem, BatchKind kind, const BatchArrays& arrays) {
  for (Offset k = 0; k < problem.count; ++k) {
    const BatchResult result = arrays.result(k);
    std::vector<double> a = testing_support::entries(problem.rows, kind, k, 1);
    if (problem.precision == Precision::float32) {
      for (double& value : a) value = double{static_cast<float>(value)};
    }
    const bool lu = problem.operation == ArrayOperation::lu;
    const MatrixVerdict verdict =
        validate_matrix({.operation = problem.operation,
                         .precision = problem.precision,
                         .n = problem.rows,
                         .rhs = 0,
                         .a = a,
                         .b = {},
                         .result = result.values,
                         .pivots = lu ? std::span<const std::int32_t>(result.pivots)
                                      : std::span<const std::int32_t>(),
                         .info = result.info},
                        true, true);
    if (!verdict.wrong_info && verdict.pivots != PivotVerdict::different) continue;
    const PivotReplay twin = replay_pivots(problem.precision, problem.rows, a, {});
    return fmt::format("matrix {}: info {}, pivots {}; of the twin's U {} +- {}; result {}", k,
                       result.info, fmt::join(result.pivots, " "), fmt::join(twin.size, " "),
                       fmt::join(twin.uncertainty, " "), fmt::join(result.values, " "));
  }
  return "the host's validator accepts all";
}

class BatchStages : public BatchStageTest {
 protected:
  void expect_verified(const ArrayProblem& problem, BatchKind kind, Offset shift) {
    SCOPED_TRACE(testing::Message()
                 << "order " << problem.rows << ", count " << problem.count << ", "
                 << to_string(kind) << ", " << to_string(problem.layout) << ", "
                 << to_string(problem.precision) << ", ld " << problem.ld << ", rhs " << problem.rhs
                 << ", shift " << shift << (problem.in_place ? ", in place" : ""));
    RunSettings settings;
    settings.arrays.shift = shift;
    const auto arrays = run(problem, kind_of(problem, kind), settings);
    const bool lu = problem.operation == ArrayOperation::lu;
    const BatchCheck check = arrays->check({.has_pivots = lu, .host_sample = 16});
    EXPECT_LE(check.worst_error,
              batch_threshold(problem.operation, problem.precision, problem.rows))
        << "matrix " << check.worst_matrix;
    EXPECT_EQ(check.checked, problem.count);
    EXPECT_EQ(check.wrong_info, 0);
    EXPECT_EQ(check.wrong_not_nan, 0);
    EXPECT_EQ(check.pivots.different, 0);
    if (problem.rhs == 0 && (check.wrong_info > 0 || check.pivots.different > 0)) {
      ADD_FAILURE() << first_fault(problem, kind, *arrays);
    }
    EXPECT_EQ(arrays->damaged_guards(), 0);
  }

  // All kinds in every precision and layout; counts, padding, alignment, right-hand sides and
  // whether the result goes elsewhere take turns.
  void expect_all_kinds_verified(Index n) {
    constexpr std::array<Offset, 5> counts{1003, 1, 33, 3, 31};
    std::size_t turn = 0;
    for (const Precision precision : facts().precisions) {
      for (const ArrayLayout layout : facts().layouts) {
        for (const BatchKind kind : batch_kinds()) {
          for (const bool plain : {true, false}) {
            ArrayProblem problem = problem_of(n, counts[turn % counts.size()]);
            problem.precision = precision;
            problem.layout = layout;
            problem.ld = plain ? n : n + 3;
            problem.in_place = plain || problem.operation != ArrayOperation::inverse;
            if (problem.rhs > 0) problem.rhs = std::array{1, n, 3}[turn % 3];
            expect_verified(problem, kind, plain ? 0 : 1);
            ++turn;
          }
        }
      }
    }
  }
};

TEST_P(BatchStages, ResultsAreVerifiedOnAllKindsOfInput) {
  for (const Index n : orders_of(facts())) {
    expect_all_kinds_verified(n);
    if (HasFailure()) return;  // one order says enough
  }
}

TEST_P(BatchStages, EveryCountIsVerified) {
  for (const Index n : orders_of(facts())) {
    for (const Offset count : {1, 3, 31, 33, 1003}) {
      expect_verified(problem_of(n, count), BatchKind::singular, 0);
    }
  }
}

TEST_P(BatchStages, SanitizeSmallBatches) {
  for (const Index n : orders_of(facts())) {
    if (n != 1 && n != 3 && n != 16 && n != 17 && n != 33) continue;
    ArrayProblem problem = problem_of(n, 5);
    problem.in_place = problem.operation != ArrayOperation::inverse;
    run(problem, kind_of(problem, BatchKind::random));
  }
}

// +-1 with ties in every step, but multipliers that are powers of two: no operation rounds. From
// Sylvester's Hadamard matrix, in either order of its rows.
std::vector<double> exact_ties(Index n, bool reversed) {
  std::vector<double> values;
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < n; ++i) {
      const auto row = static_cast<unsigned>(reversed ? n - 1 - i : i);
      values.push_back(std::popcount(row & static_cast<unsigned>(j)) % 2 == 0 ? 1 : -1);
    }
  }
  return values;
}

template <class Entry>
void append(std::vector<double>& values, Index n, const Entry& entry) {
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < n; ++i) values.push_back(entry(i, j));
  }
}

// Matrices whose elimination is exact in every correct implementation, and random ones with a zero
// column, at every place.
std::vector<double> matrices_with_certain_pivots(Index n) {
  std::vector<double> values = exact_ties(n, false);
  const std::vector<double> reversed = exact_ties(n, true);
  values.insert(values.end(), reversed.begin(), reversed.end());
  append(values, n, [](Index i, Index j) { return i == j ? 1 : 0; });
  append(values, n, [n](Index i, Index j) { return i + j == n - 1 ? -2 : 0; });
  append(values, n, [n](Index i, Index j) { return (i + 1) % n == j ? 1 : 0; });
  append(values, n, [](Index, Index) { return 0; });
  append(values, n, [](Index, Index) { return -3; });
  append(values, n, [](Index i, Index j) { return std::exp2(i % 5) * (j % 2 == 0 ? 1 : -0.5); });
  for (Index zero = 0; zero < n; ++zero) {
    append(values, n, [&](Index i, Index j) {
      return j == zero ? 0 : batch_entry(BatchKind::random, 5, n, zero, i, j);
    });
  }
  return values;
}

TEST_P(BatchStages, PivotsAndInfoAreThoseOfTheTwinOnTiesAndSingularMatrices) {
  for (const Index n : orders_of(facts())) {
    SCOPED_TRACE(n);
    const std::vector<double> values = matrices_with_certain_pivots(n);
    const BatchGroup group = given(n, values);
    const ArrayProblem problem = problem_of(n, group.count);
    const std::vector<BatchResult> results = results_of(*run(problem, group));
    const std::size_t entries = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
    for (Offset k = 0; k < group.count; ++k) {
      const auto first = values.begin() + static_cast<std::ptrdiff_t>(entries) * k;
      std::vector<double> lu(first, first + static_cast<std::ptrdiff_t>(entries));
      std::vector<std::int32_t> pivots(static_cast<std::size_t>(n));
      const std::int32_t info = reference::dense_lu(n, n, lu.data(), n, pivots.data());
      const BatchResult& result = results[at(k)];
      EXPECT_EQ(result.info, info) << "matrix " << k;
      if (problem.operation == ArrayOperation::lu) {
        EXPECT_EQ(result.pivots, pivots) << "matrix " << k;
      }
    }
  }
}

TEST_P(BatchStages, WhatAStageDoesNotTakeIsRefused) {
  const auto refused = [&](const ArrayProblem& problem, const ArrayOptions& options = {}) {
    std::vector<Choice> choices;
    std::vector<Warning> warnings;
    ArrayContext context{options, choices, warnings, &*session};
    EXPECT_THROW(stage->prepare(problem, context), UsageError);
  };
  refused(problem_of(facts().largest_order + 1, 1));
  ArrayProblem problem = problem_of(facts().least_order, 1);
  for (const int matrices : {0, 17}) {
    ArrayOptions options;
    options.matrices_per_block = matrices;
    refused(problem, options);
  }
  problem.rows = problem.columns = problem.ld = 0;
  refused(problem);
}

INSTANTIATE_TEST_SUITE_P(All, BatchStages, testing::ValuesIn(testing_support::batch_stage_cases()),
                         testing_support::test_name);

}  // namespace
}  // namespace lufact::gpu
