// SPDX-License-Identifier: BSD-3-Clause
// Builds a matrix from contributions in any order, summed where they meet: how a circuit simulator
// stamps its elements.
#pragma once
#include <vector>

#include "core/base/types.hpp"
#include "core/generate/fixed_point.hpp"
#include "core/matrix/pattern.hpp"

namespace lufact::generate {

class StampBuilder {
 public:
  // A square matrix of order n.
  explicit StampBuilder(Index n) : n_(n) {}

  void add(Index row, Index col, Fixed value) { stamps_.push_back({row, col, value}); }

  // A conductance g between two different nodes.
  void add_conductance(Index a, Index b, Fixed g) {
    add(a, a, g);
    add(b, b, g);
    add(a, b, -g);
    add(b, a, -g);
  }

  // The sums, columns ascending; an entry whose sum is zero stays in the pattern.
  CsrMatrix take() const;

 private:
  struct Stamp {
    Index row, col;
    Fixed value;
  };
  std::vector<Stamp> sorted_by(Index Stamp::*key, const std::vector<Stamp>& stamps) const;

  Index n_;
  std::vector<Stamp> stamps_;
};

}  // namespace lufact::generate
