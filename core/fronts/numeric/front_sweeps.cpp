// SPDX-License-Identifier: BSD-3-Clause
#include "core/fronts/numeric/front_sweeps.hpp"

#include <algorithm>
#include <atomic>
#include <type_traits>

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

// Calls body(sides) for this thread's share of the right-hand sides.
template <class T>
template <class Body>
void FrontSweeps<T>::share_sides(const ThreadTeam& team, const Body& body) {
  if (sides_ == 1) {
    if (team.leads()) body(OneSide{});
    return;
  }
  team.share_pieces(sides_, piece_sides, [&](Index first, Index count) {
    body(SomeSides{sides_, first, count});
  });
}

template <class T>
template <class Sides>
void FrontSweeps<T>::add_children(Index f, const Sides& sides) {
  const FrontSchedule& schedule = fronts_.schedule;
  const ScheduledFront& front = schedule.front[at(f)];
  T* const pivots = pivots_of(f) + sides.first;
  T* const rows = rows_of(front) + sides.first - Offset{front.pivots} * sides.all;
  for (Index c = front.child_begin; c < front.child_end; ++c) {
    const Index number = schedule.child[at(c)];
    const ScheduledFront& child = schedule.front[at(number)];
    const Index* const to = schedule.parent_row.data() + fronts_.tree.row_ptr[at(number)];
    const T* from = rows_of(child) + sides.first;
    Index i = 0;
    const auto add_to = [&](T* sum) {
      sum += Offset{to[i]} * sides.all;
      for (Index s = 0; s < sides.count; ++s) sum[s] += from[s];
      from += sides.all;
    };
    for (; i < child.rows && to[i] < front.pivots; ++i) add_to(pivots);
    for (; i < child.rows; ++i) add_to(rows);
  }
}

// Exchanges rows block by block, as the factorization did; or back, for the transpose.
template <class T>
template <class Sides>
void FrontSweeps<T>::exchange_rows(Index f, const Sides& sides) const {
  const Index pivots = fronts_.tree.pivots(f), block = pivot_tile_width(pivots);
  const std::uint8_t* const source = fronts_.row_source + fronts_.tree.first[at(f)];
  T* const first = y_ + Offset{fronts_.tree.first[at(f)]} * sides.all + sides.first;
  T before[diagonal_block * most_sides];
  for (Index k = 0; k < pivots; k += block) {
    const Index width = std::min(block, pivots - k);
    T* const to = first + Offset{k} * sides.all;
    for (Index i = 0; i < width; ++i) {
      std::copy_n(to + i * sides.all, sides.count, before + i * sides.count);
    }
    for (Index i = 0; i < width; ++i) {
      const Index from = transposed_ ? i : source[k + i], place = transposed_ ? source[k + i] : i;
      std::copy_n(before + from * sides.count, sides.count, to + place * sides.all);
    }
  }
}

template <class T>
template <class Sides>
void FrontSweeps<T>::begin_forward(Index f, const Sides& sides) {
  const ScheduledFront& front = fronts_.schedule.front[at(f)];
  T* const rows = rows_of(front) + sides.first;
  for (Offset i = 0; i < front.row_stride(); ++i) {
    for (Index s = 0; s < sides.count; ++s) rows[i * sides.all + s] = T(0);
  }
  add_children(f, sides);
  if (fronts_.row_source != nullptr && !transposed_) exchange_rows(f, sides);
  T* const pivots = pivots_of(f) + sides.first;
  const T* const d = fronts_.values + front.values;
  if constexpr (std::is_same_v<Sides, OneSide>) {
    kernels_.forward(pivots, d, front.pivot_stride(), front.pivots, 1);
  } else {
    kernels_.solve_sides(pivots, sides.all, sides.count, d, front.pivot_stride(),
                         fronts_.inverse_pivot + fronts_.tree.first[at(f)], front.pivots,
                         transposed_ ? Triangle::upper_transposed : Triangle::lower);
  }
}

template <class T>
void FrontSweeps<T>::forward(Index f, const ThreadTeam& team) {
  const ScheduledFront& front = fronts_.schedule.front[at(f)];
  if (front.pivots == 0) return;
  share_sides(team, [&](const auto& sides) { begin_forward(f, sides); });
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
template <class Sides>
void FrontSweeps<T>::gather_rows(Index f, const Sides& sides) {
  const ScheduledFront& front = fronts_.schedule.front[at(f)];
  const Index* const row = fronts_.tree.row.data() + fronts_.tree.row_ptr[at(f)];
  T* const rows = rows_of(front) + sides.first;
  for (Index i = 0; i < front.rows; ++i) {
    T* const to = rows + Offset{i} * sides.all;
    const T* const from = y_ + Offset{row[i]} * sides.all + sides.first;
    for (Index s = 0; s < sides.count; ++s) to[s] = from[s];
  }
  for (Offset i = front.rows; i < front.row_stride(); ++i) {
    for (Index s = 0; s < sides.count; ++s) rows[i * sides.all + s] = T(0);
  }
}

template <class T>
void FrontSweeps<T>::backward(Index f, const ThreadTeam& team) {
  const ScheduledFront& front = fronts_.schedule.front[at(f)];
  if (front.pivots == 0) return;
  const Offset stride = front.row_stride();
  T *const pivots = pivots_of(f), *const rows = rows_of(front);
  share_sides(team, [&](const auto& sides) { gather_rows(f, sides); });
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
  share_sides(team, [&](const auto& sides) { end_backward(f, sides); });
  team.wait();
}

template <class T>
template <class Sides>
void FrontSweeps<T>::end_backward(Index f, const Sides& sides) {
  const ScheduledFront& front = fronts_.schedule.front[at(f)];
  T* const pivots = pivots_of(f) + sides.first;
  const T* const d = fronts_.values + front.values;
  const T* const inverse = fronts_.inverse_pivot + fronts_.tree.first[at(f)];
  if constexpr (std::is_same_v<Sides, OneSide>) {
    kernels_.backward(pivots, d, front.pivot_stride(), inverse, front.pivots, 1);
  } else {
    kernels_.solve_sides(pivots, sides.all, sides.count, d, front.pivot_stride(), inverse,
                         front.pivots, transposed_ ? Triangle::lower_transposed : Triangle::upper);
  }
  if (fronts_.row_source != nullptr && transposed_) exchange_rows(f, sides);
}

template class FrontSweeps<float>;
template class FrontSweeps<double>;

}  // namespace lufact
