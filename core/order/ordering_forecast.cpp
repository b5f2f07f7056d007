// SPDX-License-Identifier: BSD-3-Clause
#include "core/order/ordering_forecast.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lufact {

double forecast_seconds(const OrderingCost& cost, const Rates& rates) noexcept {
  const DeviceOrderRates& rate = rates.device_order;
  return rate.factorization_s + cost.columns * rate.column_s + cost.path.seconds +
         cost.flops / rate.flops_per_s;
}

double forecast_host_seconds(const OrderingCost& cost, Offset nnz, int threads,
                             const Rates& rates) noexcept {
  const HostOrderRates& rate = rates.host_order;
  const double team = std::clamp<double>(threads, 1, rate.most_useful_threads);
  const double useful = 1 + rate.use_of_another_thread * (team - 1);
  return (threads > 1 ? rate.threads_start_s : 0) + rate.entry_s * static_cast<double>(nnz) +
         rate.path_column_s * cost.path.columns +
         (rate.factor_entry_s * cost.nnz_l + cost.flops / rate.flops_per_s) / useful;
}

double avoidable_share(const OrderingCost& cost, const Rates& rates) noexcept {
  const double needed_s = 3 * cost.largest_column * rates.column_path.column_s(cost.largest_column);
  return std::max(0.0, cost.path.seconds - needed_s) / forecast_seconds(cost, rates);
}

double forecast_amd_seconds(Offset nnz, const OrderingRates& rates) noexcept {
  return static_cast<double>(nnz) * rates.amd_entry_s;
}

double forecast_metis_seconds(Offset nnz, const OrderingRates& rates) noexcept {
  return static_cast<double>(nnz) * rates.metis_entry_s;
}

double forecast_dissection_seconds(Offset nnz, int threads, const OrderingRates& rates) noexcept {
  const double useful = std::clamp<double>(threads, 1, rates.most_useful_threads);
  return rates.dissection_s + static_cast<double>(nnz) * rates.dissection_entry_s / useful;
}

std::string describe(const OrderingCost& cost, const Rates& rates) {
  return fmt::format(
      "{:.3g} Gflop, critical path of {} columns, {:.3g} Gflop and {:.3g} ms, {:.3g} ms",
      cost.flops * 1e-9, cost.path.columns, cost.path.flops * 1e-9, cost.path.seconds * 1e3,
      forecast_seconds(cost, rates) * 1e3);
}

}  // namespace lufact
