// SPDX-License-Identifier: BSD-3-Clause
#include "core/choose/symbolic_forecast.hpp"

namespace lufact {

double forecast_cpu_fronts(Index n, Offset nnz, int threads) noexcept {
  constexpr double start_of_threads = 0.28e-3;
  constexpr double row = 44e-9, shared_row = 20e-9, entry = 2.1e-9, shared_entry = 2.6e-9;
  const double share = 1.0 / threads;
  return (threads > 1 ? start_of_threads : 0) + (row + shared_row * share) * n +
         (entry + shared_entry * share) * static_cast<double>(nnz);
}

double forecast_gpu_fronts(Index n, Offset, int threads) noexcept {
  constexpr double launches = 0.85e-3, row = 18e-9, shared_row = 20e-9;
  return launches + (row + shared_row / threads) * n;
}

std::uint64_t gpu_fronts_bytes(Index n, Offset nnz) noexcept {
  constexpr std::uint64_t row = 512, entry = 80;  // of rows of fronts as many as sixteen a row
  return row * static_cast<std::uint64_t>(n) + entry * static_cast<std::uint64_t>(nnz);
}

}  // namespace lufact
