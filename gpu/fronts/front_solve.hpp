// SPDX-License-Identifier: BSD-3-Clause
// The triangular solves with fronts: two launches, in which fronts and tile rows wait for each
// other as the tiles of the factorization do.
#pragma once
#include "gpu/fronts/device_front_products.hpp"
#include "gpu/fronts/front_problem.cuh"

namespace lufact::gpu {

inline constexpr Index front_solve_columns = 4;  // right-hand sides that one sweep carries

// The arrays that solves work in; made once for a factors object.
template <class T>
struct FrontSolveSpace {
  Buffer<T> solution;       // by position, front_solve_columns each
  Buffer<T> contributions;  // of each front's rows to its parent's
  Buffer<unsigned> words;   // tickets, flags of tile rows and of fronts

  FrontSolveSpace(DeviceSession& session, const DeviceFrontTree& tree,
                  const DeviceTaskGraph& graph);
};

// `records` are those of graph.solve; `row_source` is that of the factorization, null where rows
// are fixed. x := U \ (L \ (P x)) for x of n x columns doubles by columns and by B's labels,
// computed in T. Deterministic. Asynchronous.
template <class T>
void solve_fronts(DeviceSession& session, const DeviceFrontTree& tree, const DeviceTaskGraph& graph,
                  const TaskRecord* records, const T* factors, const unsigned char* row_source,
                  FrontSolveSpace<T>& space, double* x, Index columns);

}  // namespace lufact::gpu
