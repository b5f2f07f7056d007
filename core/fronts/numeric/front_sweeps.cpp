// SPDX-License-Identifier: BSD-3-Clause
#include "core/fronts/numeric/front_sweeps.hpp"

#include <algorithm>
#include <atomic>

#include "core/matrix/parallel.hpp"

namespace lufact {
namespace {

// For one right-hand side: entries of the factors, and of a front for a team.
constexpr Offset worthwhile_entries = 500'000, worthwhile_front_entries = 60'000;
constexpr Index piece_rows = 256, piece_pivots = 16, piece_sides = 2 * row_unit;

bool for_a_team(const ScheduledFront& front, Index sides) {
  return (front.end() - front.values) * sides >= worthwhile_front_entries;
}

}  // namespace

template <class T>
FrontSweeps<T>::FrontSweeps(const StoredFronts<T>& fronts)
    : fronts_(fronts), kernels_(dense_kernels<T>()) {}

template <class T>
void FrontSweeps<T>::run(T* y, Index sides, int threads) {
  transposed_ = false;
  sweep_both_ways(y, sides, threads);
}

template <class T>
void FrontSweeps<T>::run_transposed(T* y, Index sides, int threads) {
  transposed_ = true;
  sweep_both_ways(y, sides, threads);
}

template <class T>
void FrontSweeps<T>::sweep_both_ways(T* y, Index sides, int threads) {
  const FrontSchedule& schedule = fronts_.schedule;
  y_ = y;
  sides_ = sides;
  checked_bytes(schedule.vectors, sizeof(T) * at(sides));
  if (vectors_.size() < schedule.vectors * sides) {
    vectors_ = UninitializedArray<T>(schedule.vectors * sides);
  }
  if (threads_for(schedule.values * sides, worthwhile_entries, threads) == 1) {
    const ThreadTeam alone;
    for (Index f = 0; f < fronts_.tree.fronts(); ++f) forward(f, alone);
    for (Index f = fronts_.tree.fronts() - 1; f >= 0; --f) backward(f, alone);
    return;
  }
  std::atomic<std::size_t> next_forward{0}, next_backward{0};
#pragma omp parallel num_threads(threads)
  {
    const ThreadTeam team = ThreadTeam::of_region(), alone;
    const auto for_subtrees = [&](std::atomic<std::size_t>& next, const auto& body) {
      for (std::size_t s = next++; s < schedule.subtree.size(); s = next++) {
        body(schedule.subtree[s]);
      }
    };
    for_subtrees(next_forward, [&](const FrontSubtree& subtree) {
      for (Index f = subtree.begin; f < subtree.end; ++f) forward(f, alone);
    });
    team.wait();
    const auto above = [&](Index f, void (FrontSweeps::*sweep)(Index, const ThreadTeam&)) {
      if (for_a_team(schedule.front[at(f)], sides_)) {
        team.wait();
        (this->*sweep)(f, team);
      } else if (team.leads()) {
        (this->*sweep)(f, alone);
      }
    };
    for (const Index f : schedule.above) above(f, &FrontSweeps::forward);
    for (std::size_t k = schedule.above.size(); k-- > 0;) {
      above(schedule.above[k], &FrontSweeps::backward);
    }
    team.wait();
    for_subtrees(next_backward, [&](const FrontSubtree& subtree) {
      for (Index f = subtree.end - 1; f >= subtree.begin; --f) backward(f, alone);
    });
  }
}

// Below, `count` right-hand sides from `side` on: threads of a team take some each.

template <class T>
void FrontSweeps<T>::add_children(Index f, Index side, Index count) {
  const FrontSchedule& schedule = fronts_.schedule;
  const ScheduledFront& front = schedule.front[at(f)];
  T* const pivots = pivots_of(f) + side;
  T* const rows = rows_of(front) + side - Offset{front.pivots} * sides_;
  for (Index c = front.child_begin; c < front.child_end; ++c) {
    const Index number = schedule.child[at(c)];
    const ScheduledFront& child = schedule.front[at(number)];
    const Index* const to = schedule.parent_row.data() + fronts_.tree.row_ptr[at(number)];
    const T* from = rows_of(child) + side;
    for (Index i = 0; i < child.rows; ++i, from += sides_) {
      T* const sum = (to[i] < front.pivots ? pivots : rows) + Offset{to[i]} * sides_;
      for (Index s = 0; s < count; ++s) sum[s] += from[s];
    }
  }
}

// Exchanges rows block by block, as the factorization did; or back, for the transpose.
template <class T>
void FrontSweeps<T>::exchange_rows(Index f, Index side, Index count) const {
  const Index pivots = fronts_.tree.pivots(f), block = pivot_tile_width(pivots);
  const std::uint8_t* const source = fronts_.row_source + fronts_.tree.first[at(f)];
  T* const first = y_ + Offset{fronts_.tree.first[at(f)]} * sides_ + side;
  T before[diagonal_block * most_sides];
  for (Index k = 0; k < pivots; k += block) {
    const Index width = std::min(block, pivots - k);
    T* const to = first + Offset{k} * sides_;
    for (Index i = 0; i < width; ++i) std::copy_n(to + i * sides_, count, before + i * count);
    for (Index i = 0; i < width; ++i) {
      const Index from = transposed_ ? i : source[k + i], place = transposed_ ? source[k + i] : i;
      std::copy_n(before + from * count, count, to + place * sides_);
    }
  }
}

template <class T>
void FrontSweeps<T>::begin_forward(Index f, Index side, Index count) {
  const ScheduledFront& front = fronts_.schedule.front[at(f)];
  T* const rows = rows_of(front) + side;
  for (Offset i = 0; i < front.row_stride(); ++i) std::fill_n(rows + i * sides_, count, T(0));
  add_children(f, side, count);
  if (fronts_.row_source != nullptr && !transposed_) exchange_rows(f, side, count);
  T* const pivots = pivots_of(f) + side;
  const T* const d = fronts_.values + front.values;
  if (sides_ == 1) {
    kernels_.forward(pivots, d, front.pivot_stride(), front.pivots, 1);
  } else {
    kernels_.solve_sides(pivots, sides_, count, d, front.pivot_stride(),
                         fronts_.inverse_pivot + fronts_.tree.first[at(f)], front.pivots,
                         transposed_ ? Triangle::upper_transposed : Triangle::lower);
  }
}

template <class T>
void FrontSweeps<T>::forward(Index f, const ThreadTeam& team) {
  const ScheduledFront& front = fronts_.schedule.front[at(f)];
  if (front.pivots == 0) return;
  team.share_pieces(sides_, piece_sides,
                    [&](Index side, Index count) { begin_forward(f, side, count); });
  team.wait();
  const Offset stride = front.row_stride();
  // U right of the pivots is stored by rows, as L' is: what stands in for L below them.
  const T* const lower = fronts_.values + (transposed_ ? front.upper() : front.lower());
  const T* const pivots = pivots_of(f);
  T* const rows = rows_of(front);
  if (sides_ == 1) {
    team.share_pieces(static_cast<Index>(stride), piece_rows, [&](Index begin, Index count) {
      kernels_.multiply(rows + begin, stride, lower + begin, stride, pivots, 1, count, 1,
                        front.pivots, false);
    });
  } else {
    team.share_pieces(front.rows, piece_rows, [&](Index begin, Index count) {
      kernels_.multiply(rows + Offset{begin} * sides_, sides_, pivots, sides_, lower + begin,
                        stride, sides_, count, front.pivots, false);
    });
  }
  team.wait();
}

template <class T>
void FrontSweeps<T>::gather_rows(Index f, Index side, Index count) {
  const ScheduledFront& front = fronts_.schedule.front[at(f)];
  const Index* const row = fronts_.tree.row.data() + fronts_.tree.row_ptr[at(f)];
  T* to = rows_of(front) + side;
  for (Index i = 0; i < front.rows; ++i, to += sides_) {
    std::copy_n(y_ + Offset{row[i]} * sides_ + side, count, to);
  }
  for (Offset i = front.rows; i < front.row_stride(); ++i, to += sides_) {
    std::fill_n(to, count, T(0));
  }
}

template <class T>
void FrontSweeps<T>::backward(Index f, const ThreadTeam& team) {
  const ScheduledFront& front = fronts_.schedule.front[at(f)];
  if (front.pivots == 0) return;
  const Offset stride = front.row_stride();
  T *const pivots = pivots_of(f), *const rows = rows_of(front);
  team.share_pieces(sides_, piece_sides,
                    [&](Index side, Index count) { gather_rows(f, side, count); });
  team.wait();
  const T* const upper = fronts_.values + (transposed_ ? front.lower() : front.upper());
  team.share_pieces(front.pivots, piece_pivots, [&](Index begin, Index count) {
    T* const to = pivots + Offset{begin} * sides_;
    const T* const from = upper + begin * stride;
    if (sides_ == 1) {
      kernels_.dots(to, 1, from, stride, static_cast<Index>(stride), count, rows);
    } else {
      kernels_.dots_of_sides(to, sides_, from, stride, static_cast<Index>(stride), count, rows,
                             sides_, sides_);
    }
  });
  team.wait();
  team.share_pieces(sides_, piece_sides,
                    [&](Index side, Index count) { end_backward(f, side, count); });
  team.wait();
}

template <class T>
void FrontSweeps<T>::end_backward(Index f, Index side, Index count) {
  const ScheduledFront& front = fronts_.schedule.front[at(f)];
  T* const pivots = pivots_of(f) + side;
  const T* const d = fronts_.values + front.values;
  const T* const inverse = fronts_.inverse_pivot + fronts_.tree.first[at(f)];
  if (sides_ == 1) {
    kernels_.backward(pivots, d, front.pivot_stride(), inverse, front.pivots, 1);
  } else {
    kernels_.solve_sides(pivots, sides_, count, d, front.pivot_stride(), inverse, front.pivots,
                         transposed_ ? Triangle::lower_transposed : Triangle::upper);
  }
  if (fronts_.row_source != nullptr && transposed_) exchange_rows(f, side, count);
}

template class FrontSweeps<float>;
template class FrontSweeps<double>;

}  // namespace lufact
