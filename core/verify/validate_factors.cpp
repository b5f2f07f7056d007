// SPDX-License-Identifier: BSD-3-Clause
#include "core/verify/validate_factors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "core/matrix/parallel.hpp"

namespace lufact {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Sums over one row; error and bound in the notation of the header.
struct RowSums {
  double error = 0, scaled = 0, bound = 0;
};

class RowMultiplier {
 public:
  RowMultiplier(const PermutedMatrix& b, const ColumnPattern& pattern,
                std::span<const double> values, double unit_roundoff)
      : b_(b),
        pattern_(pattern),
        values_(values),
        unit_roundoff_(unit_roundoff),
        difference_(at(b.pattern.n_rows), 0.0),
        magnitude_(at(b.pattern.n_rows), 0.0) {}

  RowSums sums(Index i) {
    RowSums result;
    for (Offset p = b_.pattern.row_ptr[at(i)]; p < b_.pattern.row_ptr[at(i) + 1]; ++p) {
      const Index j = b_.pattern.col_idx[at(p)];
      const double value = b_.row_scale[at(i)] * b_.values[at(p)] * b_.col_scale[at(j)];
      difference_[at(j)] = value;
      result.scaled += std::abs(value);
    }
    const Offset begin = pattern_.rows.row_ptr[at(i)], diagonal = pattern_.diagonal[at(i)];
    for (Offset p = begin; p < diagonal; ++p) {
      subtract(values_[at(p)], pattern_.rows.col_idx[at(p)]);
    }
    subtract(1.0, i);
    double magnitude = 0;
    for (const Index j : pattern_.rows.row(i)) {
      result.error += std::abs(std::exchange(difference_[at(j)], 0.0));
      magnitude += std::exchange(magnitude_[at(j)], 0.0);
    }
    result.bound = 8 * (static_cast<double>(diagonal - begin) + 4) * unit_roundoff_ * magnitude;
    return result;
  }

 private:
  // difference -= multiplier * U(k,:)
  void subtract(double multiplier, Index k) {
    for (Offset q = pattern_.diagonal[at(k)]; q < pattern_.rows.row_ptr[at(k) + 1]; ++q) {
      const double product = multiplier * values_[at(q)];
      const std::size_t j = at(pattern_.rows.col_idx[at(q)]);
      difference_[j] -= product;
      magnitude_[j] += std::abs(product);
    }
  }

  const PermutedMatrix& b_;
  const ColumnPattern& pattern_;
  std::span<const double> values_;
  double unit_roundoff_;
  std::vector<double> difference_, magnitude_;
};

struct WorstRow {
  Index row = -1;
  double excess = 0;  // error / allowed
  double error = 0;   // largest row sum, of any row
  double scaled = 0;

  void add(Index i, const RowSums& sums, double allowed) {
    const bool finite = std::isfinite(sums.error) && std::isfinite(allowed);
    const double ratio = finite ? (sums.error == 0 ? 0 : sums.error / allowed) : infinity;
    add({i, ratio, finite ? sums.error : infinity, sums.scaled});
  }
  void add(const WorstRow& other) {
    error = std::max(error, other.error);
    scaled = std::max(scaled, other.scaled);
    // Ties go to the smaller row, so that the message does not depend on the threads.
    if (other.row >= 0 &&
        (row < 0 || other.excess > excess || (other.excess == excess && other.row < row))) {
      row = other.row;
      excess = other.excess;
    }
  }
};

WorstRow find_worst_row(const PermutedMatrix& b, const ColumnPattern& pattern,
                        std::span<const double> values, double unit_roundoff,
                        double largest_perturbation) {
  WorstRow worst;
  RegionErrors errors;
#pragma omp parallel
  {
    std::optional<RowMultiplier> multiplier;
    errors.run([&] { multiplier.emplace(b, pattern, values, unit_roundoff); });
    WorstRow mine;
#pragma omp for schedule(dynamic, 16) nowait
    for (Index i = 0; i < b.pattern.n_rows; ++i) {
      errors.run([&] {
        const RowSums sums = multiplier->sums(i);
        mine.add(i, sums, sums.bound + largest_perturbation);
      });
    }
#pragma omp critical(lufact_worst_row)
    worst.add(mine);
  }
  errors.rethrow();
  return worst;
}

}  // namespace

FactorsCheck check_factors(const PermutedMatrix& b, const ColumnPattern& pattern,
                           std::span<const double> values, Precision precision,
                           double largest_perturbation) {
  FactorsCheck check;
  check.verdict.method = "factors";
  if (values.size() != pattern.rows.col_idx.size()) {
    check.relative_error = infinity;
    check.verdict.message = fmt::format("{} values for {} entries of the pattern", values.size(),
                                        pattern.rows.col_idx.size());
    return check;
  }
  const double unit_roundoff = precision == Precision::float32 ? 0x1p-24 : 0x1p-53;
  const WorstRow worst = find_worst_row(b, pattern, values, unit_roundoff, largest_perturbation);
  check.relative_error = worst.error == 0 ? 0 : worst.error / worst.scaled;
  check.verdict.passed = worst.excess <= 1;
  if (!check.verdict.passed) {
    check.verdict.message = fmt::format(
        "row {} of S - LU is {:.3g} times what rounding explains; ||S - LU|| / ||S|| = "
        "{:.3g}",
        worst.row, worst.excess, check.relative_error);
  }
  return check;
}

}  // namespace lufact
