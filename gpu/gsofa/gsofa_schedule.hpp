// SPDX-License-Identifier: BSD-3-Clause
// Which source a slot of a device searches in a batch (GSoFa section 5): chunks of rows go round
// robin to the nodes, and the rows of a node's chunks one by one to its devices. Without CUDA.
#pragma once
#include <cstdint>

#include "core/base/types.hpp"
#include "gpu/gsofa/host_device.hpp"

namespace lufact::gpu {

// The rows of one node, in the order in which they are searched: a position is a place in that
// order. Chunk c of the matrix, rows [c chunk_size, (c + 1) chunk_size), is on node c % nodes as
// its chunk c / nodes; a chunk is never cut between nodes, so that no supernode leaves one.
struct GsofaRows {
  Index n = 0, chunk_size = 128;
  Index nodes = 1, node = 0;

  LUFACT_HOST_DEVICE constexpr Offset row(Offset position) const {
    if (nodes == 1) return position;
    const Offset chunk = position / chunk_size;
    return (chunk * nodes + node) * chunk_size + position % chunk_size;
  }
  // No row at or before `position` is larger; equal to row(position) where there is one node.
  LUFACT_HOST_DEVICE constexpr Offset row_bound(Offset position) const {
    return position * nodes + Offset{node} * chunk_size;
  }
  LUFACT_HOST_DEVICE constexpr Offset chunk_of(Index row) const { return row / chunk_size; }
  // The first row of the chunk of `row`, and the row behind its last one.
  LUFACT_HOST_DEVICE constexpr Index chunk_begin(Index row) const {
    return row / chunk_size * chunk_size;
  }
  LUFACT_HOST_DEVICE constexpr Index chunk_end(Index row) const {
    return n - chunk_begin(row) < chunk_size ? n : chunk_begin(row) + chunk_size;
  }
  // Words of a row's chunk bits: which entries L(row, r) are there for r of its chunk, r < row.
  LUFACT_HOST_DEVICE constexpr Index chunk_bit_words() const { return (chunk_size + 31) / 32; }

  Offset chunks() const noexcept;     // of the matrix
  Offset positions() const noexcept;  // rows of this node
};

// The sources of one device in one batch, and where the maxId of each begins. Small enough to be
// an argument of a kernel.
struct GsofaSlots {
  GsofaRows rows;
  Offset first = 0;      // position of slot 0
  Index step = 1;        // devices of the node: positions from a slot to the next
  Index count = 0;       // sources in flight
  bool bubbles = false;  // a maxId for the vertices below the source alone (section 6)

  LUFACT_HOST_DEVICE constexpr Index row(Index slot) const {
    return static_cast<Index>(rows.row(first + Offset{slot} * step));
  }
  // Words of maxId before those of `slot`; of all slots: max_id_begin(count). With bubbles removed
  // a triangle: at least row(slot) words each, exactly that on one node.
  LUFACT_HOST_DEVICE constexpr Offset max_id_begin(Index slot) const {
    if (!bubbles) return Offset{slot} * rows.n;
    const Offset growth = Offset{step} * rows.nodes;
    return Offset{slot} * rows.row_bound(first) + growth * (Offset{slot} * (Offset{slot} - 1) / 2);
  }
};

// Equation (1), chunkSize * numConcurrChunksPerNode = #C * numGPUsPerNode: the largest #C <=
// sources with which `devices` devices search whole chunks; `sources` where a batch holds no whole
// chunk, and the chunks are then spread over batches.
Offset whole_chunk_sources(Offset sources, Index chunk_size, Index devices) noexcept;

}  // namespace lufact::gpu
