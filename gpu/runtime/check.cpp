// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/runtime/check.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "core/base/error.hpp"

namespace lufact::gpu {

void throw_cuda_error(cudaError_t status, const char* call, const char* file, int line) {
  cudaGetLastError();  // a call that failed leaves its error for the next check otherwise
  const bool no_memory = status == cudaErrorMemoryAllocation;
  throw Error(no_memory ? Outcome::oom_device : Outcome::error,
              no_memory ? "cuda_out_of_memory" : "cuda_error",
              fmt::format("{} ({}) from {} at {}:{}", cudaGetErrorString(status),
                          cudaGetErrorName(status), call, file, line));
}

void report_cuda_error(cudaError_t status, const char* call, const char* file, int line) noexcept {
  // At the end of a process the runtime may be gone before the last owner of its memory is.
  if (status == cudaErrorCudartUnloading) return;
  cudaGetLastError();
  std::fprintf(stderr, "lufact: warning: %s (%s) from %s at %s:%d\n", cudaGetErrorString(status),
               cudaGetErrorName(status), call, file, line);
}

}  // namespace lufact::gpu
