// SPDX-License-Identifier: BSD-3-Clause
// The kernels of one order and precision: LUFACT_BATCH_ORDER, LUFACT_BATCH_REAL. A layout that does
// not take the order is an empty kernel, which nobody launches (candidates.hpp).
#include "gpu/batch/ours/rows_inverse.cuh"
#include "gpu/batch/ours/rows_lu.cuh"
#include "gpu/batch/ours/rows_solve.cuh"
#include "gpu/batch/ours/thread_inverse.cuh"
#include "gpu/batch/ours/thread_lu.cuh"
#include "gpu/batch/ours/thread_solve.cuh"

namespace lufact::gpu::ours {
namespace {

using Real = LUFACT_BATCH_REAL;
constexpr int order = LUFACT_BATCH_ORDER;

constexpr bool taken(int first64, int last64, int first32, int last32) {
  return sizeof(Real) == 8 ? order >= first64 && order <= last64
                           : order >= first32 && order <= last32;
}
// A quarter of a multiprocessor has 16384 registers, so that with these a thread it holds 8, 6, 5,
// 4, 3 or 2 warps; numbers between them would not be used.
constexpr int register_limit(int wanted) {
  for (const int limit : {64, 80, 96, 128, 168}) {
    if (wanted <= limit) return limit;
  }
  return 255;
}
// Beside the matrix: positions, candidates, addresses, pivot rows on their way.
constexpr int rows_registers = 32, thread_registers = 32;

template <int R, int G, bool Taken>
constexpr int rows_limit() {
  if constexpr (Taken) {
    return register_limit(RowsShape<Real, order, R, G>::data + rows_registers);
  } else {
    return register_limit(0);
  }
}
template <bool Taken>
constexpr int thread_limit() {
  return Taken ? register_limit(ThreadShape<Real, order>::data + 2 * order + thread_registers)
               : register_limit(0);
}

// Only what is taken is instantiated.
#define LUFACT_ROWS_BODY(operation)                                                               \
  template <bool Taken, int R, int G>                                                             \
  LUFACT_LANE void rows_##operation##_if(const BatchKernelArguments& arguments, char* shared) {   \
    if constexpr (Taken) rows_##operation<DeviceLanes, Real, order, R, G>(arguments, shared);     \
  }                                                                                               \
  template <bool Taken>                                                                           \
  LUFACT_LANE void thread_##operation##_if(const BatchKernelArguments& arguments, char* shared) { \
    if constexpr (Taken) thread_##operation<DeviceLanes, Real, order>(arguments, shared);         \
  }
LUFACT_ROWS_BODY(lu)
LUFACT_ROWS_BODY(inverse)
LUFACT_ROWS_BODY(solve)

}  // namespace
}  // namespace lufact::gpu::ours

using namespace lufact::gpu::ours;  // kernels have C names, by which the driver finds them

#define LUFACT_KERNEL(name, limit, body)                                          \
  extern "C" __global__ void __maxnreg__(limit)                                   \
      name(const __grid_constant__ lufact::gpu::BatchKernelArguments arguments) { \
    extern __shared__ __align__(128) char shared[];                               \
    body(arguments, shared);                                                      \
  }
#define LUFACT_ROWS_KERNEL(operation, lanes, rows, is_taken)                                 \
  LUFACT_KERNEL(rows_g##lanes##r##rows##_##operation, (rows_limit<rows, lanes, is_taken>()), \
                (rows_##operation##_if<is_taken, rows, lanes>))
#define LUFACT_ROWS(lanes, rows, first64, last64, first32, last32)                  \
  LUFACT_ROWS_KERNEL(lu, lanes, rows, taken(first64, last64, first32, last32))      \
  LUFACT_ROWS_KERNEL(inverse, lanes, rows, taken(first64, last64, first32, last32)) \
  LUFACT_ROWS_KERNEL(solve, lanes, rows, taken(first64, last64, first32, last32))
#define LUFACT_THREAD_KERNEL(operation, is_taken) \
  LUFACT_KERNEL(thread_##operation, (thread_limit<is_taken>()), (thread_##operation##_if<is_taken>))
#define LUFACT_THREAD(first64, last64, first32, last32)                  \
  LUFACT_THREAD_KERNEL(lu, taken(first64, last64, first32, last32))      \
  LUFACT_THREAD_KERNEL(inverse, taken(first64, last64, first32, last32)) \
  LUFACT_THREAD_KERNEL(solve, taken(first64, last64, first32, last32))
#include "gpu/batch/ours/candidates.def"
