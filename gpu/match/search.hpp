// SPDX-License-Identifier: BSD-3-Clause
// Shortest paths from all free rows at once by relaxation in rounds (Bellman and Ford), in lengths
// that are never negative (Gabow and Tarjan, SIAM J. Comput. 18(5), 1989): cost - dual of the row -
// dual of the column + 1 of an entry off the matching, 0 of a matched one.
#pragma once
#include "gpu/match/match_state.hpp"

namespace lufact::gpu {

// Free columns by distance, eight buckets an octave: bounds a search without sorting.
struct DistanceBuckets {
  static constexpr int count = 256;

  LUFACT_BOTH_SIDES static int of(Units distance) {
    if (distance < 8) return distance;
    int exponent = 3;
    while (distance >> (exponent + 1) != 0) ++exponent;
    return exponent * 8 + (distance >> (exponent - 3) & 7);
  }
  // The largest distance of a bucket, which has one.
  LUFACT_BOTH_SIDES static Units last(int bucket) {
    if (bucket < 24) return bucket;
    return ((9 + (bucket & 7)) << (bucket / 8 - 3)) - 1;
  }
};

// Where a round leaves what it finds: rows to go on from, and changes of the histogram. An eager
// one loads and takes what it may need before it knows, for rounds of so few items that they take
// as long as what waits for each other. A row is pushed once by all that have the same `visit`;
// what another visit has pushed may have been relaxed since.
template <class Queue, bool eager = false>
class Relaxation {
 public:
  LUFACT_BOTH_SIDES Relaxation(const MatchArrays& m, Queue& queue, std::int32_t round, Visit visit)
      : m_(m),
        queue_(queue),
        bound_(current(m.counters->bound)),
        visit_(visit),
        histogram_(m.histogram + (round & 1) * DistanceBuckets::count) {}

  // The entries of one item, by `lanes` together.
  template <class Lanes>
  LUFACT_BOTH_SIDES void relax(Item item, const Lanes& lanes) const {
    const auto row = static_cast<Index>(item & (most_rows - 1));
    const Offset first = m_.row_ptr[row], length = m_.row_ptr[row + 1] - first;
    const Offset begin = first + (item >> row_bits_of_item) * entries_per_chunk(length);
    const Offset end = lesser(begin + entries_per_chunk(length), first + length);
    const RowState state = m_.rows[row];
    const Word own = state.column < 0 ? 0 : current(m_.label[state.column]);
    const Units distance = m_.shape.distance(own);
    const Word hops = m_.shape.hops(own) + 1;
    for (Offset p = begin + lanes.rank(); p < end; p += lanes.count()) {
      const Units cost = m_.cost[p];
      const Index column = m_.col_idx[p];
      if (cost == no_cost || column == state.column) continue;
      const ColumnState target = m_.columns[column];
      const Word seen = eager ? current(m_.label[column]) : unreached;
      const std::int64_t to = std::int64_t{distance} + cost + state.base - target.dual;
      if (to > bound_) {
        if (to > m_.shape.longest()) m_.counters->beyond_longest = 1;
        continue;
      }
      const Word label = m_.shape.label(static_cast<Units>(to), hops, row);
      if constexpr (eager) {
        if (label < seen) reach_early(column, target.row, seen, label);
      } else {
        if (label < current(m_.label[column])) reach(column, target.row, label);
      }
    }
  }

 private:
  LUFACT_BOTH_SIDES Offset length_of(Index row) const {
    return m_.row_ptr[row + 1] - m_.row_ptr[row];
  }
  LUFACT_BOTH_SIDES bool takes(Index row) const {
    return exchange(m_.last_visit[row], visit_) != visit_;
  }
  // The length of the column's row is loaded beside the label.
  LUFACT_BOTH_SIDES void reach(Index column, Index owner, Word label) const {
    const Offset length = owner < 0 ? 0 : length_of(owner);
    const Word before = lower_to(m_.label[column], label);
    if (before <= label || m_.shape.same_place(before, label)) return;
    if (owner < 0) {
      count(before, m_.shape.distance(label));
    } else if (takes(owner)) {
      queue_.push(owner, length);
    }
  }
  // Takes the column's row beside the label. Where another lane of the same visit lowers the label
  // further and finds the row taken, it has been pushed here.
  LUFACT_BOTH_SIDES void reach_early(Index column, Index owner, Word seen, Word label) const {
    const bool moves = owner >= 0 && !m_.shape.same_place(seen, label);
    const Offset length = moves ? length_of(owner) : 0;
    const bool taken = moves && takes(owner);
    const Word before = lower_to(m_.label[column], label);
    if (taken) queue_.push(owner, length);
    if (owner >= 0 || before <= label || m_.shape.same_place(before, label)) return;
    count(before, m_.shape.distance(label));
  }
  LUFACT_BOTH_SIDES void count(Word before, Units distance) const {
    const int bucket = DistanceBuckets::of(distance);
    const int left = before == unreached ? -1 : DistanceBuckets::of(m_.shape.distance(before));
    if (bucket == left) return;
    add_to(histogram_[bucket], 1);
    if (left >= 0) add_to(histogram_[left], -1);
  }

  const MatchArrays& m_;
  Queue& queue_;
  Units bound_;
  Visit visit_;
  std::int32_t* histogram_;
};

// So many of the free columns that are reached need a final distance, of so many free rows.
LUFACT_BOTH_SIDES constexpr Index wanted_ends(Index free_rows) {
  return static_cast<Index>((Offset{free_rows} * 7 + 9) / 10);
}

}  // namespace lufact::gpu
