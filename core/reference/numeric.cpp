// SPDX-License-Identifier: BSD-3-Clause
#include "core/reference/numeric.hpp"

#include <algorithm>
#include <cmath>

namespace lufact::reference {
namespace {

// The working matrix As of the papers: B's scaled values in the pattern of L + U.
template <class Real>
class FilledMatrix {
 public:
  FilledMatrix(const PermutedMatrix& b, const ColumnPattern& pattern)
      : rows_(pattern.rows), columns_(transpose(rows_.view())), as_(rows_.col_idx.size(), Real{0}) {
    for (Index i = 0; i < rows_.n_rows; ++i) {
      for (Offset p = b.pattern.row_ptr[at(i)]; p < b.pattern.row_ptr[at(i) + 1]; ++p) {
        const Index j = b.pattern.col_idx[at(p)];
        entry(i, j) = static_cast<Real>(b.row_scale[at(i)] * b.values[at(p)] * b.col_scale[at(j)]);
      }
    }
    largest_before_ = largest();
  }

  // Lines 2 to 15 of E2E Algorithm 2 for column j, after the pivot has been made large enough.
  void eliminate(Index j, Real smallest_pivot) {
    perturb(entry(j, j), smallest_pivot);
    const Real pivot = entry(j, j);
    for (const Index k : below(j)) entry(k, j) /= pivot;
    for (const Index k : rows_.row(j)) {
      if (k <= j) continue;
      for (const Index i : below(j)) entry(i, k) -= entry(i, j) * entry(j, k);
    }
  }

  Factors finish() && {
    if (largest_before_ > 0) figures_.growth = largest() / largest_before_;
    figures_.values.assign(as_.begin(), as_.end());
    return std::move(figures_);
  }

 private:
  Real& entry(Index i, Index j) { return as_[at(find_entry(rows_.view(), i, j))]; }

  // Rows of L in column j.
  std::span<const Index> below(Index j) const {
    const auto column = columns_.row(j);
    const auto begin = std::upper_bound(column.begin(), column.end(), j);
    return column.subspan(static_cast<std::size_t>(begin - column.begin()));
  }

  void perturb(Real& pivot, Real smallest) {
    if (!(std::abs(pivot) < smallest)) return;
    const Real replacement = pivot < 0 ? -smallest : smallest;
    ++figures_.perturbed_pivots;
    figures_.largest_perturbation =
        std::max(figures_.largest_perturbation, std::abs(static_cast<double>(replacement - pivot)));
    pivot = replacement;
  }

  double largest() const {
    Real result = 0;
    for (const Real value : as_) result = std::max(result, std::abs(value));
    return static_cast<double>(result);
  }

  const CsrPattern& rows_;
  CsrPattern columns_;  // the transpose: row j holds the rows of column j
  std::vector<Real> as_;
  double largest_before_ = 0;
  Factors figures_;
};

template <class Real>
Factors factor_in_order(const PermutedMatrix& b, const ColumnPattern& pattern,
                        const std::vector<Index>& order, double threshold) {
  FilledMatrix<Real> as(b, pattern);
  const Real smallest_pivot = static_cast<Real>(threshold * b.scaled_norm);
  for (const Index j : order) as.eliminate(j, smallest_pivot);
  return std::move(as).finish();
}

Factors factor_in_order(const PermutedMatrix& b, const ColumnPattern& pattern,
                        const std::vector<Index>& order, const StaticPivoting& pivoting) {
  return pivoting.precision == Precision::float32
             ? factor_in_order<float>(b, pattern, order, pivoting.threshold)
             : factor_in_order<double>(b, pattern, order, pivoting.threshold);
}

}  // namespace

Factors right_looking(const PermutedMatrix& b, const ColumnPattern& pattern,
                      const StaticPivoting& pivoting) {
  std::vector<Index> order;
  for (Index j = 0; j < pattern.rows.n_rows; ++j) order.push_back(j);
  return factor_in_order(b, pattern, order, pivoting);
}

Factors right_looking_by_levels_descending(const PermutedMatrix& b, const ColumnPattern& pattern,
                                           const ColumnSchedule& schedule,
                                           const StaticPivoting& pivoting) {
  std::vector<Index> order = schedule.columns;
  for (Index level = 0; level < schedule.levels(); ++level) {
    std::reverse(order.begin() + schedule.level_ptr[at(level)],
                 order.begin() + schedule.level_ptr[at(level) + 1]);
  }
  return factor_in_order(b, pattern, order, pivoting);
}

}  // namespace lufact::reference
