// SPDX-License-Identifier: BSD-3-Clause
#include "core/match/log_costs.hpp"

#include <fmt/format.h>

#include <algorithm>
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

LogCosts log_costs(const CsrMatrix& a, int threads) {
  const Index n = a.pattern.n_rows;
  LogCosts result{nd::Buffer<double>(a.pattern.nnz()), nd::Buffer<double>(n)};
  Index first_bad = n;
#pragma omp parallel for schedule(dynamic, 1024) num_threads(threads) \
    reduction(min                                                     \
              : first_bad) if (threads > 1)
  for (Index i = 0; i < n; ++i) {
    const auto values = a.row_values(i);
    const std::span<double> costs(result.costs.begin() + a.pattern.row_ptr[i], values.size());
    for (std::size_t k = 0; k < values.size(); ++k) {
      const double magnitude = std::abs(values[k]);
      if (!(magnitude < infinity)) first_bad = std::min(first_bad, i);
      costs[k] = std::log(magnitude);
    }
    result.row_maximum[i] = subtract_from_largest(costs);
  }
  if (first_bad < n) {
    throw Error(
        Outcome::error, "bad_matrix",
        fmt::format("row {} (counted from 1) has a value that is not finite", first_bad + 1));
  }
  return result;
}

}  // namespace lufact
