// SPDX-License-Identifier: BSD-3-Clause
// Arithmetic that the host plans with and kernels repeat: plain C++ where there is no CUDA.
#pragma once

#ifdef __CUDACC__
#define LUFACT_HOST_DEVICE __host__ __device__
#else
#define LUFACT_HOST_DEVICE
#endif
