// SPDX-License-Identifier: BSD-3-Clause
// Which source a slot of a device searches in a batch (GSoFa section 5): chunks of rows go to the
// nodes, and the rows of a node's chunks one by one, or chunks whole, to its devices. Without CUDA.
#pragma once
#include <cstdint>
#include <limits>

#include "core/base/host_device.hpp"
#include "core/base/types.hpp"
#include "core/pipeline/gsofa_options.hpp"

namespace lufact {

// The rows of one node, in the order in which they are searched: a position is a place in that
// order. Chunk c of the matrix is rows [c chunk_size, (c + 1) chunk_size); a chunk is never cut
// between nodes, so that no supernode leaves one. Those of the node are first_chunk and every
// stride-th one after it, before end_chunk.
struct GsofaRows {
  Index n = 0, chunk_size = 128;
  Index stride = 1, first_chunk = 0;
  Index end_chunk = std::numeric_limits<Index>::max();

  LUFACT_HOST_DEVICE constexpr Offset row(Offset position) const {
    const Offset first = Offset{first_chunk} * chunk_size;
    if (stride == 1) return first + position;
    const Offset chunk = position / chunk_size;
    return first + chunk * stride * chunk_size + position % chunk_size;
  }
  // Of a row of this node: row(position(r)) is r.
  LUFACT_HOST_DEVICE constexpr Offset position(Index row) const {
    const Index chunk = (row / chunk_size - first_chunk) / stride;
    return Offset{chunk} * chunk_size + row % chunk_size;
  }
  // No row at or before `position` is larger; equal to row(position) where chunks follow each
  // other.
  LUFACT_HOST_DEVICE constexpr Offset row_bound(Offset position) const {
    return position * stride + Offset{first_chunk} * chunk_size;
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

  Offset chunks() const noexcept;      // of the matrix
  Offset own_chunks() const noexcept;  // of this node
  Offset positions() const noexcept;   // rows of this node
};

// The rows of one device, in the order in which it searches them: a place is the number of a row in
// that order, which ascends. Every devices-th position of `rows` is its own; where chunks go to
// devices whole, `rows` is the device's alone.
struct GsofaShare {
  GsofaRows rows;
  Index devices = 1, device = 0;

  LUFACT_HOST_DEVICE constexpr Index row(Offset place) const {
    return static_cast<Index>(rows.row(device + place * devices));
  }
  Offset count() const noexcept;
};

// The chunks of one node of a machine, and the share of one device in them (section 5).
GsofaRows gsofa_node_rows(Index n, const GsofaOptions& options, const GsofaMachine& machine,
                          Index node) noexcept;
GsofaShare gsofa_share(Index n, const GsofaOptions& options, const GsofaMachine& machine,
                       Index node, Index device) noexcept;

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
    const Offset growth = Offset{step} * rows.stride;
    return Offset{slot} * rows.row_bound(first) + growth * (Offset{slot} * (Offset{slot} - 1) / 2);
  }
};

// Equation (1), chunkSize * numConcurrChunksPerNode = #C * numGPUsPerNode: the largest #C <=
// sources with which `devices` devices search whole chunks; `sources` where a batch holds no whole
// chunk, and the chunks are then spread over batches.
Offset whole_chunk_sources(Offset sources, Index chunk_size, Index devices) noexcept;

}  // namespace lufact
