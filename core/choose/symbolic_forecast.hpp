// SPDX-License-Identifier: BSD-3-Clause
// Time that finding the fronts of a matrix will take on host and device, forecast from n and nnz.
#pragma once
#include <cstdint>

#include "core/base/types.hpp"

namespace lufact {

// Seconds of `cpu-fronts` for n rows and nnz entries on so many threads. Fitted to 35 matrices of
// 1,800 to 200,000 rows on 16 cores, which take 0.6 to 1.8 of the forecast, as fill is not known,
// and to ten of these matrices on one thread.
double forecast_cpu_fronts(Index n, Offset nnz, int threads) noexcept;

// Seconds of `gpu-fronts`, including what later stages need to bring entries to the host. Terms are
// launches and the host's work for each row. Fitted to the same matrices on an H200 with 16 cores:
// they take 0.6 to 1.7 of the forecast, two up to 3 times where fronts have thousands of children.
// For 31 of the 35 the forecasts choose the side where symbolic, transfer and levelize together
// take less.
double forecast_gpu_fronts(Index n, Offset nnz, int threads) noexcept;

// Bytes of device memory that `gpu-fronts` takes besides the matrix, roughly.
std::uint64_t gpu_fronts_bytes(Index n, Offset nnz) noexcept;

}  // namespace lufact
