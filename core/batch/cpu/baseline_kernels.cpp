// SPDX-License-Identifier: BSD-3-Clause
// Kernels of the stage `cpu` for the instructions that every machine of the build's kind has.
#define LUFACT_CPU_VECTOR_BYTES 16
#include "core/batch/cpu/group.hpp"

namespace lufact {

CpuBatchKernels baseline_batch_kernels() {
  return kernels_named("baseline");
}

}  // namespace lufact
