// SPDX-License-Identifier: BSD-3-Clause
// Batches that the stage `cpu` has worked on, and what the sequential twin makes of them.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "core/batch/cpu/cpu_batch.hpp"
#include "core/batch/host_batch_arrays.hpp"
#include "core/reference/dense_lu.hpp"
#include "core/verify/validate_batch.hpp"

namespace lufact::test {

inline constexpr ArrayOperation operations[] = {ArrayOperation::lu, ArrayOperation::inverse,
                                                ArrayOperation::solve};
inline constexpr ArrayLayout layouts[] = {ArrayLayout::contiguous, ArrayLayout::interleaved,
                                          ArrayLayout::pointers};

template <class Real>
constexpr Precision precision_of =
    std::is_same_v<Real, float> ? Precision::float32 : Precision::float64;

template <class Real>
ArrayProblem problem_of(ArrayOperation operation, Index n, Offset count,
                        ArrayLayout layout = ArrayLayout::contiguous) {
  ArrayProblem problem;
  problem.operation = operation;
  problem.rows = problem.columns = problem.ld = n;
  problem.count = count;
  problem.rhs = operation == ArrayOperation::solve ? std::min<Index>(n, 3) : 0;
  problem.layout = layout;
  problem.precision = precision_of<Real>;
  problem.in_place = operation != ArrayOperation::inverse;
  return problem;
}

inline std::unique_ptr<PreparedArrays> prepared(const ArrayProblem& problem, int threads = 1) {
  ArrayOptions options;
  options.threads = threads;
  std::vector<Choice> choices;
  std::vector<Warning> warnings;
  ArrayContext context{options, choices, warnings};
  return make_cpu_batch()->prepare(problem, context);
}

using Given = std::shared_ptr<const GivenMatrices>;

inline Given given(Index n, std::vector<double> values) {
  auto matrices = std::make_shared<GivenMatrices>();
  matrices->n = n;
  matrices->count = static_cast<Offset>(values.size()) / (Offset{n} * n);
  matrices->values = std::move(values);
  return matrices;
}

inline std::unique_ptr<HostBatchArrays> made(const ArrayProblem& problem, const BatchGroup& group) {
  auto arrays = make_host_batch_arrays(problem, group, {.threads = 1, .guard = 17});
  arrays->restore();
  prepared(problem)->run(arrays->operands(), problem.count);
  return arrays;
}

inline std::unique_ptr<HostBatchArrays> made(const ArrayProblem& problem, BatchKind kind) {
  return made(
      problem,
      {.n = problem.rows, .count = problem.count, .kind = kind, .given = nullptr, .seed = 11});
}

inline std::unique_ptr<HostBatchArrays> made(const ArrayProblem& problem, const Given& matrices) {
  return made(problem, {.n = problem.rows,
                        .count = problem.count,
                        .kind = std::nullopt,
                        .given = matrices,
                        .seed = 11});
}

inline void expect_right(HostBatchArrays& arrays) {
  const ArrayProblem& problem = arrays.problem();
  constexpr Offset sample = 200;  // the replay of pivots takes longest
  const BatchCheck check = arrays.check({.host_sample = sample});
  EXPECT_LE(check.worst_error, batch_threshold(problem.operation, problem.precision, problem.rows))
      << "matrix " << check.worst_matrix;
  EXPECT_EQ(check.checked, problem.count);
  EXPECT_EQ(check.wrong_info, 0);
  EXPECT_EQ(check.wrong_not_nan, 0);
  EXPECT_EQ(check.pivots.equal, check.pivots.checked);
  EXPECT_GE(check.pivots.checked + check.info.nonfinite, std::min(problem.count, sample));
  EXPECT_TRUE(arrays.only_results_written());
}

inline std::string described(const ArrayProblem& problem) {
  return std::string(to_string(problem.operation)) + " " + std::string(to_string(problem.layout)) +
         " n " + std::to_string(problem.rows) + " count " + std::to_string(problem.count);
}

inline bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

inline bool same_bits(const BatchResult& one, const BatchResult& other) {
  return one.info == other.info && one.pivots == other.pivots &&
         std::ranges::equal(one.values, other.values,
                            [](double a, double b) { return same_bits(a, b); });
}

// What the sequential twin makes of a matrix (and of the right-hand sides `b`).
template <class Real>
BatchResult twin(ArrayOperation operation, Index n, const std::vector<double>& a,
                 const std::vector<double>& b = {}) {
  std::vector<Real> lu, values;
  for (const double value : a) lu.push_back(static_cast<Real>(value));
  for (const double value : b) values.push_back(static_cast<Real>(value));
  BatchResult result;
  result.pivots.resize(at(n));
  result.info = reference::dense_lu(n, n, lu.data(), n, result.pivots.data());
  if (operation == ArrayOperation::lu) values = lu;
  if (operation == ArrayOperation::inverse) {
    values.resize(lu.size());
    reference::dense_inverse(n, lu.data(), n, result.pivots.data(), values.data(), n);
  } else if (operation == ArrayOperation::solve) {
    const auto columns = static_cast<Index>(values.size()) / n;
    reference::dense_solve(n, lu.data(), n, result.pivots.data(), columns, values.data(), n);
  }
  result.values.assign(values.begin(), values.end());
  if (operation != ArrayOperation::lu && result.info > 0) {
    std::ranges::fill(result.values, std::numeric_limits<double>::quiet_NaN());
  }
  return result;
}

template <class Real>
BatchResult twin(const ArrayProblem& problem, BatchKind kind, Offset k) {
  const Index n = problem.rows;
  std::vector<double> a, b;
  for (Index p = 0; p < n * n; ++p) a.push_back(batch_entry(kind, 11, n, k, p % n, p / n));
  for (Index p = 0; p < n * problem.rhs; ++p) {
    b.push_back(batch_rhs_entry(11, n, k, p % n, p / n));
  }
  return twin<Real>(problem.operation, n, a, b);
}

using Reals = testing::Types<float, double>;

}  // namespace lufact::test
