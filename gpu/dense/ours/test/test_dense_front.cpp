// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <vector>

#include "core/fronts/plan/dense_front.hpp"
#include "gpu/batch/test/batch_on_device.hpp"
#include "gpu/dense/device_dense_arrays.hpp"
#include "gpu/dense/ours/dense_front.hpp"

namespace lufact::gpu::blocked {
namespace {

template <class T>
class DenseFrontTest : public DeviceTest {
 protected:
  static constexpr std::array ways{DiagonalWay::chain, DiagonalWay::tasks};

  static ArrayProblem problem(Index n, Index pad) {
    return {.rows = n,
            .columns = n,
            .ld = n + pad,
            .precision = sizeof(T) == 8 ? Precision::float64 : Precision::float32,
            .pivoting = ArrayPivoting::none};
  }

  // What is on the diagonal of U is for who runs it to judge: info is taken as 0.
  static void run(DenseFront<T>& front, DeviceDenseArrays& arrays) {
    arrays.restore();
    LUFACT_CUDA(cudaMemset(arrays.operands().info, 0, sizeof(std::int32_t)));
    front.factor(static_cast<T*>(arrays.operands().a), arrays.problem().ld);
  }
};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(DenseFrontTest, Reals);

TYPED_TEST(DenseFrontTest, SanitizeFactorsOfDominantMatrices) {
  for (const Index n : {1, 2, 15, 16, 17, 63, 64, 65, 100, 128, 129, 200}) {
    SCOPED_TRACE(n);
    const ArrayProblem problem = this->problem(n, n % 3);
    const DenseMatrixSource source({.input = "dominant", .m = n, .n = n});
    DeviceDenseArrays arrays(*this->session, problem, source, 2);
    for (const DiagonalWay way : this->ways) {
      DenseFront<TypeParam> front(*this->session, n, 2, way);
      EXPECT_EQ(front.way(), n <= tile_order ? DiagonalWay::tasks : way);
      this->run(front, arrays);
      const DenseCheck check = arrays.check({.has_pivots = false, .threads = 2});
      EXPECT_LE(check.error, 30 * double{std::numeric_limits<TypeParam>::epsilon()});
      EXPECT_FALSE(check.wrong_info);
    }
  }
}

// Inverses of the triangular factors of their tiles are large.
TYPED_TEST(DenseFrontTest, SanitizeKeepsFactorsWhereInversesAreLarge) {
  std::vector<std::string> inputs{"random", "hilbert", "toeplitz", "growth"};
  if (sizeof(TypeParam) == 8) inputs.push_back("special:subnormal");
  for (const std::string& input : inputs) {
    for (const Index n : {17, 64, 65, 100, 129, 200}) {
      if (input == "growth" && n > 100) continue;  // beyond the range of float
      SCOPED_TRACE(input + " " + std::to_string(n));
      const DenseMatrixSource source({.input = input, .m = n, .n = n});
      DeviceDenseArrays arrays(*this->session, this->problem(n, n % 3), source, 2);
      for (const DiagonalWay way : this->ways) {
        DenseFront<TypeParam> front(*this->session, n, 2, way);
        this->run(front, arrays);
        const DenseCheck check = arrays.check({.has_pivots = false, .threads = 2});
        EXPECT_LE(check.error, 30 * double{std::numeric_limits<TypeParam>::epsilon()});
        EXPECT_FALSE(check.wrong_info);
        EXPECT_EQ(front.tiles_without_inverses(), (n + tile_order - 1) / tile_order);
      }
    }
  }
}

TYPED_TEST(DenseFrontTest, EveryRunHasTheSameBits) {
  const Index n = 1000;
  for (const bool hard : {false, true}) {
    const DenseMatrixSource source({.input = hard ? "hilbert" : "dominant", .m = n, .n = n});
    DeviceDenseArrays arrays(*this->session, this->problem(n, 0), source, 2);
    for (const DiagonalWay way : this->ways) {
      DenseFront<TypeParam> front(*this->session, n, 2, way);
      this->run(front, arrays);
      const std::string bits = arrays.values_sha256();
      const DenseCheck check = arrays.check({.has_pivots = false, .threads = 2});
      EXPECT_LE(check.error, 30 * double{std::numeric_limits<TypeParam>::epsilon()});
      EXPECT_EQ(front.tiles_without_inverses() > 0, hard);
      for (int repetition = 0; repetition < 100; ++repetition) {
        this->run(front, arrays);
        ASSERT_EQ(arrays.values_sha256(), bits);
      }
    }
  }
}

TYPED_TEST(DenseFrontTest, TheFirstZeroPivotIsAZeroOfU) {
  for (const Index column : {1, 2, 9, 64, 65, 100, 150}) {
    SCOPED_TRACE(column);
    const Index n = 150;
    const DenseMatrixSource source(
        {.input = "zero-minor:" + std::to_string(column), .m = n, .n = n});
    DeviceDenseArrays arrays(*this->session, this->problem(n, 1), source, 2);
    for (const DiagonalWay way : this->ways) {
      DenseFront<TypeParam> front(*this->session, n, 2, way);
      this->run(front, arrays);
      for (Index k = 0; k < column; ++k) {
        const double pivot = arrays.result_column(k)[at(k)];
        EXPECT_EQ(pivot == 0, k + 1 == column) << k;
      }
    }
  }
}

TEST(DenseFrontGraph, TasksComeAfterWhatTheyWaitFor) {
  for (const Index n : {1, 64, 65, 1000}) {
    const TaskGraph graph = dense_front_graph(n, 2);
    const FrontShape& shape = graph.shape.front();
    const auto tiles = static_cast<std::size_t>(shape.tiles);
    ASSERT_EQ(graph.factorization.task.size(), tiles * tiles);
    ASSERT_EQ(graph.factorization.tickets(), shape.tiles * shape.tiles);
    std::vector<char> done(tiles * tiles, 0);
    for (const FrontTask& task : graph.factorization.task) {
      const Index steps = std::min(task.tile_row, task.tile_column);
      for (Index k = 0; k < steps; ++k) {
        EXPECT_TRUE(done[at(task.tile_row) * tiles + at(k)]);
        EXPECT_TRUE(done[at(k) * tiles + at(task.tile_column)]);
      }
      if (task.kind != TaskKind::diagonal) {
        EXPECT_TRUE(done[at(steps) * (tiles + 1)]);
      }
      done[at(task.tile_row) * tiles + at(task.tile_column)] = 1;
    }
  }
}

}  // namespace
}  // namespace lufact::gpu::blocked
