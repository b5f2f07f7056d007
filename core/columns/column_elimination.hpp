// SPDX-License-Identifier: BSD-3-Clause
// Engines behind HostFactors, which compute the values of L and U on the host.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "core/columns/column_storage.hpp"
#include "core/pipeline/column_products.hpp"

namespace lufact {

struct PivotRule {
  double smallest = 0;  // absolute: threshold times the largest row sum of the scaled matrix
};

// The pivots and magnitudes that one thread has met in a factorization.
struct PivotReport {
  Offset perturbed = 0;
  double largest_change = 0;  // |new pivot - old pivot|
  double largest_factor = 0;  // max |L|, |U|; infinity where one is not finite
  double largest_input = 0;   // max |row_scale B col_scale|

  // A pivot p with |p| < smallest becomes copysign(smallest, p), +smallest for 0; NaN stays.
  template <class T>
  T guarded_pivot(T pivot, PivotRule rule) {
    const auto smallest = static_cast<T>(rule.smallest);
    if (!(std::abs(pivot) < smallest)) return pivot;
    const T replaced = pivot == T(0) ? smallest : std::copysign(smallest, pivot);
    ++perturbed;
    largest_change = std::max(largest_change, std::abs(static_cast<double>(replaced - pivot)));
    return replaced;
  }

  // NaN counts as infinity, so that no maximum hides it.
  template <class T>
  void note_factor(T value) {
    const double magnitude = std::abs(static_cast<double>(value));
    if (magnitude <= largest_factor) return;
    largest_factor = std::isnan(magnitude) ? std::numeric_limits<double>::infinity() : magnitude;
  }

  void merge(const PivotReport& other) {
    perturbed += other.perturbed;
    largest_change = std::max(largest_change, other.largest_change);
    largest_factor = std::max(largest_factor, other.largest_factor);
    largest_input = std::max(largest_input, other.largest_input);
  }
};

// Input and output of one factorization. Values are by column, like `storage`.
template <class T>
struct EliminationProblem {
  const PermutedMatrix& matrix;
  const TransposedPattern& input;  // of the matrix, by columns
  const ColumnPattern& pattern;
  const ColumnStorage& storage;
  const ColumnSchedule& schedule;
  PivotRule pivots;
  int threads = 1;
  std::span<T> values;  // out

  // Entry q of `input`, which is in column j of B, under both scalings.
  double scaled_input(Offset q, std::size_t j) const {
    const auto i = static_cast<std::size_t>(input.pattern.col_idx[static_cast<std::size_t>(q)]);
    const Offset source = input.source[static_cast<std::size_t>(q)];
    return matrix.row_scale[i] * matrix.values[static_cast<std::size_t>(source)] *
           matrix.col_scale[j];
  }
};

template <class T>
class ColumnElimination {
 public:
  virtual ~ColumnElimination() = default;
  // All problems given to one engine have the same pattern, storage and schedule.
  virtual PivotReport factor(const EliminationProblem<T>& problem) = 0;
};

}  // namespace lufact
