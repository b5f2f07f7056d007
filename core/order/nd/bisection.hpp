// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <vector>

#include "core/order/graph/graph.hpp"

namespace lufact::nd {

// A piece of the coarsest graph, to be bisected: lists without gaps, all weights present.
struct Piece {
  std::vector<Index> vertex;  // of the graph that it was cut from
  std::vector<Index> begin{0}, adjacent, edge_weight, weight;
  Offset total = 0;  // of weight

  Index size() const noexcept { return static_cast<Index>(vertex.size()); }
};

// Side 0 or 1 of each vertex.
struct Bisection {
  std::vector<char> side;
  Offset cut = 0;
};

// Grows side 0 to half of the weight from a vertex that `attempt` picks, breadth-first or by least
// cut, then moves single vertices by gain (Fiduccia and Mattheyses, DAC 1982, with heaps, the
// moves beyond the best cut undone after 80). No side gets more than 0.6 of the weight if the
// weights allow.
Bisection bisect(const Piece& piece, std::uint64_t attempt);

// The vertices of one side as a piece of their own.
Piece side_of(const Piece& piece, const Bisection& bisection, int side);

}  // namespace lufact::nd
