// SPDX-License-Identifier: BSD-3-Clause
// LU of a panel: some columns over all their rows, which stay in the registers of one kernel, or in
// its shared memory.
#pragma once
#include <cuda_runtime_api.h>

#include <cstdint>

#include "core/array/array_problem.hpp"
#include "core/base/types.hpp"
#include "gpu/dense/ours/panel_messages.hpp"

namespace lufact {
class DeviceSession;
}

namespace lufact::gpu::blocked {

template <class T>
struct Panel {
  T* a = nullptr;  // its first entry on the diagonal
  Offset ld = 1;
  Index rows = 0;     // from that one on
  Index columns = 0;  // at most the shape's width, and `rows`
  Index first = 0;    // row and column of `a` in the matrix
  // Partial pivoting: the panel just left of this one, of the shape's width, has been eliminated,
  // and these columns lack its exchanges, rows of U and product, and nothing else.
  bool follows = false;
  std::int32_t* info = nullptr;  // 0, or the first zero pivot so far, from 1
  // Partial pivoting: of each pivot of the panel, from `first` on; before them stand those of the
  // panel that it follows.
  std::int32_t* pivots = nullptr;  // LAPACK's
  Index* origin = nullptr;         // row, before the panel, of the row that is the pivot's now
  Index* destination = nullptr;    // where the row that stood in the pivot's place is now
  Mailbox mailbox;
  unsigned* loaded = nullptr;  // without pivoting: 0 before a launch and after it
};

// What a kernel holds: `width` columns, of each thread `rows_per_thread` rows at most.
struct PanelShape {
  int width = 32, rows_per_thread = 1;
  int cluster_blocks = 0;   // up to so many blocks are launched as a cluster, 0: never
  int resident_blocks = 0;  // without pivoting: those that run at once, one a multiprocessor
};

// Panels of `rows` rows at most. Throws Error{unsupported, "too_tall"} where the card cannot hold
// two columns of doubles, or four of floats, in the shared memory of all its multiprocessors.
template <class T>
PanelShape panel_shape(const DeviceSession& session, ArrayPivoting pivoting, Index rows);

// One launch, with partial pivoting of a cluster of blocks or a cooperative one; `shape` as
// panel_shape() has it for these rows or more. Asynchronous.
template <class T>
void factor_panel(cudaStream_t stream, ArrayPivoting pivoting, const PanelShape& shape,
                  const Panel<T>& panel);

}  // namespace lufact::gpu::blocked
