// SPDX-License-Identifier: BSD-3-Clause
// Supernodes during amalgamation.
#pragma once
#include "core/base/raw_vector.hpp"
#include "core/fronts/analysis/front_latency.hpp"

namespace lufact {

// Entries that a front of order `order` stores for `pivots` pivots: their columns of L and their
// rows of U, the diagonal once.
constexpr double stored_entries(double pivots, double order) noexcept {
  return pivots * (2 * order - pivots);
}

// A merged supernode of at most this many pivots may store any number of zeros, so that a subtree
// of so few columns becomes one supernode.
inline constexpr Index always_amalgamated = 8;

// A supernode during amalgamation. A merged supernode keeps the number of its topmost member.
struct AmalgamationSet {
  Index parent;  // before merging
  Index pivots, order;
  Index into;     // the supernode that has absorbed this one, or itself
  Index subtree;  // supernodes in its subtree before merging, itself included
  Index own;      // pivots before merging
  double zeros;
  double below;  // latency of the longest path that ends with a child, seconds

  Index rows() const noexcept { return order - pivots; }
  // Latency of the longest path that ends with this supernode, seconds.
  double path(const FrontPathRates& rates) const noexcept {
    return below + front_latency(pivots, rows(), rates);
  }

  // Takes a child's pivots. The child's contribution rows are pivots or rows of this set already.
  void absorb(const AmalgamationSet& child) noexcept {
    zeros = zeros_with(child);
    pivots += child.pivots;
    order += child.pivots;
  }
  // Explicit zeros that this set stores once it has absorbed the child.
  double zeros_with(const AmalgamationSet& child) const noexcept {
    return zeros + child.zeros + stored_entries(pivots + child.pivots, order + child.pivots) -
           stored_entries(pivots, order) - stored_entries(child.pivots, child.order);
  }
};
using AmalgamationSets = RawVector<AmalgamationSet>;

}  // namespace lufact
