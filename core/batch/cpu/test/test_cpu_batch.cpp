// SPDX-License-Identifier: BSD-3-Clause
// The stage `cpu` against the sequential twin, bit by bit, and against the validator.
#include "core/base/error.hpp"
#include "core/batch/cpu/test/cpu_batches.hpp"

namespace lufact::test {
namespace {

constexpr Index orders[] = {1,  2,  3,  4,  5,  7,  8,  9,  12, 15, 16,
                            17, 20, 24, 28, 31, 32, 33, 48, 63, 64};
constexpr Offset counts[] = {1, 3, 31, 33, 1003};
template <class Real>
class CpuBatch : public testing::Test {};
TYPED_TEST_SUITE(CpuBatch, Reals);

TYPED_TEST(CpuBatch, EveryOrderCountAndLayoutHasTheTwinsBits) {
  for (const ArrayOperation operation : operations) {
    for (const Index n : orders) {
      for (const Offset count : counts) {
        if (count > 100 && n > 33) continue;
        for (const ArrayLayout layout : layouts) {
          const auto problem = problem_of<TypeParam>(operation, n, count, layout);
          SCOPED_TRACE(described(problem));
          const auto arrays = made(problem, BatchKind::random);
          expect_right(*arrays);
          for (Offset k = 0; k<count; k += count> 100 ? 37 : 1) {
            ASSERT_TRUE(
                same_bits(arrays->result(k), twin<TypeParam>(problem, BatchKind::random, k)))
                << "matrix " << k;
          }
        }
      }
    }
  }
}

TYPED_TEST(CpuBatch, EveryKindOfInput) {
  for (const ArrayOperation operation : operations) {
    for (const BatchKind kind : batch_kinds()) {
      for (const Index n : {1, 2, 3, 4, 5, 8, 13, 16, 32}) {
        const auto problem = problem_of<TypeParam>(operation, n, 1003);
        SCOPED_TRACE(std::string(to_string(kind)) + " " + described(problem));
        expect_right(*made(problem, kind));
      }
    }
  }
}

TYPED_TEST(CpuBatch, KindsThatAreFiniteHaveTheTwinsBits) {
  for (const ArrayOperation operation : operations) {
    for (const BatchKind kind : {BatchKind::ties, BatchKind::singular, BatchKind::graded}) {
      const auto problem = problem_of<TypeParam>(operation, 5, 101, ArrayLayout::pointers);
      SCOPED_TRACE(std::string(to_string(kind)) + " " + described(problem));
      const auto arrays = made(problem, kind);
      for (Offset k = 0; k < problem.count; ++k) {
        ASSERT_TRUE(same_bits(arrays->result(k), twin<TypeParam>(problem, kind, k))) << k;
      }
    }
  }
}

TYPED_TEST(CpuBatch, LeadingDimensionsAndPlaces) {
  for (const ArrayOperation operation : operations) {
    for (const ArrayLayout layout : layouts) {
      for (const bool in_place : {true, false}) {
        auto problem = problem_of<TypeParam>(operation, 11, 33, layout);
        problem.ld = 14;
        problem.in_place = in_place || operation != ArrayOperation::inverse;
        SCOPED_TRACE(described(problem));
        expect_right(*made(problem, BatchKind::random));
      }
    }
  }
}

TYPED_TEST(CpuBatch, EveryNumberOfRightHandSides) {
  for (Index rhs = 1; rhs <= 9; ++rhs) {
    auto problem = problem_of<TypeParam>(ArrayOperation::solve, 9, 19);
    problem.rhs = rhs;
    SCOPED_TRACE(rhs);
    expect_right(*made(problem, BatchKind::random));
  }
}

TYPED_TEST(CpuBatch, PivotsMayBeLeftOut) {
  const auto problem = problem_of<TypeParam>(ArrayOperation::inverse, 6, 21);
  const auto with = made(problem, BatchKind::random);
  auto without = make_host_batch_arrays(
      problem, {.n = 6, .count = 21, .kind = BatchKind::random, .given = nullptr, .seed = 11}, {});
  without->restore();
  ArrayOperands operands = without->operands();
  operands.pivots = nullptr;
  prepared(problem)->run(operands, 21);
  EXPECT_EQ(with->values_sha256(), without->values_sha256());
}

// Identity, the reversing permutation, zero, rank one, and every zero column of a random matrix.
std::vector<double> special_matrices(Index n) {
  std::vector<double> values;
  const auto add = [&](auto entry) {
    for (Index p = 0; p < n * n; ++p) values.push_back(entry(p % n, p / n));
  };
  add([](Index i, Index j) { return i == j ? 1.0 : 0.0; });
  add([n](Index i, Index j) { return i + j == n - 1 ? 1.0 : 0.0; });
  add([](Index, Index) { return 0.0; });
  add([](Index i, Index j) { return (i % 3 - 1.0) * (j % 2 + 1.0); });
  for (Index column = 0; column < n; ++column) {
    add([&](Index i, Index j) {
      return j == column ? 0.0 : batch_entry(BatchKind::random, 3, n, column, i, j);
    });
  }
  return values;
}

TYPED_TEST(CpuBatch, IdentityPermutationZeroRankOneAndZeroColumns) {
  for (const ArrayOperation operation : operations) {
    for (const Index n : {1, 2, 3, 5, 8, 17, 32}) {
      const Given matrices = given(n, special_matrices(n));
      const auto problem = problem_of<TypeParam>(operation, n, matrices->count);
      SCOPED_TRACE(described(problem));
      const auto arrays = made(problem, matrices);
      expect_right(*arrays);
      EXPECT_EQ(arrays->result(0).info, 0);
      EXPECT_EQ(arrays->result(1).info, 0);
      EXPECT_EQ(arrays->result(2).info, 1);
      for (Index column = 0; column < n; ++column) {
        EXPECT_EQ(arrays->result(4 + column).info, column + 1);
      }
    }
  }
}

TYPED_TEST(CpuBatch, FewerMatricesThanPrepared) {
  for (const ArrayLayout layout : {ArrayLayout::contiguous, ArrayLayout::interleaved}) {
    const auto some = problem_of<TypeParam>(ArrayOperation::lu, 6, 700, layout);
    auto arrays = make_host_batch_arrays(
        some, {.n = 6, .count = 700, .kind = BatchKind::random, .given = nullptr, .seed = 11}, {});
    arrays->restore();
    prepared(problem_of<TypeParam>(ArrayOperation::lu, 6, 2000, layout))
        ->run(arrays->operands(), 700);
    expect_right(*arrays);
  }
}

TEST(CpuBatchStage, RefusesWhatItDoesNotTake) {
  EXPECT_THROW(prepared(problem_of<double>(ArrayOperation::lu, 65, 1)), UsageError);
  ArrayProblem problem = problem_of<double>(ArrayOperation::lu, 4, 1);
  problem.pivoting = ArrayPivoting::none;
  EXPECT_THROW(prepared(problem), UsageError);
  ArrayOptions options;
  options.matrices_per_block = 2;
  std::vector<Choice> choices;
  std::vector<Warning> warnings;
  ArrayContext context{options, choices, warnings};
  EXPECT_THROW(make_cpu_batch()->prepare(problem_of<double>(ArrayOperation::lu, 4, 1), context),
               UsageError);
}

}  // namespace
}  // namespace lufact::test
