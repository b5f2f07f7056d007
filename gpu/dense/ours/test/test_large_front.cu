// SPDX-License-Identifier: BSD-3-Clause
// A front of many tiles, over and over: what blocks hand to each other is right every time.
#include <thrust/equal.h>
#include <thrust/execution_policy.h>

#include "gpu/batch/test/batch_on_device.hpp"
#include "gpu/dense/device_dense_arrays.hpp"
#include "gpu/dense/ours/dense_front.hpp"
#include "gpu/runtime/buffer.hpp"

namespace lufact::gpu::blocked {
namespace {

class LargeFront : public DeviceTest {
 protected:
  // Of `runs`, how many differ from the first one.
  template <class T>
  int different(Index n, int runs, DiagonalWay way) {
    const ArrayProblem problem{
        .rows = n,
        .columns = n,
        .ld = n,
        .precision = sizeof(T) == 8 ? Precision::float64 : Precision::float32,
        .pivoting = ArrayPivoting::none};
    const DenseMatrixSource source({.input = "dominant", .m = n, .n = n});
    DeviceDenseArrays arrays(*session, problem, source, 2);
    DenseFront<T> front(*session, n, 2, way);
    const Offset entries = Offset{n} * n;
    const T* const result = static_cast<const T*>(arrays.operands().a);
    Buffer<T> first(*session, MemoryRole::scratch, entries, "factors of the first run");
    int count = 0;
    for (int run = 0; run < runs; ++run) {
      arrays.restore();
      front.factor(static_cast<T*>(arrays.operands().a), n);
      if (run == 0) {
        LUFACT_CUDA(cudaMemcpyAsync(first.data(), result, first.bytes(), cudaMemcpyDeviceToDevice,
                                    session->stream()));
      } else if (!thrust::equal(thrust::cuda::par.on(session->stream()), result, result + entries,
                                first.data())) {
        ++count;
      }
    }
    return count;
  }
};

TEST_F(LargeFront, StressEveryRunHasTheSameBitsInDouble) {
  EXPECT_EQ(different<double>(8192, 60, DiagonalWay::tasks), 0);
  EXPECT_EQ(different<double>(3400, 200, DiagonalWay::chain), 0);
}

TEST_F(LargeFront, StressEveryRunHasTheSameBitsInFloat) {
  EXPECT_EQ(different<float>(8192, 60, DiagonalWay::tasks), 0);
  EXPECT_EQ(different<float>(3400, 200, DiagonalWay::chain), 0);
}

}  // namespace
}  // namespace lufact::gpu::blocked
