// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/random.hpp"
#include "core/reference/front_elimination.hpp"
#include "core/verify/front_growth.hpp"
#include "core/verify/validate_fronts.hpp"

namespace lufact {
namespace {

constexpr int probes = 3;

double norm(std::span<const double> x) {
  double largest = 0;
  for (const double value : x) {
    if (!(std::abs(value) <= largest)) largest = std::abs(value);
  }
  return largest;
}

// ||x - S z|| for S = row_scale * b * col_scale.
double residual_norm(const PermutedMatrix& b, std::span<const double> x,
                     std::span<const double> z) {
  std::vector<double> r(x.begin(), x.end());
  for (Index i = 0; i < b.pattern.n_rows; ++i) {
    for (Offset p = b.pattern.row_ptr[at(i)]; p < b.pattern.row_ptr[at(i) + 1]; ++p) {
      const std::size_t j = at(b.pattern.col_idx[at(p)]);
      r[at(i)] -= b.row_scale[at(i)] * b.values[at(p)] * b.col_scale[j] * z[j];
    }
  }
  return norm(r);
}

}  // namespace

ValidatorVerdict validate_front_factors(const PermutedMatrix& b, const FrontTree& tree,
                                        const std::vector<FrontShape>& shapes,
                                        std::span<const double> values,
                                        std::span<const std::uint8_t> row_sources,
                                        const FactorFigures& figures) {
  ValidatorVerdict verdict{true, "front-factors", ""};
  Index order = 1;
  for (Index f = 0; f < tree.fronts(); ++f) order = std::max(order, tree.order(f));
  const double unit_roundoff = figures.precision == Precision::float32 ? 0x1p-24 : 0x1p-53;
  const double growth = figures.growth ? *figures.growth : growth_of_u(b, shapes, values);
  const double explained = std::isfinite(growth) ? std::max(1.0, growth) : 1.0;
  for (std::uint64_t probe = 0; probe < probes; ++probe) {
    std::vector<double> x(at(tree.n));
    for (std::size_t k = 0; k < x.size(); ++k) x[k] = symmetric_interval(hash64(probe, k));
    std::vector<double> z = x;
    reference::solve_fronts(tree, shapes, values, row_sources, z, 1);
    const double allowed = (64.0 * order * unit_roundoff * explained * b.scaled_norm +
                            2 * figures.largest_perturbation) *
                               norm(z) +
                           64.0 * unit_roundoff * norm(x);
    const double residual = residual_norm(b, x, z);
    if (residual <= allowed || x.empty()) continue;
    verdict.passed = false;
    verdict.message = fmt::format(
        "||x - S z|| = {:.3g} for z solved with the factors, where rounding explains {:.3g}",
        residual, allowed);
    break;
  }
  return verdict;
}

}  // namespace lufact
