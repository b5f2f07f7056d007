// SPDX-License-Identifier: BSD-3-Clause
// The edges of the graph of B + B' in the order in which the search for slots needs them.
#pragma once
#include "gpu/forest/panel_slots.hpp"

namespace lufact::gpu {

// Sorts the edges of an unsymmetric pattern, or of one whose labels are not a postorder.
class SortedEdges {
 public:
  SortedEdges(DeviceSession& session, const PatternRef& matrix, Offset nnz,
              const ForestArrays& forest, const ForestFacts& facts);

  const EdgeLists& lists() const noexcept { return lists_; }

 private:
  void number_vertices(DeviceSession& session, Index n, const Index* parent);

  EdgeLists lists_;
  Buffer<Index> places_;  // by vertex, then by place
  Buffer<std::uint64_t> keys_;
};

// The edges of a symmetric pattern whose labels are a postorder are in order already.
EdgeLists edges_in_order(const PatternRef& matrix, Offset nnz, const ForestArrays& forest);

}  // namespace lufact::gpu
