// SPDX-License-Identifier: BSD-3-Clause
// The triangular solves with fronts, L and then U, in one launch, in which fronts and tile rows
// wait for each other as the tiles of the factorization do. Where factors are kept on the host, a
// launch goes through those of one part, while those of the next part are brought.
#pragma once
#include <vector>

#include "core/fronts/plan/factor_parts.hpp"
#include "gpu/fronts/device_front_products.hpp"
#include "gpu/fronts/factors/factor_store.hpp"
#include "gpu/fronts/solve/front_vectors.hpp"
#include "gpu/fronts/tasks/front_problem.cuh"

namespace lufact::gpu {

template <class T>
struct ValueSolveProblem;
template <class T>
struct ManySolveProblem;

// The kernel for a given number of right-hand sides at a time.
template <class Problem>
struct SolveKernel {
  void (*run)(Problem, SolveLeg);
  Offset blocks;  // that are resident on the device at a time
  std::size_t shared_bytes = 0;
};

// Workspace of solves; made once for a factors object.
template <class T>
struct FrontSolveSpace {
  Index sweeps;             // as many_sweeps() has them
  Buffer<T> solution;       // by position
  Buffer<T> contributions;  // of each front's rows to its parent's
  std::vector<SolveLeg> legs;
  // Two sets of words, used in turn; a solve clears the other's. Each, for every sweep: a ticket
  // for each leg, then flags of tile rows and of fronts for L, then for U.
  Buffer<unsigned> words;
  int turn = 0;
  bool values_are_clear = false;  // those of the next turn, for one right-hand side
  // For 1 and for front_solve_columns right-hand sides.
  SolveKernel<ValueSolveProblem<T>> narrow, wide;
  // For up to many_columns in each sweep, the latter with U' and L'.
  SolveKernel<ManySolveProblem<T>> many, transposed;

  FrontSolveSpace(DeviceSession& session, const DeviceFrontTree& tree, const DeviceTaskGraph& graph,
                  const StageOptions& options);
};

// `records` are those of graph.solve; `row_source` is that of the factorization, null where the
// pivoting of `space` keeps rows fixed. x := col_scale * (U \ (L \ (P (row_scale * b)))), computed
// in T between the scalings, which are in double. Deterministic. Asynchronous. `running` is for one
// column and factors on the device. A transposed solve has
// x := row_scale * (P' (L' \ (U' \ (col_scale * b)))), with the scales of `vectors` exchanged by
// the caller, and throws Error{unsupported, "shared_memory"} on devices with too little of it.
// Factors on the host come twice for all sweeps side by side, but for the parts that are there
// already.
template <class T>
void solve_fronts(DeviceSession& session, const DeviceFrontTree& tree, const DeviceTaskGraph& graph,
                  const TaskRecord* records, FactorStore<T>& factors,
                  const unsigned char* row_source, FrontSolveSpace<T>& space,
                  const FrontVectors& vectors, Index columns, bool transposed = false,
                  const RunningFactorization& running = {});

}  // namespace lufact::gpu
