// SPDX-License-Identifier: BSD-3-Clause
#include "core/choose/symbolic_forecast.hpp"

namespace lufact {

double forecast_cpu_fronts(Index n, Offset nnz, int threads, const Rates& rates) noexcept {
  const HostSymbolicRates& rate = rates.host_symbolic;
  const double share = 1.0 / threads;
  return (threads > 1 ? rate.threads_start_s : 0) + (rate.row_s + rate.shared_row_s * share) * n +
         (rate.entry_s + rate.shared_entry_s * share) * static_cast<double>(nnz);
}

double forecast_gpu_fronts(Index n, Offset, int threads, const Rates& rates) noexcept {
  const DeviceSymbolicRates& rate = rates.device_symbolic;
  return rate.launches_s + (rate.row_s + rate.shared_row_s / threads) * n;
}

std::uint64_t gpu_fronts_bytes(Index n, Offset nnz) noexcept {
  constexpr std::uint64_t row = 512, entry = 80;  // of rows of fronts as many as sixteen a row
  return row * static_cast<std::uint64_t>(n) + entry * static_cast<std::uint64_t>(nnz);
}

}  // namespace lufact
