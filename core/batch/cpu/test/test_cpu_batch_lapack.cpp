// SPDX-License-Identifier: BSD-3-Clause
// LU by the stage `cpu` beside LAPACK's getrf, which may round otherwise: the pivots agree but for
// ties of rounding, info but for zeros of rounding.
#include "core/batch/cpu/test/cpu_batches.hpp"

extern "C" {
void dgetrf_(const int* m, const int* n, double* a, const int* ld, int* pivots, int* info);
void sgetrf_(const int* m, const int* n, float* a, const int* ld, int* pivots, int* info);
}

namespace lufact::test {
namespace {

int getrf(int n, double* a, int* pivots) {
  int info = 0;
  dgetrf_(&n, &n, a, &n, pivots, &info);
  return info;
}

int getrf(int n, float* a, int* pivots) {
  int info = 0;
  sgetrf_(&n, &n, a, &n, pivots, &info);
  return info;
}

template <class Real>
class CpuBatchLapack : public testing::Test {};
TYPED_TEST_SUITE(CpuBatchLapack, Reals);

TYPED_TEST(CpuBatchLapack, HasThePivotsAndInfoOfGetrf) {
  constexpr Offset count = 203;
  for (const BatchKind kind : {BatchKind::random, BatchKind::dominant, BatchKind::singular}) {
    for (const Index n : {1, 2, 3, 4, 7, 8, 15, 16, 17, 32, 33, 64}) {
      const auto problem = problem_of<TypeParam>(ArrayOperation::lu, n, count);
      SCOPED_TRACE(std::string(to_string(kind)) + " " + described(problem));
      const auto arrays = made(problem, kind);
      Offset equal = 0;
      for (Offset k = 0; k < count; ++k) {
        std::vector<TypeParam> a;
        for (Index p = 0; p < n * n; ++p) {
          a.push_back(static_cast<TypeParam>(batch_entry(kind, 11, n, k, p % n, p / n)));
        }
        std::vector<std::int32_t> pivots(at(n));
        const int info = getrf(n, a.data(), pivots.data());
        const BatchResult ours = arrays->result(k);
        EXPECT_EQ(ours.info, info) << k;
        equal += ours.pivots == pivots ? 1 : 0;
      }
      // Candidates as close as rounding are rare in random matrices.
      EXPECT_GE(equal, n < 32 ? count : count - 4);
    }
  }
}

// All numbers are exact: LAPACK's first row of equal ones, without exception.
TYPED_TEST(CpuBatchLapack, TakesTheSameRowsOfTies) {
  for (const Index n : {1, 2}) {
    const auto problem = problem_of<TypeParam>(ArrayOperation::lu, n, 1000);
    const auto arrays = made(problem, BatchKind::ties);
    for (Offset k = 0; k < problem.count; ++k) {
      std::vector<TypeParam> a;
      for (Index p = 0; p < n * n; ++p) {
        a.push_back(static_cast<TypeParam>(batch_entry(BatchKind::ties, 11, n, k, p % n, p / n)));
      }
      std::vector<std::int32_t> pivots(at(n));
      const int info = getrf(n, a.data(), pivots.data());
      EXPECT_EQ(arrays->result(k).info, info);
      EXPECT_EQ(arrays->result(k).pivots, pivots);
    }
  }
}

}  // namespace
}  // namespace lufact::test
