// SPDX-License-Identifier: BSD-3-Clause
// What loads and launches kernels of files, of the CUDA driver.
#pragma once
#include <cuda.h>

namespace lufact::gpu {

struct DriverCalls {
  CUresult (*module_load_data)(CUmodule*, const void*);
  CUresult (*module_unload)(CUmodule);
  CUresult (*module_get_function)(CUfunction*, CUmodule, const char*);
  CUresult (*func_get_attribute)(int*, CUfunction_attribute, CUfunction);
  CUresult (*func_set_attribute)(CUfunction, CUfunction_attribute, int);
  CUresult (*max_active_blocks)(int*, CUfunction, int, size_t);
  CUresult (*launch_kernel)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                            unsigned, CUstream, void**, void**);
  CUresult (*get_error_name)(CUresult, const char**);
};

// Throws Error{unsupported, "old_driver"} where the driver lacks one.
const DriverCalls& driver_calls();

// Throws Error{error, "cuda_error"}, or {oom_device, "cuda_out_of_memory"}, naming the call.
void check_driver(CUresult status, const char* call);

}  // namespace lufact::gpu
