// SPDX-License-Identifier: BSD-3-Clause
// Triangular solves with L and U stored together by rows, for blocks of right-hand sides. Both
// methods sum each row in a fixed order of their own, so that they are deterministic.
#pragma once
#include "gpu/runtime/buffer.hpp"
#include "gpu/solve/workspace.hpp"

namespace lufact::gpu {

enum class Triangle { lower, upper };

// L (unit diagonal not stored) and U by rows, columns ascending. `values` may be null where only
// the pattern is needed.
template <class T>
struct RowFactors {
  Index n = 0;
  const Offset* row_ptr = nullptr;
  const Index* col_idx = nullptr;
  const Offset* diagonal = nullptr;
  const T* values = nullptr;
};

// x := U \ (L \ x) for x of n x columns doubles by columns, computed in T. One warp per row, which
// waits for each entry that it needs (synchronisation-free: Liu, Li, Hogg, Duff and Vinter 2016,
// here by rows, with the entries themselves as flags); dense squares on the diagonal are solved in
// shared memory. `workspace` has solve_workspace(n) doubles.
template <class T>
void sync_free_solve(DeviceSession& session, const RowFactors<T>& factors, double* workspace,
                     double* x, Index columns);

// The rows of one triangle grouped by level: a row comes after every row that its entries name.
// These are not the levels of the column schedule, which leaves out edges that only solves have.
struct SolveLevels {
  Buffer<Index> rows;       // by level, ascending inside a level
  Buffer<Index> level_ptr;  // levels + 1
  Index levels = 0;
};

// Resident memory: 4 n bytes and the offsets. One control read. Deterministic.
template <class T>
SolveLevels make_solve_levels(DeviceSession& session, const RowFactors<T>& factors,
                              Triangle triangle, double* workspace);

// The same solve, one launch per level (Anderson and Saad 1989).
template <class T>
void level_solve(DeviceSession& session, const RowFactors<T>& factors, const SolveLevels& lower,
                 const SolveLevels& upper, double* x, Index columns);

}  // namespace lufact::gpu
