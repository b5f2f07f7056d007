// SPDX-License-Identifier: BSD-3-Clause
// The pivot of a column that is spread over a group of lanes: the entry of largest magnitude, of
// equal ones the first in the current order of the rows, as LAPACK's idamax finds it.
#pragma once
#include "gpu/batch/ours/magnitude_key.cuh"
#include "gpu/batch/ours/reciprocal.cuh"

namespace lufact::gpu::ours {

inline constexpr int no_position = 1 << 20;

// The best entry of a lane.
template <class Real>
struct Candidate {
  Real value;
  Magnitude<Real> magnitude;  // -1: none
  int position;               // of its row in the current order
  int row;                    // which of the lane's rows it is
};

// Exactly: the largest of the lane's R rows, of equal ones the first. Rows that stand before
// position `first`, or nowhere (-1), are none.
template <class Real, int R>
LUFACT_LANE Candidate<Real> best_of_lane(const Real (&column)[R], const int (&position)[R],
                                         int first) {
  Candidate<Real> best{Real(0), -1, -1, 0};
  LUFACT_UNROLL
  for (int r = 0; r < R; ++r) {
    const Magnitude<Real> bits = position[r] >= first ? magnitude(column[r]) : -1;
    if (bits > best.magnitude || (bits == best.magnitude && position[r] < best.position)) {
      best = {column[r], bits, position[r], r};
    }
  }
  return best;
}

// The bits of the own group in a ballot.
template <class Lanes, int G>
LUFACT_LANE unsigned of_group(unsigned ballot) {
  if constexpr (G == 32) {
    return ballot;
  } else {
    return (ballot >> (Lanes::lane() & ~(G - 1))) & ((1U << G) - 1);
  }
}

// The lane whose candidate is the pivot, exactly; at least one of every group has a candidate.
template <class Lanes, int G, class Real>
LUFACT_LANE int exact_pivot_lane(const Candidate<Real>& best) {
  const std::int32_t key = key_of(best.magnitude);
  const std::int32_t largest = Lanes::template largest<G>(key);
  bool holds = key == largest;
  if constexpr (sizeof(Real) == 8) {
    const auto rest = holds ? static_cast<std::uint32_t>(best.magnitude) : 0U;
    const auto largest_rest = Lanes::template largest<G>(rest);
    holds = holds && rest == largest_rest;
  }
  // The smallest position, as the largest of its opposite.
  const std::int32_t order = holds ? no_position - best.position : 0;
  const std::int32_t first = Lanes::template largest<G>(order);
  holds = holds && order == first;
  return lowest_bit(of_group<Lanes, G>(Lanes::ballot(holds)));
}

template <class Real>
struct Pivot {
  int lane;          // of the pivot row, in the group
  int row;           // which row of it; of other lanes: of their best one
  std::int32_t key;  // of the pivot's magnitude
  Real reciprocal;   // of the lane's best one
};

// The pivot among rows with `finished` 0; the others have the sign bit. One reduction finds the
// largest key. Where a second candidate has it, which is rare in general matrices, they are told
// apart exactly; `position` is only needed then. Such rows stand at positions `first` and behind.
template <class Lanes, int G, class Real, int R>
LUFACT_LANE Pivot<Real> find_pivot(const Real (&column)[R], const int (&finished)[R],
                                   const int (&position)[R], int first) {
  std::int32_t key = key_of_value(column[0]) | finished[0];
  Real value = column[0];
  int row = 0;
  bool tied = false;
  LUFACT_UNROLL
  for (int r = 1; r < R; ++r) {
    const std::int32_t other = key_of_value(column[r]) | finished[r];
    const bool better = other > key;
    tied = tied || other == key;
    value = better ? column[r] : value;
    row = better ? r : row;
    key = better ? other : key;
  }
  Real reciprocal = quick_reciprocal(value);  // takes as long as the search, in its shadow
  const std::int32_t largest = Lanes::template largest<G>(key);
  const unsigned holders = of_group<Lanes, G>(Lanes::ballot(key == largest));
  int lane = lowest_bit(holders);
  if (Lanes::any((holders & (holders - 1)) != 0 || (tied && key == largest))) {
    const Candidate<Real> best = best_of_lane<Real, R>(column, position, first);
    reciprocal = quick_reciprocal(best.value);
    row = best.row;
    lane = exact_pivot_lane<Lanes, G>(best);
  }
  return {lane, row, largest, reciprocal};
}

}  // namespace lufact::gpu::ours
