// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>
#include <span>

#include "core/verify/validate_dense.hpp"

namespace lufact {

// A plain elimination in `Real` of the m x min(m, n) leading part of A that takes the pivots under
// judgement, so that those behind a tie can be judged, too. A pivot is equal to what the
// elimination itself would take, the first of the largest; tied where the two candidates differ by
// at most 16 k eps times the largest entry that the elimination has met, k steps behind it, which
// is what correct eliminations that round differently can differ by; different otherwise, and where
// it is no row from its step on. Before the first step nothing has rounded: there are no ties.
//
// Matrices with a nearly singular leading part have candidates that differ by more; there an
// estimate for each entry would be needed, as pivot_replay.hpp has for small ones.
template <class Real>
PivotCheck replay_dense_pivots(const DenseView<Real>& a, std::span<const std::int32_t> pivots,
                               int threads);

}  // namespace lufact
