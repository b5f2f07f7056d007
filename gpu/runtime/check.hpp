// SPDX-License-Identifier: BSD-3-Clause
// The two ways to check a CUDA call. The throwing one names the call, the error and the place, and
// clears the sticky error; the other is for destructors.
#pragma once
#include <cuda_runtime_api.h>

namespace lufact::gpu {

// Throws Error{error, "cuda_error"}, or {oom_device, "cuda_out_of_memory"} for an allocation.
[[noreturn]] void throw_cuda_error(cudaError_t status, const char* call, const char* file,
                                   int line);
void report_cuda_error(cudaError_t status, const char* call, const char* file, int line) noexcept;

}  // namespace lufact::gpu

#define LUFACT_CUDA(call)                                                         \
  do {                                                                            \
    const cudaError_t lufact_status_ = (call);                                    \
    if (lufact_status_ != cudaSuccess) {                                          \
      ::lufact::gpu::throw_cuda_error(lufact_status_, #call, __FILE__, __LINE__); \
    }                                                                             \
  } while (false)

#define LUFACT_CUDA_NOEXCEPT(call)                                                 \
  do {                                                                             \
    const cudaError_t lufact_status_ = (call);                                     \
    if (lufact_status_ != cudaSuccess) {                                           \
      ::lufact::gpu::report_cuda_error(lufact_status_, #call, __FILE__, __LINE__); \
    }                                                                              \
  } while (false)
