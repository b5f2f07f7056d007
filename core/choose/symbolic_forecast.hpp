// SPDX-License-Identifier: BSD-3-Clause
// Time that finding the fronts of a matrix will take on host and device, forecast from n and nnz.
#pragma once
#include <cstdint>

#include "core/base/types.hpp"
#include "core/rates/rates.hpp"

namespace lufact {

// Seconds of `cpu-fronts` for n rows and nnz entries on so many threads.
double forecast_cpu_fronts(Index n, Offset nnz, int threads, const Rates& rates) noexcept;

// Seconds of `gpu-fronts`, including what later stages need to bring entries to the host. Terms are
// launches and the host's work for each row.
double forecast_gpu_fronts(Index n, Offset nnz, int threads, const Rates& rates) noexcept;

// Bytes of device memory that `gpu-fronts` takes besides the matrix, roughly.
std::uint64_t gpu_fronts_bytes(Index n, Offset nnz) noexcept;

}  // namespace lufact
