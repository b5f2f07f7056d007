// SPDX-License-Identifier: BSD-3-Clause
// Kernels of the stage `cpu` for AVX2.
#define LUFACT_CPU_VECTOR_BYTES 32
#include "core/batch/cpu/group.hpp"

namespace lufact {

CpuBatchKernels avx2_batch_kernels() {
  return kernels_named("avx2");
}

}  // namespace lufact
