// SPDX-License-Identifier: BSD-3-Clause
// Nothing but a matrix decides on the bits of its result.
#include "core/array/guarded_array.hpp"
#include "core/batch/cpu/kernels.hpp"
#include "core/batch/cpu/test/cpu_batches.hpp"

namespace lufact::test {
namespace {

template <class Real>
class CpuBatchLanes : public testing::Test {};
TYPED_TEST_SUITE(CpuBatchLanes, Reals);

// Matrices of every kind of trouble among good ones.
std::vector<double> troubled_matrices(Index n, Offset count) {
  std::vector<double> values;
  for (Offset k = 0; k < count; ++k) {
    for (Index p = 0; p < n * n; ++p) {
      const BatchKind kind = k % 5 == 0 ? BatchKind::special : BatchKind::random;
      values.push_back(batch_entry(kind, 9, n, 2 * (k / 5) + 1, p % n, p / n) +
                       (kind == BatchKind::random ? 1e-3 * static_cast<double>(k) : 0));
    }
  }
  return values;
}

// A matrix has the same bits alone as in a batch in any order.
TYPED_TEST(CpuBatchLanes, NoMatrixDependsOnItsNeighbours) {
  // Right-hand sides belong to a place in the batch.
  for (const ArrayOperation operation : {ArrayOperation::lu, ArrayOperation::inverse}) {
    for (const Index n : {3, 8, 19}) {
      constexpr Offset count = 83;
      const std::vector<double> values = troubled_matrices(n, count);
      const auto problem = problem_of<TypeParam>(operation, n, count);
      SCOPED_TRACE(described(problem));
      const auto whole = made(problem, given(n, values));
      const auto size = Offset{n} * n;
      for (Offset k = 0; k < count; ++k) {
        const std::vector<double> one(values.begin() + k * size, values.begin() + (k + 1) * size);
        const auto alone = made(problem_of<TypeParam>(operation, n, 1), given(n, one));
        ASSERT_TRUE(same_bits(whole->result(k), alone->result(0))) << k;
      }
      std::vector<double> turned;
      for (Offset k = count - 1; k >= 0; --k) {
        turned.insert(turned.end(), values.begin() + k * size, values.begin() + (k + 1) * size);
      }
      const auto reversed = made(problem, given(n, turned));
      for (Offset k = 0; k < count; ++k) {
        ASSERT_TRUE(same_bits(whole->result(k), reversed->result(count - 1 - k))) << k;
      }
    }
  }
}

TYPED_TEST(CpuBatchLanes, AMatrixWithNanChangesNoOther) {
  for (const ArrayOperation operation : operations) {
    const Index n = 7;
    const auto problem = problem_of<TypeParam>(operation, n, 40);
    std::vector<double> values;
    for (Index p = 0; p < 40 * n * n; ++p) {
      values.push_back(batch_entry(BatchKind::random, 1, n, p / (n * n), p % n, p / n % n));
    }
    const auto clean = made(problem, given(n, values));
    for (Index p = 0; p < n * n; ++p) {
      values[at(13 * n * n + p)] = std::numeric_limits<double>::quiet_NaN();
      const auto dirty = made(problem, given(n, values));
      EXPECT_EQ(dirty->check({}).info.nonfinite, 1);
      for (Offset k = 0; k < 40; ++k) {
        ASSERT_TRUE(k == 13 || same_bits(clean->result(k), dirty->result(k))) << k;
      }
    }
  }
}

template <class Real>
const CpuBatchKernel<Real>& kernel_of(const CpuBatchKernels& kernels) {
  if constexpr (std::is_same_v<Real, float>) {
    return kernels.float32;
  } else {
    return kernels.float64;
  }
}

// Every instruction set of this machine gives the same bits.
TYPED_TEST(CpuBatchLanes, InstructionSetsGiveTheSameBits) {
  for (const ArrayOperation operation : operations) {
    for (const Index n : {1, 2, 6, 13, 32, 64}) {
      for (const ArrayLayout layout : layouts) {
        const auto problem = problem_of<TypeParam>(operation, n, 67, layout);
        SCOPED_TRACE(described(problem));
        const auto expected = made(problem, BatchKind::special);
        for (const CpuBatchKernels& kernels : cpu_batch_kernels()) {
          const CpuBatchKernel<TypeParam>& kernel = kernel_of<TypeParam>(kernels);
          auto arrays = make_host_batch_arrays(
              problem,
              {.n = n, .count = 67, .kind = BatchKind::special, .given = nullptr, .seed = 11}, {});
          arrays->restore();
          const ArrayOperands operands = arrays->operands();
          const CpuBatchTask task{
              operation,  layout,          n,          problem.ld,      problem.rhs,  67,
              operands.a, operands.result, operands.b, operands.pivots, operands.info};
          GuardedArray<TypeParam> workspace(kernel.workspace(task), 64);
          kernel.run(task, 0, 67, workspace.data());
          EXPECT_TRUE(workspace.guards_intact());
          EXPECT_EQ(arrays->values_sha256(), expected->values_sha256()) << kernel.name;
          EXPECT_EQ(arrays->pivots_sha256(), expected->pivots_sha256()) << kernel.name;
        }
      }
    }
  }
}

TEST(CpuBatchThreads, ThreadsChangeNoBit) {
  const auto problem = problem_of<double>(ArrayOperation::inverse, 9, 3000);
  std::vector<std::string> hashes;
  for (const int threads : {1, 2, 5}) {
    auto arrays = make_host_batch_arrays(
        problem, {.n = 9, .count = 3000, .kind = BatchKind::random, .given = nullptr, .seed = 2},
        {.threads = 2});
    arrays->restore();
    prepared(problem, threads)->run(arrays->operands(), 3000);
    hashes.push_back(arrays->values_sha256());
  }
  EXPECT_EQ(hashes[0], hashes[1]);
  EXPECT_EQ(hashes[0], hashes[2]);
}

}  // namespace
}  // namespace lufact::test
