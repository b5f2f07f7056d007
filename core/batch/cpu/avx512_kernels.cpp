// SPDX-License-Identifier: BSD-3-Clause
// Kernels of the stage `cpu` for AVX-512 (F, BW, DQ, VL).
#define LUFACT_CPU_VECTOR_BYTES 64
#include "core/batch/cpu/group.hpp"

namespace lufact {

CpuBatchKernels avx512_batch_kernels() {
  return kernels_named("avx512");
}

}  // namespace lufact
