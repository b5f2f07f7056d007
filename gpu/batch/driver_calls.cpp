// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/batch/driver_calls.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "gpu/runtime/driver_function.hpp"

namespace lufact::gpu {
namespace {

template <class Function>
void find(Function*& function, const char* name) {
  function = driver_function<Function>(name);
}

DriverCalls find_all() {
  DriverCalls calls{};
  find(calls.module_load_data, "cuModuleLoadData");
  find(calls.module_unload, "cuModuleUnload");
  find(calls.module_get_function, "cuModuleGetFunction");
  find(calls.func_get_attribute, "cuFuncGetAttribute");
  find(calls.func_set_attribute, "cuFuncSetAttribute");
  find(calls.max_active_blocks, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  find(calls.launch_kernel, "cuLaunchKernel");
  find(calls.get_error_name, "cuGetErrorName");
  return calls;
}

}  // namespace

const DriverCalls& driver_calls() {
  static const DriverCalls calls = find_all();
  return calls;
}

void check_driver(CUresult status, const char* call) {
  if (status == CUDA_SUCCESS) return;
  const char* name = nullptr;
  if (driver_calls().get_error_name(status, &name) != CUDA_SUCCESS) name = "unknown error";
  const bool memory = status == CUDA_ERROR_OUT_OF_MEMORY;
  throw Error(memory ? Outcome::oom_device : Outcome::error,
              memory ? "cuda_out_of_memory" : "cuda_error",
              fmt::format("{} failed: {} ({})", call, name, static_cast<int>(status)));
}

}  // namespace lufact::gpu
