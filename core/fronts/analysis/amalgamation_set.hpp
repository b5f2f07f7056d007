// SPDX-License-Identifier: BSD-3-Clause
// Sets of columns while they are merged into fronts.
#pragma once
#include "core/base/raw_vector.hpp"
#include "core/fronts/analysis/front_latency.hpp"

namespace lufact {

// Entries of the lower triangle's columns and of the upper triangle's rows, diagonal once, of
// `pivots` pivots of a front of order `order`.
constexpr double stored_entries(double pivots, double order) noexcept {
  return pivots * (2 * order - pivots);
}

// Sets are merged to so many pivots whatever zeros that stores, so that a subtree of so few columns
// becomes one set.
inline constexpr Index always_amalgamated = 8;

// A set while sets are merged; its number is that of the topmost set in it.
struct AmalgamationSet {
  Index parent;  // before merging
  Index pivots, order;
  Index into;     // the set that it was merged into, or itself
  Index subtree;  // sets in its subtree before merging
  Index own;      // pivots before merging
  double zeros;
  double below;  // latency of the longest path of sets below it, seconds

  Index rows() const noexcept { return order - pivots; }
  // Of the longest path that ends with this set.
  double path(const FrontPathRates& rates) const noexcept {
    return below + front_latency(pivots, rows(), rates);
  }

  // Takes a child's columns. Its rows are among those of this set already.
  void absorb(const AmalgamationSet& child) noexcept {
    zeros = zeros_with(child);
    pivots += child.pivots;
    order += child.pivots;
  }
  // Zeros that are stored when it has taken a child's columns.
  double zeros_with(const AmalgamationSet& child) const noexcept {
    return zeros + child.zeros + stored_entries(pivots + child.pivots, order + child.pivots) -
           stored_entries(pivots, order) - stored_entries(child.pivots, child.order);
  }
};
using AmalgamationSets = RawVector<AmalgamationSet>;

}  // namespace lufact
