// SPDX-License-Identifier: BSD-3-Clause
// The elimination of levels with dense work columns.
#pragma once
#include "gpu/numeric/factor_views.cuh"
#include "gpu/numeric/glu_modes.hpp"
#include "gpu/runtime/session.hpp"
#include "gpu/runtime/side_streams.hpp"

namespace lufact::gpu {

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

// How the stream mode is spread over the card.
struct StreamShape {
  Offset blocks = 0;       // of 32 warps, for the update of all columns at work together
  Offset sub_columns = 0;  // about as many as a column has, at most; 0 where not known
};

// The same in stream mode: each step of the columns, as many as there are work columns, is a
// launch: finish and scatter; update with a block per sub-column, at most shape.blocks of them (or
// one a column, where those are more); clear.
template <class T>
void run_stream_level(DeviceSession& session, const DenseElimination<T>& run,
                      const LevelColumns& level, const StreamShape& shape);

// The stream mode of GLU 3.0's code: three launches for every column, those of one column on a
// stream of their own, columns in turn over `streams`, which are joined behind the level.
template <class T>
void run_column_streams_level(SideStreams& streams, const DenseElimination<T>& run,
                              const LevelColumns& level, const StreamShape& shape);

}  // namespace lufact::gpu
