// SPDX-License-Identifier: BSD-3-Clause
// Triangular solves with L and U stored together by rows, for blocks of right-hand sides. Both
// methods sum each row in a fixed order, so that they are deterministic and give the same bits.
#pragma once
#include "gpu/runtime/buffer.hpp"

namespace lufact::gpu {

enum class Triangle { lower, upper };

// L (unit diagonal not stored) and U by rows, columns ascending. `values` may be null where only
// the pattern is asked for.
template <class T>
struct RowFactors {
  Index n = 0;
  const Offset* row_ptr = nullptr;
  const Index* col_idx = nullptr;
  const Offset* diagonal = nullptr;
  const T* values = nullptr;
};

// Words of workspace that sync_free_solve and make_solve_levels need: a flag per row and a ticket
// counter per triangle.
constexpr Offset sync_words(Index n) {
  return Offset{n} + 2;
}

// x := U \ (L \ x) for x of n x columns doubles by columns, computed in T. One warp per row; a warp
// takes rows in the order of the triangle by drawing tickets, so that every row that it waits for
// has been started before it, and no deadlock is possible whatever else runs on the card
// (synchronisation-free: Liu, Li, Hogg, Duff and Vinter 2016, here by rows).
template <class T>
void sync_free_solve(DeviceSession& session, const RowFactors<T>& factors, unsigned* words,
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
                              Triangle triangle, unsigned* words);

// The same solve, one launch per level (Anderson and Saad 1989).
template <class T>
void level_solve(DeviceSession& session, const RowFactors<T>& factors, const SolveLevels& lower,
                 const SolveLevels& upper, double* x, Index columns);

}  // namespace lufact::gpu
