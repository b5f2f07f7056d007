// SPDX-License-Identifier: BSD-3-Clause
#include "core/preprocess/log_costs.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "core/base/error.hpp"

namespace lufact {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Replaces the magnitudes' logarithms of one row by costs; returns the largest logarithm.
double subtract_from_largest(std::span<double> logs) {
  double largest = -infinity;
  for (const double value : logs) largest = value > largest ? value : largest;
  if (largest == -infinity) largest = 0;
  for (double& value : logs) value = largest - value;
  return largest;
}

}  // namespace

LogCosts log_costs(const CsrMatrix& a) {
  LogCosts result{std::vector<double>(a.values.size()), std::vector<double>(a.pattern.n_rows)};
  for (Index i = 0; i < a.pattern.n_rows; ++i) {
    const auto values = a.row_values(i);
    const std::span<double> costs(result.costs.data() + a.pattern.row_ptr[i], values.size());
    bool finite = true;
    for (std::size_t k = 0; k < values.size(); ++k) {
      const double magnitude = std::abs(values[k]);
      finite &= magnitude < infinity;
      costs[k] = std::log(magnitude);
    }
    if (!finite) {
      throw Error(Outcome::error, "bad_matrix",
                  fmt::format("row {} (counted from 1) has a value that is not finite", i + 1));
    }
    result.row_maximum[i] = subtract_from_largest(costs);
  }
  return result;
}

}  // namespace lufact
