// SPDX-License-Identifier: BSD-3-Clause
// Supernodes: runs of consecutive columns whose parts of L have the same rows, so that one step of
// a left-looking factorization subtracts all columns of one supernode from all columns of another.
// Depends on the pattern and the schedule alone, so that refactorizations share it.
#pragma once
#include "gpu/numeric/factor_views.cuh"
#include "gpu/numeric/resident_bytes.hpp"
#include "gpu/runtime/buffer.hpp"

namespace lufact::gpu {

inline constexpr int supernode_width = persistent_supernode_width;  // most columns of a supernode
inline constexpr int supernodes_per_task = 8;  // most supernodes of a task: a warp each

// The work space that a supernode needs while it is computed: `positions` rows, each with its
// number and a value for every column; the columns are counted up to the next power of two.
__host__ __device__ constexpr int padded_width(Index width) {
  return width > 4 ? 8 : width > 2 ? 4 : width;
}
__host__ __device__ constexpr Offset supernode_bytes(Index positions, Index width,
                                                     int value_bytes) {
  const Offset rows = (Offset{positions} * static_cast<Offset>(sizeof(Index)) + 15) / 16 * 16;
  return rows + Offset{positions} * padded_width(width) * value_bytes;
}

// Memory that a block of the factorization has for its supernodes.
struct SupernodeSpace {
  Offset warp_bytes = 0;  // one warp does a supernode that needs no more
  Offset block_bytes =
      0;  // the shared memory of a block; a larger supernode works in global memory
  int value_bytes = 0;
};

// Passed to kernels by value. The source supernodes of a supernode are those to its left that a row
// of U in its columns names.
struct SupernodesRef {
  Index supernodes = 0, tasks = 0;
  const Index* first = nullptr;       // supernodes + 1: columns
  const Index* rows_below = nullptr;  // rows of the last column's part of L
  const Index* positions = nullptr;   // columns of the sources, own columns and rows below
  const Offset* source_ptr = nullptr;
  const Index* sources = nullptr;  // ascending in each supernode
  const Index* order = nullptr;    // every supernode after its sources
  const Index* task_first =
      nullptr;  // tasks + 1: places in `order`; several supernodes: one warp each
};

struct SupernodePlan {
  Index supernodes = 0, tasks = 0;
  Index large_supernodes = 0;  // supernodes with work space in global memory
  Offset large_bytes = 0;      // the most that such a supernode needs
  Buffer<Index> first, rows_below, positions, sources, order, task_first;
  Buffer<Offset> source_ptr;

  SupernodesRef view() const noexcept;
  std::uint64_t bytes() const;
};

// `columns` are all columns, each after the columns that its part of U names (a schedule of any
// rule). Two control reads. Deterministic.
SupernodePlan make_supernode_plan(DeviceSession& session, const FactorPattern& pattern,
                                  const Index* columns, const SupernodeSpace& space);

}  // namespace lufact::gpu
