// SPDX-License-Identifier: BSD-3-Clause
#include "core/batch/cpu/kernels.hpp"

namespace lufact {

std::vector<CpuBatchKernels> cpu_batch_kernels() {
  std::vector<CpuBatchKernels> kernels{baseline_batch_kernels()};
#ifdef LUFACT_X86_KERNELS
  if (__builtin_cpu_supports("avx2")) kernels.push_back(avx2_batch_kernels());
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
    kernels.push_back(avx512_batch_kernels());
  }
#endif
  return kernels;
}

}  // namespace lufact
