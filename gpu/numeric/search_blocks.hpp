// SPDX-License-Identifier: BSD-3-Clause
// E2E's layouts for sorted columns: E2E Algorithm 2 with Algorithm 6 for every row, by a number of
// blocks that is given, in the modes of GLU 3.0 (glu_modes.hpp). Tiles are those of updates.cuh.
#pragma once
#include "gpu/numeric/factor_views.cuh"
#include "gpu/runtime/session.hpp"

namespace lufact::gpu {

// Arguments of an elimination besides the level.
template <class T>
struct SearchElimination {
  FactorsRef<T> factors;
  T smallest_pivot = 0;
  NumericCounters* counters = nullptr;
};

// A block mode: at most `blocks` blocks of so many warps take the columns in turn, a warp per tile.
template <class T>
void run_search_block_level(DeviceSession& session, const SearchElimination<T>& run,
                            const LevelColumns& level, int warps, Offset blocks);

// Stream mode: `blocks` blocks of 32 warps share the tiles of the columns, as many columns at a
// time as there are blocks. Two launches: finish the columns; update.
template <class T>
void run_search_stream_level(DeviceSession& session, const SearchElimination<T>& run,
                             const LevelColumns& level, Offset blocks);

}  // namespace lufact::gpu
