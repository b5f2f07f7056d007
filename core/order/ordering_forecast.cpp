// SPDX-License-Identifier: BSD-3-Clause
#include "core/order/ordering_forecast.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lufact {
namespace {

constexpr double floor_seconds = 72e-6;
constexpr double seconds_per_column = 3.0e-9;
constexpr double flops_per_second = 19e12;
// Geometric means over 11 matrices of 12,000 to 200,000 rows, within a factor of 3 of each; METIS:
// over 14, a factor of 2, and 8 where many rows are alike (bcsstk32).
constexpr double amd_seconds_per_entry = 60e-9, metis_seconds_per_entry = 560e-9;
constexpr double dissection_seconds = 2e-3, dissection_seconds_per_entry = 150e-9;
constexpr int most_useful_threads = 16;

}  // namespace

double forecast_seconds(const OrderingCost& cost) noexcept {
  return floor_seconds + cost.columns * seconds_per_column + cost.path.seconds +
         cost.flops / flops_per_second;
}

double forecast_host_seconds(const OrderingCost& cost, Offset nnz, int threads) noexcept {
  constexpr double start = 0.15e-3, of_entry = 13e-9, of_path_column = 0.1e-6;
  constexpr double of_factor_entry = 11e-9, flops_a_second = 25e9, use_of_another = 0.1;
  const double useful = 1 + use_of_another * (std::clamp(threads, 1, most_useful_threads) - 1);
  return (threads > 1 ? start : 0) + of_entry * static_cast<double>(nnz) +
         of_path_column * cost.path.columns +
         (of_factor_entry * cost.nnz_l + cost.flops / flops_a_second) / useful;
}

double avoidable_share(const OrderingCost& cost) noexcept {
  const double needed_s = 3 * cost.largest_column * column_seconds(cost.largest_column);
  return std::max(0.0, cost.path.seconds - needed_s) / forecast_seconds(cost);
}

double forecast_amd_seconds(Offset nnz) noexcept {
  return static_cast<double>(nnz) * amd_seconds_per_entry;
}

double forecast_metis_seconds(Offset nnz) noexcept {
  return static_cast<double>(nnz) * metis_seconds_per_entry;
}

double forecast_dissection_seconds(Offset nnz, int threads) noexcept {
  const int useful = std::clamp(threads, 1, most_useful_threads);
  return dissection_seconds + static_cast<double>(nnz) * dissection_seconds_per_entry / useful;
}

std::string describe(const OrderingCost& cost) {
  return fmt::format(
      "{:.3g} Gflop, critical path of {} columns, {:.3g} Gflop and {:.3g} ms, {:.3g} ms",
      cost.flops * 1e-9, cost.path.columns, cost.path.flops * 1e-9, cost.path.seconds * 1e3,
      forecast_seconds(cost) * 1e3);
}

}  // namespace lufact
