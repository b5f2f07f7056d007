// SPDX-License-Identifier: BSD-3-Clause
#include "core/preprocess/ordering_forecast.hpp"

#include <fmt/format.h>

namespace lufact {
namespace {

constexpr double seconds_per_column = 0.6e-6;
constexpr double flops_per_second = 25e12;

}  // namespace

double forecast_seconds(const OrderingCost& cost) noexcept {
  return cost.path.columns * seconds_per_column + cost.flops / flops_per_second;
}

std::string describe(const OrderingCost& cost) {
  return fmt::format("{:.3g} Gflop, critical path of {} columns and {:.3g} Gflop, {:.3g} ms",
                     cost.flops * 1e-9, cost.path.columns, cost.path.flops * 1e-9,
                     forecast_seconds(cost) * 1e3);
}

}  // namespace lufact
