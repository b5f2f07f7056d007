// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/runtime/driver_function.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "core/base/error.hpp"
#include "gpu/runtime/check.hpp"

namespace lufact::gpu {
namespace {

// The oldest version of the interface that has all that is asked for.
[[maybe_unused]] constexpr unsigned interface_version = 12000;

cudaError_t find_entry(const char* name, void** function, cudaDriverEntryPointQueryResult* result) {
#if CUDART_VERSION >= 12050
  return cudaGetDriverEntryPointByVersion(name, function, interface_version, cudaEnableDefault,
                                          result);
#else
  return cudaGetDriverEntryPoint(name, function, cudaEnableDefault, result);
#endif
}

}  // namespace

void* find_driver_function(const char* name) {
  void* found = nullptr;
  auto result = cudaDriverEntryPointSymbolNotFound;
  LUFACT_CUDA(find_entry(name, &found, &result));
  if (result != cudaDriverEntryPointSuccess || found == nullptr) {
    throw Error(Outcome::unsupported, "old_driver",
                fmt::format("the NVIDIA driver has no {}; update it", name));
  }
  return found;
}

}  // namespace lufact::gpu
