// SPDX-License-Identifier: BSD-3-Clause
#include "core/fronts/numeric/front_sweeps.hpp"

#include <algorithm>
#include <atomic>

#include "core/matrix/parallel.hpp"

namespace lufact {
namespace {

constexpr Offset worthwhile_entries = 500'000;       // of the factors
constexpr Offset worthwhile_front_entries = 60'000;  // of a front, for a team
constexpr Index piece_rows = 256, piece_pivots = 16;

bool for_a_team(const ScheduledFront& front) {
  return front.end() - front.values >= worthwhile_front_entries;
}

}  // namespace

template <class T>
FrontSweeps<T>::FrontSweeps(const StoredFronts<T>& fronts)
    : fronts_(fronts), kernels_(dense_kernels<T>()) {}

template <class T>
void FrontSweeps<T>::run(T* y, Index sides, int threads) {
  const FrontSchedule& schedule = fronts_.schedule;
  y_ = y;
  sides_ = sides;
  checked_bytes(schedule.vectors, sizeof(T) * at(sides));
  if (vectors_.size() < schedule.vectors * sides) {
    vectors_ = UninitializedArray<T>(schedule.vectors * sides);
  }
  if (threads_for(schedule.values, worthwhile_entries, threads) == 1) {
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
      if (for_a_team(schedule.front[at(f)])) {
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

template <class T>
void FrontSweeps<T>::add_children(const ScheduledFront& front, T* pivots, T* rows) const {
  const FrontSchedule& schedule = fronts_.schedule;
  for (Index c = front.child_begin; c < front.child_end; ++c) {
    const Index number = schedule.child[at(c)];
    const ScheduledFront& child = schedule.front[at(number)];
    const Index* const to = schedule.parent_row.data() + fronts_.tree.row_ptr[at(number)];
    const T* from = vectors_.data() + child.vectors * sides_;
    for (Index s = 0; s < sides_; ++s, from += child.row_stride()) {
      Index i = 0;
      for (; i < child.rows && to[i] < front.pivots; ++i) {
        pivots[Offset{to[i]} * sides_ + s] += from[i];
      }
      T* const beyond = rows + s * front.row_stride() - front.pivots;
      for (; i < child.rows; ++i) beyond[to[i]] += from[i];
    }
  }
}

// Exchanges rows block by block, as the factorization did.
template <class T>
void FrontSweeps<T>::exchange_rows(Index f, T* pivots) const {
  const Index count = fronts_.tree.pivots(f), block = pivot_tile_width(count);
  const std::uint8_t* const source = fronts_.row_source + fronts_.tree.first[at(f)];
  T before[diagonal_block * side_by_side];
  for (Index k = 0; k < count; k += block) {
    const Index width = std::min(block, count - k);
    T* const to = pivots + Offset{k} * sides_;
    std::copy_n(to, width * sides_, before);
    for (Index i = 0; i < width; ++i) {
      std::copy_n(before + source[k + i] * sides_, sides_, to + i * sides_);
    }
  }
}

template <class T>
void FrontSweeps<T>::forward(Index f, const ThreadTeam& team) {
  const ScheduledFront& front = fronts_.schedule.front[at(f)];
  if (front.pivots == 0) return;
  const Offset stride = front.row_stride();
  T* const pivots = y_ + Offset{fronts_.tree.first[at(f)]} * sides_;
  T* const rows = vector_of(front);
  if (team.leads()) {
    std::fill_n(rows, stride * sides_, T(0));
    add_children(front, pivots, rows);
    if (fronts_.row_source != nullptr) exchange_rows(f, pivots);
    kernels_.forward(pivots, fronts_.values + front.values, front.pivot_stride(), front.pivots,
                     sides_);
  }
  team.wait();
  const T* const lower = fronts_.values + front.lower();
  team.share_pieces(static_cast<Index>(stride), piece_rows, [&](Index begin, Index count) {
    kernels_.multiply(rows + begin, stride, lower + begin, stride, pivots, sides_, count, sides_,
                      front.pivots, false);
  });
  team.wait();
}

template <class T>
void FrontSweeps<T>::backward(Index f, const ThreadTeam& team) {
  const ScheduledFront& front = fronts_.schedule.front[at(f)];
  if (front.pivots == 0) return;
  const Offset stride = front.row_stride();
  T* const pivots = y_ + Offset{fronts_.tree.first[at(f)]} * sides_;
  T* const rows = vector_of(front);
  const Index* const row = fronts_.tree.row.data() + fronts_.tree.row_ptr[at(f)];
  if (team.leads()) {
    for (Index s = 0; s < sides_; ++s) {
      T* const to = rows + s * stride;
      for (Index i = 0; i < front.rows; ++i) to[i] = y_[Offset{row[i]} * sides_ + s];
      std::fill(to + front.rows, to + stride, T(0));
    }
  }
  team.wait();
  const T* const upper = fronts_.values + front.upper();
  team.share_pieces(front.pivots, piece_pivots, [&](Index begin, Index count) {
    for (Index s = 0; s < sides_; ++s) {
      kernels_.dots(pivots + Offset{begin} * sides_ + s, sides_, upper + begin * stride, stride,
                    static_cast<Index>(stride), count, rows + s * stride);
    }
  });
  team.wait();
  if (team.leads()) {
    kernels_.backward(pivots, fronts_.values + front.values, front.pivot_stride(),
                      fronts_.inverse_pivot + fronts_.tree.first[at(f)], front.pivots, sides_);
  }
  team.wait();
}

template class FrontSweeps<float>;
template class FrontSweeps<double>;

}  // namespace lufact
