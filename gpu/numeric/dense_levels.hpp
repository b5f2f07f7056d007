// SPDX-License-Identifier: BSD-3-Clause
// The elimination of levels with dense work columns.
#pragma once
#include "gpu/numeric/factor_views.cuh"
#include "gpu/numeric/glu_modes.hpp"
#include "gpu/runtime/session.hpp"

namespace lufact::gpu {

// Columns of one level: `width` of them, on the device.
struct LevelColumns {
  const Index* columns = nullptr;
  Offset width = 0;
};

// Work columns, all +0 before and after.
template <class T>
struct WorkColumnsRef {
  T* values = nullptr;
  Offset count = 0;
};

// Arguments of an elimination besides the level.
template <class T>
struct DenseElimination {
  FactorsRef<T> factors;
  WorkColumnsRef<T> work;
  T smallest_pivot = 0;
  NumericCounters* counters = nullptr;
};

// E2E Algorithm 2 for the columns of a level in a block mode (not stream): `blocks` blocks, at most
// the work columns, take the columns in turn.
template <class T>
void run_block_level(DeviceSession& session, const DenseElimination<T>& run,
                     const LevelColumns& level, int warps, Offset blocks);

// The same in stream mode: each step of the columns, as many as there are work columns, is a
// launch: finish and scatter; update with a block per sub-column; clear. GLU 3.0 gives each column
// launches and a stream of its own; the blocks are the same, the launches fewer. `sub_columns`: at
// most so many in a heavy column; 0 where not known.
template <class T>
void run_stream_level(DeviceSession& session, const DenseElimination<T>& run,
                      const LevelColumns& level, Offset sub_columns);

}  // namespace lufact::gpu
