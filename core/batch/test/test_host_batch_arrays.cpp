// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>
#include <utility>

#include "core/array/strided_matrix.hpp"
#include "core/batch/batch_sample.hpp"
#include "core/batch/host_batch_arrays.hpp"
#include "core/batch/result_hash.hpp"
#include "core/reference/dense_lu.hpp"
#include "core/verify/validate_batch.hpp"

namespace lufact {
namespace {

constexpr ArrayLayout layouts[] = {ArrayLayout::contiguous, ArrayLayout::interleaved,
                                   ArrayLayout::pointers};

ArrayProblem lu_problem(ArrayLayout layout, Offset count = 5) {
  ArrayProblem problem;
  problem.rows = problem.columns = 6;
  problem.ld = 8;
  problem.count = count;
  problem.layout = layout;
  return problem;
}

BatchGroup group_of(Offset count, BatchKind kind = BatchKind::random) {
  return {.n = 6, .count = count, .kind = kind, .given = nullptr, .seed = 7};
}

std::unique_ptr<HostBatchArrays> arrays_of(const ArrayProblem& problem,
                                           BatchKind kind = BatchKind::random) {
  auto arrays =
      make_host_batch_arrays(problem, group_of(problem.count, kind), {.threads = 2, .guard = 9});
  arrays->restore();
  return arrays;
}

MatrixArray<double> matrices(const ArrayProblem& problem, void* base) {
  return {base, problem.layout, problem.columns, problem.ld, problem.count};
}

// The sequential twin in place of a stage: LU in place.
void factor_all(HostBatchArrays& arrays) {
  const ArrayProblem& problem = arrays.problem();
  const ArrayOperands operands = arrays.operands();
  const Index n = problem.rows;
  for (Offset k = 0; k < problem.count; ++k) {
    const StridedMatrix<double> a = matrices(problem, operands.a)[k];
    std::vector<double> lu(at(n * n));
    for (Index p = 0; p < n * n; ++p) lu[at(p)] = a(p % n, p / n);
    operands.info[k] = reference::dense_lu(n, n, lu.data(), n, operands.pivots + k * n);
    for (Index p = 0; p < n * n; ++p) a(p % n, p / n) = lu[at(p)];
  }
}

TEST(HostBatchArrays, HaveTheEntriesOfTheKindInEveryLayout) {
  for (const ArrayLayout layout : layouts) {
    const ArrayProblem problem = lu_problem(layout);
    const auto arrays = arrays_of(problem);
    const auto a = matrices(problem, arrays->operands().a);
    for (Offset k = 0; k < 5; ++k) {
      for (Index p = 0; p < 36; ++p) {
        EXPECT_EQ(a[k](p % 6, p / 6), batch_entry(BatchKind::random, 7, 6, k, p % 6, p / 6));
      }
    }
    EXPECT_TRUE(arrays->only_results_written());
  }
}

TEST(HostBatchArrays, InterleavedEntriesLieSideBySide) {
  const auto arrays = arrays_of(lu_problem(ArrayLayout::interleaved));
  const auto* const a = static_cast<const double*>(arrays->operands().a);
  EXPECT_EQ(a[(2 * 8 + 1) * 5 + 3], batch_entry(BatchKind::random, 7, 6, 3, 1, 2));
}

TEST(HostBatchArrays, GivenMatricesRepeatWithOtherValues) {
  auto given = std::make_shared<GivenMatrices>();
  *given = {.n = 2, .count = 2, .values = {1, 2, 3, 4, 5, 6, 7, 8}};
  ArrayProblem problem = lu_problem(ArrayLayout::contiguous, 5);
  problem.rows = problem.columns = problem.ld = 2;
  const auto arrays = make_host_batch_arrays(
      problem, {.n = 2, .count = 5, .kind = std::nullopt, .given = given, .seed = 3}, {});
  arrays->restore();
  const auto a = matrices(problem, arrays->operands().a);
  EXPECT_EQ(a[1](1, 0), 6);
  EXPECT_EQ(a[2](1, 0), 2 * batch_repeat_factor(3, 2, 2, 1, 0));
  EXPECT_EQ(a[4](0, 1), 3 * batch_repeat_factor(3, 2, 4, 0, 1));
}

TEST(HostBatchArrays, RestoreMakesResultsUnset) {
  const auto arrays = arrays_of(lu_problem(ArrayLayout::pointers));
  EXPECT_EQ(arrays->check({}).wrong_info, 5);
  const std::string before = arrays->values_sha256();
  factor_all(*arrays);
  EXPECT_NE(arrays->values_sha256(), before);
  arrays->restore();
  EXPECT_EQ(arrays->values_sha256(), before);
  EXPECT_EQ(arrays->check({}).wrong_info, 5);
}

TEST(HostBatchArrays, RightResultsPassInEveryLayout) {
  std::set<std::string> values, pivots;
  for (const ArrayLayout layout : layouts) {
    const auto arrays = arrays_of(lu_problem(layout, 2003), BatchKind::singular);
    factor_all(*arrays);
    const BatchCheck check = arrays->check({});
    EXPECT_LE(check.worst_error, batch_threshold(ArrayOperation::lu, Precision::float64, 6));
    EXPECT_EQ(check.checked, 2003);
    EXPECT_EQ(check.wrong_info, 0);
    EXPECT_EQ(check.info.zero_pivots, 3);
    EXPECT_EQ(check.info.first, 0);
    EXPECT_EQ(check.pivots.checked, 2003);
    EXPECT_EQ(check.pivots.equal, 2003);
    EXPECT_TRUE(arrays->only_results_written());
    values.insert(arrays->values_sha256());
    pivots.insert(arrays->pivots_sha256());
  }
  EXPECT_EQ(values.size(), 1U);
  EXPECT_EQ(pivots.size(), 1U);
}

// More than come from the arrays at a time, with repetitions and in no order.
TEST(HostBatchArrays, ResultsComeInTheOrderOfTheirNumbers) {
  const auto arrays = arrays_of(lu_problem(ArrayLayout::pointers, 1100));
  factor_all(*arrays);
  const auto number = [](Offset k) { return k * 7919 % 1100; };
  Offset k = 0;
  for_results(*arrays, 2000, number, [&](const BatchResult& result) {
    const BatchResult alone = arrays->result(number(k));
    ASSERT_EQ(result.values, alone.values) << k;
    ASSERT_EQ(result.pivots, alone.pivots) << k;
    ASSERT_EQ(result.info, alone.info) << k;
    ++k;
  });
  EXPECT_EQ(k, 2000);
  for_results(*arrays, 0, number, [](const BatchResult&) { FAIL() << "there is none"; });
}

TEST(HostBatchArrays, ResultsHaveThePartsThatAreAskedFor) {
  const auto arrays = arrays_of(lu_problem(ArrayLayout::interleaved, 10));
  factor_all(*arrays);
  const std::vector<Offset> some{7, 2};
  PackedResults all, values, pivots;
  arrays->pack_results(some, ResultPart::all, all);
  EXPECT_EQ(all.values.size(), 2U * 36);
  EXPECT_EQ(all.pivots.size(), 2U * 6);
  EXPECT_EQ(all.info.size(), 2U);
  arrays->pack_results(some, ResultPart::values, values);
  EXPECT_EQ(values.values, all.values);
  EXPECT_TRUE(values.pivots.empty() && values.info.empty());
  arrays->pack_results(some, ResultPart::pivots, pivots);
  EXPECT_EQ(pivots.pivots, all.pivots);
  EXPECT_TRUE(pivots.values.empty() && pivots.info.empty());
}

TEST(HostBatchArrays, ResultsReplaceThoseBeforeInTheSameMemory) {
  const auto arrays = arrays_of(lu_problem(ArrayLayout::contiguous, 10));
  factor_all(*arrays);
  const std::vector<Offset> some{7, 2, 5}, one{4};
  PackedResults results;
  arrays->pack_results(some, ResultPart::all, results);
  const double* const memory = results.values.data();
  arrays->pack_results(one, ResultPart::all, results);
  EXPECT_EQ(results.values, arrays->result(4).values);
  EXPECT_EQ(results.pivots, arrays->result(4).pivots);
  EXPECT_EQ(results.info.size(), 1U);
  EXPECT_EQ(results.values.data(), memory);
}

// The last block of matrices under a digest is not full.
TEST(HostBatchArrays, AHashDependsOnEveryMatrixAndItsPlace) {
  const Offset count = 2 * block_matrices + 3;
  const auto arrays = arrays_of(lu_problem(ArrayLayout::contiguous, count));
  factor_all(*arrays);
  const std::string whole = arrays->values_sha256();
  const auto a = matrices(arrays->problem(), arrays->operands().a);
  for (const Offset k : {Offset{0}, block_matrices - 1, block_matrices, count - 1}) {
    const double before = std::exchange(a[k](5, 5), 0.5);
    EXPECT_NE(arrays->values_sha256(), whole) << k;
    a[k](5, 5) = before;
  }
  std::swap(a[1](0, 0), a[block_matrices + 1](0, 0));
  EXPECT_NE(arrays->values_sha256(), whole);
  std::swap(a[1](0, 0), a[block_matrices + 1](0, 0));
  EXPECT_EQ(arrays->values_sha256(), whole);
}

TEST(HostBatchArrays, AWrongMatrixIsNamed) {
  for (const ArrayLayout layout : layouts) {
    const auto arrays = arrays_of(lu_problem(layout, 3000));
    factor_all(*arrays);
    matrices(arrays->problem(), arrays->operands().a)[1234](3, 2) += 1e-6;
    const BatchCheck check = arrays->check({.host_sample = 16});
    EXPECT_EQ(check.worst_matrix, 1234);
    EXPECT_GT(check.worst_error, 1e-9);
    EXPECT_EQ(check.pivots.checked, 16);
  }
}

TEST(HostBatchArrays, ExchangedResultsAreFound) {
  const auto arrays = arrays_of(lu_problem(ArrayLayout::contiguous));
  factor_all(*arrays);
  const auto a = matrices(arrays->problem(), arrays->operands().a);
  for (Index p = 0; p < 36; ++p) std::swap(a[1](p % 6, p / 6), a[2](p % 6, p / 6));
  EXPECT_GT(arrays->check({}).worst_error, 1e-3);
}

TEST(HostBatchArrays, WritingElsewhereIsFound) {
  for (const ArrayLayout layout : layouts) {
    ArrayProblem problem = lu_problem(layout);
    problem.operation = ArrayOperation::inverse;
    problem.in_place = false;
    const auto arrays = arrays_of(problem);
    const ArrayOperands operands = arrays->operands();
    const auto write = [&](void* base, Index i, double value) {
      double& entry = matrices(problem, base)[2](i, 3);
      const double before = std::exchange(entry, value);
      const bool found = !arrays->only_results_written();
      entry = before;
      return found;
    };
    EXPECT_TRUE(write(operands.result, 6, 1));  // between n and ld
    EXPECT_TRUE(write(operands.a, 2, 1));       // A is not to be overwritten
    operands.pivots[-1] = 0;
    EXPECT_FALSE(arrays->only_results_written());
    arrays->restore();
    operands.pivots[-1] = operands.info[-1];
    EXPECT_TRUE(arrays->only_results_written());
    operands.info[5] = 0;
    EXPECT_FALSE(arrays->only_results_written());
  }
}

TEST(HostBatchArrays, RefuseAGroupThatDoesNotFit) {
  const ArrayProblem problem = lu_problem(ArrayLayout::contiguous);
  EXPECT_THROW(make_host_batch_arrays(problem, group_of(4), {}), std::invalid_argument);
  ArrayProblem narrow = problem;
  narrow.ld = 5;
  EXPECT_THROW(make_host_batch_arrays(narrow, group_of(5), {}), std::invalid_argument);
}

TEST(BatchSample, HasDifferentMatricesInOrder) {
  for (const auto& [count, size] : {std::pair{10, 4}, {1000, 999}, {7, 9}, {1, 1}, {100000, 64}}) {
    const BatchSample sample(1, count, size);
    EXPECT_EQ(sample.size(), std::min(count, size));
    Offset before = -1;
    for (Offset share = 0; share < sample.size(); ++share) {
      EXPECT_GT(sample[share], before);
      EXPECT_LT(sample[share], count);
      before = sample[share];
    }
  }
}

TEST(BatchSample, ContainsItsMatricesAndNoOthers) {
  const BatchSample sample(5, 1003, 77);
  std::set<Offset> members;
  for (Offset share = 0; share < sample.size(); ++share) members.insert(sample[share]);
  for (Offset k = 0; k < 1003; ++k) EXPECT_EQ(sample.contains(k), members.contains(k)) << k;
}

}  // namespace
}  // namespace lufact
