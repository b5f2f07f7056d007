// SPDX-License-Identifier: BSD-3-Clause
// Triangular solves for 16 right-hand sides at a time. Each lane of half a warp has one of them,
// and halves of warps take rows: factors come once for all, through shared memory, where a half
// reads them by broadcasts, and vectors, [position * 16 + column], come by whole rows.
#pragma once
#include "gpu/fronts/solve/sweep.cuh"

namespace lufact::gpu {

inline constexpr int many_columns = many_solve_columns;
inline constexpr int halves = 2;  // of a warp
static_assert(many_columns * halves == warp_size);

template <class T>
using ManyRow = T[many_columns];

// Several sweeps for many columns each, side by side. The arrays of one stand behind those of the
// one before.
template <class T>
struct ManySolveProblem : SolveProblem<T> {  // of sweep 0, but `live_columns`, those of all sweeps
  Index sweeps = 1;
  Offset words = 0, contribution_rows = 0;  // of one sweep

  __device__ SolveProblem<T> of(Index sweep) const {
    SolveProblem<T> own = *this;
    for (SweepWords* part : {&own.lower, &own.upper}) {
      part->flag += sweep * words;
      part->done += sweep * words;
    }
    own.next_ticket += sweep * words;
    const Index first = sweep * many_columns;
    own.solution += Offset{first} * own.n;
    own.contributions += first * contribution_rows;
    own.vectors.b += Offset{first} * own.n;
    own.vectors.x += Offset{first} * own.n;
    own.live_columns = min(own.live_columns - first, many_columns);
    return own;
  }
};

// The common part of small fronts and tile rows. What words say, how they are waited for and how
// scales are read is that of one right-hand side.
template <class T, class Group>
class ManyColumns : protected Sweep<T, 1, Group, HandOver::by_words> {
  using Base = Sweep<T, 1, Group, HandOver::by_words>;

 protected:
  using Base::children_, Base::problem_, Base::task_;
  static constexpr int groups = Group::threads / many_columns;  // which have a row each

  __device__ ManyColumns(const SolveProblem<T>& problem, const TaskRecord& record,
                         ChildRows (&children)[children_at_hand])
      : Base(problem, record, children) {}

  __device__ static int column() { return static_cast<int>(threadIdx.x) % many_columns; }
  __device__ static int half() { return static_cast<int>(threadIdx.x) / many_columns % halves; }
  __device__ static T* at(T* vectors, Offset place) {
    return vectors + place * many_columns + column();
  }

  // Lanes beyond the right-hand sides go along with zeros.
  __device__ bool is_live() const { return column() < problem_.live_columns; }
  __device__ T right_hand_side(Index position) const {
    if (!is_live()) return T(0);
    const Index label = problem_.label[position];
    const double value =
        __ldcg(problem_.vectors.b + static_cast<Offset>(column()) * problem_.n + label);
    return static_cast<T>(__dmul_rn(value, Base::scale_of(problem_.vectors.row_scale, label)));
  }
  // Where the solution at a position goes.
  struct Destination {
    Index label = 0;
    double scale = 0;
  };
  __device__ Destination destination(Index position) const {
    const Index label = problem_.label[position];
    return {label, Base::solution_scale(label)};
  }
  __device__ void write_solution(const Destination& to, T value) const {
    if (!is_live()) return;
    problem_.vectors.x[static_cast<Offset>(column()) * problem_.n + to.label] =
        __dmul_rn(static_cast<double>(value), to.scale);
  }

  // entry[inside(row)] += the children's contributions, one child after the other. On return all
  // threads see the sums.
  template <class Inside>
  __device__ void add_children(ManyRow<T>* entry, const Inside& inside) const {
    for (Index first = task_.block_begin; first < task_.block_end; first += children_at_hand) {
      const int count = min(task_.block_end - first, children_at_hand);
      wait_for<Group>(Base::look_at_child(first, count));
      add_rows(count, entry, inside);
    }
    if (task_.block_begin == task_.block_end) Group::sync();
  }

 private:
  // Loads of several rows, of several children too, are under way at once.
  template <class Inside>
  __device__ void add_rows(int count, ManyRow<T>* entry, const Inside& inside) const {
    constexpr int batch = 8;
    int child = 0;
    Index next = 0;
#pragma unroll 1
    while (child < count) {
      T value[batch];
      Index to[batch];
      unsigned last = 0;  // bit k: row k is one of the last of its child
#pragma unroll
      for (int k = 0; k < batch; ++k) {
        to[k] = -1;
        value[k] = T(0);
        if (child == count) continue;
        const ChildRows rows = children_[child];
        const Index r = next + Group::rank() / many_columns;
        if (r < rows.count) {
          to[k] = problem_.plan.parent_row[rows.first + r];
          value[k] = __ldcg(at(problem_.contributions, rows.first + r));
        }
        next += groups;
        if (next < rows.count) continue;
        last |= 1U << k;
        ++child;
        next = 0;
      }
#pragma unroll
      for (int k = 0; k < batch; ++k) {
        if (to[k] >= 0) entry[inside(to[k])][column()] += value[k];
        if ((last >> k & 1) != 0) Group::sync();
      }
    }
  }
};

}  // namespace lufact::gpu
