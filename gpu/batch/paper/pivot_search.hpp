// SPDX-License-Identifier: BSD-3-Clause
// Pivots by LAPACK's rule: the largest magnitude of a column, among equal ones the first row in the
// order that the interchanges so far have made.
#pragma once
#include <bit>
#include <cstdint>
#include <type_traits>

#include "gpu/batch/paper/lanes.hpp"

namespace lufact::gpu::paper {

// |value| as an integer that orders like it. A NaN is above infinity, so that all lanes agree on
// the pivot of any matrix.
template <class Real>
LUFACT_LANES auto magnitude(Real value) {
  using Bits = std::conditional_t<sizeof(Real) == 8, unsigned long long, unsigned>;
  return std::bit_cast<Bits>(value) & static_cast<Bits>(~Bits{0} >> 1);
}

struct Pivot {
  int lane;      // that holds the row
  int position;  // of the row, from 0, before the interchange of this step
  bool zero;     // the whole column is
};

// Butterfly over lanes.width, a power of two (BATCH Fig. 2): after log2(width) exchanges every lane
// knows the pivot. `position` is that of the lane's row, different in every lane; at least one lane
// is a candidate.
template <class Lanes, class Real>
LUFACT_LANES Pivot find_pivot(const Lanes& lanes, Real entry, int position, bool candidate) {
  auto largest = candidate ? magnitude(entry) : 0;
  unsigned place = candidate ? static_cast<unsigned>(position * Lanes::width + lanes.lane()) : ~0U;
  LUFACT_UNROLL
  for (int distance = Lanes::width / 2; distance > 0; distance /= 2) {
    const auto other = lanes.across(largest, distance);
    const unsigned other_place = lanes.across(place, distance);
    const bool better = other > largest || (other == largest && other_place < place);
    largest = better ? other : largest;
    place = better ? other_place : place;
  }
  return {static_cast<int>(place % Lanes::width), static_cast<int>(place / Lanes::width),
          largest == 0};
}

// The same where one thread reads the column, of entries k to n - 1; lane and position are equal.
template <int n, class Real>
LUFACT_LANES Pivot find_pivot_alone(const Real* column, int k) {
  int place = k;
  auto largest = magnitude(column[k]);
  LUFACT_UNROLL
  for (int i = k + 1; i < n; ++i) {
    const auto other = magnitude(column[i]);
    place = other > largest ? i : place;
    largest = other > largest ? other : largest;
  }
  return {place, place, largest == 0};
}

// What a matrix and a lane of it keep of the pivots.
struct PivotNotes {
  int info = 0;       // first k from 1 with a zero pivot
  int exchanged = 0;  // lane k: the row, from 0, with which row k was exchanged
  int holder = 0;     // lane k: the lane that held the pivot row of step k
};

LUFACT_LANES void note_pivot(PivotNotes& notes, int lane, int k, const Pivot& pivot) {
  if (lane == k) {
    notes.exchanged = pivot.position;
    notes.holder = pivot.lane;
  }
  if (pivot.zero && notes.info == 0) notes.info = k + 1;
}

// Where a row is after step k has exchanged row k with the pivot row, without moving it. So the
// pivots of a factorization without interchanges are LAPACK's to the last tie.
LUFACT_LANES int position_after(int position, int k, const Pivot& pivot) {
  if (position == pivot.position) return k;
  return position == k ? pivot.position : position;
}

}  // namespace lufact::gpu::paper
