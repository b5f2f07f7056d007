// SPDX-License-Identifier: BSD-3-Clause
// The Jacobian of a circuit's harmonic balance: every node has a mean value and the two parts of
// each harmonic, 1 + 2 harmonics unknowns.
//   Linear elements join two near nodes frequency by frequency, in both directions.
//   Nonlinear devices: the current into one node depends on the voltage at another one; their
//   products mix all frequencies, so that a device is a dense block in one direction only, which
//   leaves little symmetry.
// Every row is strictly dominant.
#include <algorithm>

#include "core/base/random.hpp"
#include "core/generate/kinds.hpp"
#include "core/generate/near.hpp"
#include "core/generate/position_set.hpp"

namespace lufact::generate {
namespace {

class HarmonicBalance {
 public:
  HarmonicBalance(Index n, Offset nnz, Index harmonics, std::uint64_t seed)
      : n_(n),
        per_node_(1 + 2 * harmonics),
        nodes_(1 + (n - 1) / per_node_),
        seed_(seed),
        positions_(nnz) {}

  CsrMatrix make() {
    for (Index i = 0; i < n_; ++i) positions_.add(i, i);
    for (Index node = 0; node < nodes_; ++node) add_linear_element(node);
    for (std::uint64_t device = 0; positions_.left() > 0; ++device) add_device(device);
    return dominant_matrix(
        n_, positions_.sorted(), [](Index row) { return row; },
        [this](Index row, Index col) {
          return signed_weight(
              hash64(seed_, static_cast<std::uint64_t>(row), static_cast<std::uint64_t>(col)));
        });
  }

 private:
  // The last node may have fewer unknowns than the others.
  Index unknowns(Index node) const { return std::min(per_node_, n_ - node * per_node_); }
  Index unknown(Index node, Index part) const { return node * per_node_ + part; }

  void add_linear_element(Index node) {
    const Index other = near_item(node, nodes_, hash64(seed_, static_cast<std::uint64_t>(node)));
    const Index parts = std::min(unknowns(node), unknowns(other));
    for (Index part = 0; part < parts; ++part) {
      positions_.add(unknown(node, part), unknown(other, part));
      positions_.add(unknown(other, part), unknown(node, part));
    }
  }

  void add_device(std::uint64_t device) {
    const auto node = static_cast<Index>(uniform_below(hash64(seed_, device, 1), nodes_));
    const Index control = near_item(node, nodes_, hash64(seed_, device, 2));
    for (Index row = 0; row < unknowns(node); ++row) {
      for (Index col = 0; col < unknowns(control); ++col) {
        positions_.add(unknown(node, row), unknown(control, col));
      }
    }
  }

  Index n_, per_node_, nodes_;
  std::uint64_t seed_;
  PositionSet positions_;
};

}  // namespace

CsrMatrix make_harmonic(std::span<const Offset> sizes, std::uint64_t seed) {
  return HarmonicBalance(static_cast<Index>(sizes[0]), sizes[1], static_cast<Index>(sizes[2]), seed)
      .make();
}

}  // namespace lufact::generate
