// SPDX-License-Identifier: BSD-3-Clause
// Modified nodal analysis of a random circuit with an exact number of entries: as circuit.cpp, with
// as many elements as the entries allow.
//   One in eight elements is a controlled source; of the others an eighth tie a node to one of
//   three supply nets, whose rows and columns become long. Voltage sources have a missing or zero
//   diagonal.
// Why it is nonsingular: as in circuit.cpp.
#include <algorithm>

#include "core/base/random.hpp"
#include "core/generate/kinds.hpp"
#include "core/generate/near.hpp"
#include "core/generate/position_set.hpp"
#include "core/generate/stamp_builder.hpp"

namespace lufact::generate {
namespace {

constexpr Index kSupplies = 3;
constexpr Index kUnknownsPerSource = 64;

class Netlist {
 public:
  Netlist(Index n, Offset nnz, std::uint64_t seed)
      : seed_(seed),
        sources_(n / kUnknownsPerSource),
        nodes_(n - kSupplies - sources_),
        positions_(nnz),
        stamps_(n) {}

  CsrMatrix make() {
    const Index own = kSupplies + nodes_;
    for (Index i = 0; i < own; ++i) add(i, i, kOne / 256);
    for (Index source = 0; source < sources_; ++source) add_voltage_source(source);
    for (std::uint64_t draw = 0; positions_.left() > 0; ++draw) {
      if (draw % 8 == 0 || positions_.left() == 1) {
        add_controlled_source(draw);
      } else {
        add_element(draw);
      }
    }
    return stamps_.take();
  }

 private:
  static Index unknown(Index node) { return kSupplies + node; }
  std::uint64_t bits(std::uint64_t item, std::uint64_t draw) const {
    return hash64(seed_, item, draw);
  }
  Index random_node(std::uint64_t random) const {
    return static_cast<Index>(uniform_below(random, nodes_));
  }

  void add(Index row, Index col, Fixed value) {
    positions_.add(row, col);
    stamps_.add(row, col, value);
  }

  // A conductance over several decades, at a place where none is yet; two entries are left.
  void add_element(std::uint64_t draw) {
    const Index node = random_node(bits(draw, 1));
    const std::uint64_t random = bits(draw, 2);
    const auto supply = static_cast<Index>(random % 8);
    const Index other = bits(draw, 3) % 8 == 0 ? (supply < 4   ? 0
                                                  : supply < 6 ? 1
                                                               : 2)
                                               : unknown(near_item(node, nodes_, random));
    if (other == unknown(node) || !positions_.add(unknown(node), other)) return;
    positions_.add(other, unknown(node));
    stamps_.add_conductance(unknown(node), other, positive_weight(bits(draw, 4)) << (random % 8));
  }

  // One entry, with loads at both ends that keep the row and the column dominant.
  void add_controlled_source(std::uint64_t draw) {
    const Index node = random_node(bits(draw, 5));
    const Index control = near_item(node, nodes_, bits(draw, 6));
    if (control == node || !positions_.add(unknown(node), unknown(control))) return;
    stamps_.add(unknown(node), unknown(control), kOne / 4);
    stamps_.add(unknown(node), unknown(node), kOne / 4);
    stamps_.add(unknown(control), unknown(control), kOne / 4);
  }

  // Source number s owns the nodes [s * stride, (s + 1) * stride), as in circuit.cpp.
  void add_voltage_source(Index source) {
    const Index stride = nodes_ / sources_;
    const Index branch = kSupplies + nodes_ + source;
    const std::uint64_t random = bits(static_cast<std::uint64_t>(source), 7);
    const auto first = static_cast<Index>(uniform_below(random, stride - 1));
    const Index plus = unknown(source * stride + first);
    add(branch, plus, kOne);
    add(plus, branch, kOne);
    if ((random & 1U) != 0) {
      add(branch, plus + 1, -kOne);
      add(plus + 1, branch, -kOne);
    }
    if ((random & 2U) != 0) add(branch, branch, 0);
  }

  std::uint64_t seed_;
  Index sources_, nodes_;
  PositionSet positions_;
  StampBuilder stamps_;
};

}  // namespace

CsrMatrix make_netlist(std::span<const Offset> sizes, std::uint64_t seed) {
  return Netlist(static_cast<Index>(sizes[0]), sizes[1], seed).make();
}

}  // namespace lufact::generate
