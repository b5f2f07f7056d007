// SPDX-License-Identifier: BSD-3-Clause
// What finding the fronts of a matrix will take on either side, from what is known before.
#pragma once
#include <cstdint>

#include "core/base/types.hpp"

namespace lufact {

// Seconds of `cpu-fronts` for n rows and nnz entries on so many threads. Fitted to 35 matrices of
// 1,800 to 200,000 rows on 16 cores, which take 0.6 to 1.8 of it, as fill is not known, and to ten
// of them on one thread.
double forecast_cpu_fronts(Index n, Offset nnz, int threads) noexcept;

// Seconds of `gpu-fronts`, with what it costs the stages behind it that entries come to the host.
// Launches, and what the host does for each row. Fitted to the same matrices on an H200 with 16
// cores: they take 0.6 to 1.7 of it, two up to 3 where fronts have thousands of children. Of the 35
// the forecasts send 31 to where symbolic, transfer and levelize take less together.
double forecast_gpu_fronts(Index n, Offset nnz, int threads) noexcept;

// Device memory that `gpu-fronts` takes beside the matrix, roughly.
std::uint64_t gpu_fronts_bytes(Index n, Offset nnz) noexcept;

}  // namespace lufact
