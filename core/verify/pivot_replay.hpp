// SPDX-License-Identifier: BSD-3-Clause
// Pivots against those that a plain elimination of the same matrix would take.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/types.hpp"

namespace lufact {

enum class PivotVerdict {
  equal,      // those of the sequential elimination
  tied,       // another one somewhere, whose candidate was as large but for rounding
  different,  // another one that is smaller, or not the first of exactly equal ones; no row at all
};

// An elimination with partial pivoting that takes the pivots under judgement, so that those behind
// a tie can be judged, too. With every entry goes an estimate of how much it can differ between two
// correct eliminations that round differently (order of terms, fused multiplication, reciprocals).
// It is exactly zero where no operation that led to the entry has rounded: such entries are the
// same in every correct elimination, ties among them are ties everywhere, zeros are zeros. A zero
// of U that cancellation made is exact, but what takes the rows that cancelled one by one (blocked
// elimination with L11's inverse folded into the multipliers) rounds where the multiplier does. A
// pivot that may be zero leaves multipliers of any size up to 1.
//
// The estimate takes the larger of what an operation inherits from its operands and what it rounds
// itself, with a factor of 1.25 for each step: a bound would grow by more than 2 a step, exceed
// every entry at order 32 in float, and no pivot would ever be wrong.
struct PivotReplay {
  PivotVerdict verdict = PivotVerdict::equal;
  std::vector<double> size;         // |U(k, k)|
  std::vector<double> uncertainty;  // by how much it can differ; 0: exact
  // Whether `info` can be that of a correct elimination.
  bool allows(std::int32_t info) const noexcept;
};

// What a pivot divides: its column, as in LU, or either its column or its row, as in the
// elimination of Gauss and Jordan, where less is exact.
enum class PivotDivides { column, either };

// `a`: n x n by columns, finite in `precision`. `pivots` as LAPACK's, or empty: the replay's own,
// where nothing is certain any more behind a pivot that may be zero.
PivotReplay replay_pivots(Precision precision, Index n, std::span<const double> a,
                          std::span<const std::int32_t> pivots,
                          PivotDivides divides = PivotDivides::column);

}  // namespace lufact
