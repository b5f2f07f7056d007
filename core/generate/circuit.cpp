// SPDX-License-Identifier: BSD-3-Clause
// Modified nodal analysis of a random circuit: [G B; B' 0].
//   G: conductances between near nodes (both the number of elements of a node and their reach have
//      a power-law tail), ties to three supply nets, which become nearly dense rows and columns,
//      and controlled sources, which make G unsymmetric.
//   B: voltage sources on disjoint sets of nodes; their rows have a missing diagonal or a stored
//      zero, which a matching repairs.
// Why it is nonsingular: G is strictly dominant by rows and by columns, so its symmetric part is
// positive definite, and the columns of B are independent.
#include <algorithm>
#include <bit>

#include "core/base/random.hpp"
#include "core/generate/kinds.hpp"
#include "core/generate/near.hpp"
#include "core/generate/stamp_builder.hpp"

namespace lufact::generate {
namespace {

constexpr Index kSupplies = 3;
constexpr Index kUnknownsPerSource = 32;
constexpr Fixed kGround = kOne / 256;  // leak of every node

class Circuit {
 public:
  Circuit(Index n, std::uint64_t seed)
      : seed_(seed),
        sources_(n / kUnknownsPerSource),
        nodes_(n - kSupplies - sources_),
        stamps_(n) {}

  CsrMatrix make() {
    for (Index supply = 0; supply < kSupplies; ++supply) stamps_.add(supply, supply, kOne);
    for (Index node = 0; node < nodes_; ++node) {
      stamps_.add(unknown(node), unknown(node), kGround);
      add_elements(node);
      add_supply_tie(node);
      add_controlled_source(node);
    }
    for (Index source = 0; source < sources_; ++source) add_voltage_source(source);
    return stamps_.take();
  }

 private:
  static Index unknown(Index node) { return kSupplies + node; }

  std::uint64_t bits(Index item, std::uint64_t draw) const {
    return hash64(seed_, static_cast<std::uint64_t>(item), draw);
  }

  // A conductance over several decades.
  static Fixed conductance(std::uint64_t random) { return positive_weight(random) << (random % 8); }

  Index near_node(Index node, std::uint64_t random) const {
    return near_item(node, nodes_, random);
  }

  // P(elements >= k) falls like 1 / k^2, at most 32.
  void add_elements(Index node) {
    const int elements = 1 << std::min(std::countr_zero(bits(node, 0)) / 2, 5);
    for (int e = 0; e < elements; ++e) {
      const std::uint64_t draw = 16 + static_cast<std::uint64_t>(e);
      const Index other = near_node(node, bits(node, draw));
      if (other == node) continue;
      stamps_.add_conductance(unknown(node), unknown(other), conductance(bits(node, 64 + draw)));
    }
  }

  // A quarter, an eighth and a sixteenth of the nodes hang on the three supply nets.
  void add_supply_tie(Index node) {
    const std::uint64_t random = bits(node, 1);
    const std::uint64_t share = random % 16;
    if (share >= 7) return;
    const Index supply = share < 4 ? 0 : share < 6 ? 1 : 2;
    stamps_.add_conductance(unknown(node), supply, positive_weight(random));
  }

  // A current into `node` controlled by another node's voltage: one unsymmetric entry, with loads
  // at both ends that keep the row and the column dominant.
  void add_controlled_source(Index node) {
    const std::uint64_t random = bits(node, 2);
    if ((random & 7U) != 0) return;
    const Index control = near_node(node, bits(node, 3));
    if (control == node) return;
    const Fixed gain = signed_weight(bits(node, 4));
    const Fixed load = gain < 0 ? -gain : gain;
    stamps_.add(unknown(node), unknown(control), gain);
    stamps_.add(unknown(node), unknown(node), load);
    stamps_.add(unknown(control), unknown(control), load);
  }

  // Source number s owns the nodes [s * stride, (s + 1) * stride) and joins one of them to the
  // ground or two of them to each other, so that no two sources meet.
  void add_voltage_source(Index source) {
    const Index stride = nodes_ / sources_;
    const Index branch = kSupplies + nodes_ + source;
    const std::uint64_t random = bits(source, 5);
    const auto first = static_cast<Index>(uniform_below(random, stride - 1));
    const Index plus = unknown(source * stride + first);
    stamps_.add(branch, plus, kOne);
    stamps_.add(plus, branch, kOne);
    if ((random & 1U) != 0) {
      stamps_.add(branch, plus + 1, -kOne);
      stamps_.add(plus + 1, branch, -kOne);
    }
    if ((random & 2U) != 0) stamps_.add(branch, branch, 0);
  }

  std::uint64_t seed_;
  Index sources_, nodes_;
  StampBuilder stamps_;
};

}  // namespace

CsrMatrix make_circuit(std::span<const Offset> sizes, std::uint64_t seed) {
  return Circuit(static_cast<Index>(sizes[0]), seed).make();
}

}  // namespace lufact::generate
