// SPDX-License-Identifier: BSD-3-Clause
// Triangular solves with the host's fronts. Every front has a vector of its contribution rows,
// which its parent adds up like contribution blocks, so that sums are taken in one order for any
// number of threads. Right-hand sides go through the fronts together, in products of matrices; each
// has the bits that it has alone.
#pragma once
#include "core/base/uninitialized_array.hpp"
#include "core/fronts/numeric/dense_kernels.hpp"
#include "core/fronts/numeric/thread_team.hpp"

namespace lufact {

// The factors that the host's factorization has stored. T is float or double.
template <class T>
struct StoredFronts {
  const FrontTree& tree;
  const FrontSchedule& schedule;
  const T* values = nullptr;
  const T* inverse_pivot = nullptr;          // by position
  const std::uint8_t* row_source = nullptr;  // as in FrontWork
};

// Right-hand sides that go through the fronts together, at most; a multiple of row_unit.
inline constexpr Index most_sides = 32;

template <class T>
class FrontSweeps {
 public:
  explicit FrontSweeps(const StoredFronts<T>& fronts);

  // y := U \ (L \ y), P y of it where rows were exchanged, for `sides` right-hand sides, 1 or a
  // multiple of row_unit up to most_sides, the entries of a position side by side, on up to
  // `threads` threads.
  void run(T* y, Index sides, int threads);
  // y := L' \ (U' \ y), and P' of it, in the same way; `sides` is not 1.
  void run_transposed(T* y, Index sides, int threads);

 private:
  void sweep_both_ways(T* y, Index sides, int threads);
  void forward(Index f, const ThreadTeam& team);
  void backward(Index f, const ThreadTeam& team);

  // Right-hand sides [first, first + count) of all; one alone is known when this is compiled.
  struct SomeSides {
    Index all, first, count;
  };
  struct OneSide {
    static constexpr Index all = 1, first = 0, count = 1;
  };
  template <class Body>
  void share_sides(const ThreadTeam& team, const Body& body);
  template <class Sides>
  void begin_forward(Index f, const Sides& sides);
  template <class Sides>
  void gather_rows(Index f, const Sides& sides);
  template <class Sides>
  void end_backward(Index f, const Sides& sides);
  template <class Sides>
  void exchange_rows(Index f, const Sides& sides) const;
  template <class Sides>
  void add_children(Index f, const Sides& sides);

  T* pivots_of(Index f) { return y_ + Offset{fronts_.tree.first[at(f)]} * sides_; }
  T* rows_of(const ScheduledFront& front) { return vectors_.data() + front.vectors * sides_; }

  StoredFronts<T> fronts_;
  const DenseKernels<T>& kernels_;
  UninitializedArray<T> vectors_;  // of all fronts, a row's entries side by side, for most sides
  T* y_ = nullptr;
  Index sides_ = 1;
  bool transposed_ = false;
};

}  // namespace lufact
