// SPDX-License-Identifier: BSD-3-Clause
// Arithmetic that the host plans with and kernels repeat: plain C++ where there is no CUDA.
#pragma once

#ifdef __CUDACC__
#define LUFACT_HOST_DEVICE __host__ __device__
#else
#define LUFACT_HOST_DEVICE
#endif

// In front of a loop over registers.
#ifdef __CUDA_ARCH__
#define LUFACT_UNROLL _Pragma("unroll")
#else
#define LUFACT_UNROLL
#endif
