// SPDX-License-Identifier: BSD-3-Clause
// A dense matrix as one front: the tile tasks of the multifrontal kernel, without assembly.
#pragma once
#include <memory>

#include "core/base/types.hpp"

namespace lufact {
class DeviceSession;
}

namespace lufact::gpu::blocked {

// Tiles on the diagonal are tasks as others, or all of them one block's (diagonal_chain.cuh).
enum class DiagonalWay { tasks, chain };
// What pays.
DiagonalWay diagonal_way(Index order);

template <class T>
class DenseFront {
 public:
  // Plans on the host and allocates about as much again as the matrix has: factors are stored in
  // tiles as well, those on the diagonal as inverses, by which other tiles are multiplied, unless
  // these are large (core/fronts/plan/dense_front.hpp). A matrix of one tile has no chain, nor has
  // one on a card whose blocks lack the shared memory. Throws Error{oom_device, ...}.
  DenseFront(DeviceSession& session, Index order, int threads)
      : DenseFront(session, order, threads, diagonal_way(order)) {}
  DenseFront(DeviceSession& session, Index order, int threads, DiagonalWay way);
  ~DenseFront();

  // A = LU in place, without pivoting, of a matrix by columns. The first zero pivot is a zero on
  // the diagonal of U, and what is behind its tile is of no use. Two launches on the session's
  // stream, asynchronous. Every tile is written by one block and every sum taken in a fixed order:
  // the bits of the factors depend on the input alone.
  void factor(T* a, Offset ld);

  Offset blocks() const noexcept { return blocks_; }
  DiagonalWay way() const noexcept { return way_; }
  // Tiles on the diagonal that the last factor() has kept as L and U. Waits for it.
  Offset tiles_without_inverses() const;

 private:
  struct Plan;

  DeviceSession& session_;
  const Index order_;
  Offset blocks_;
  const DiagonalWay way_;
  std::unique_ptr<Plan> plan_;
};

extern template class DenseFront<float>;
extern template class DenseFront<double>;

}  // namespace lufact::gpu::blocked
