// SPDX-License-Identifier: BSD-3-Clause
// What finding the fronts of a matrix will take on either side, from what is known before.
#pragma once
#include <cstdint>

#include "core/base/types.hpp"
#include "core/rates/rates.hpp"

namespace lufact {

// Seconds of `cpu-fronts` for n rows and nnz entries on so many threads.
double forecast_cpu_fronts(Index n, Offset nnz, int threads, const Rates& rates) noexcept;

// Seconds of `gpu-fronts`, with what it costs the stages behind it that entries come to the host.
// Launches, and what the host does for each row.
double forecast_gpu_fronts(Index n, Offset nnz, int threads, const Rates& rates) noexcept;

// Device memory that `gpu-fronts` takes beside the matrix, roughly.
std::uint64_t gpu_fronts_bytes(Index n, Offset nnz) noexcept;

}  // namespace lufact
