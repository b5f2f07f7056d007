// SPDX-License-Identifier: BSD-3-Clause
// A dense matrix as one front: the tile tasks of the multifrontal kernel, without assembly.
#pragma once
#include <memory>

#include "core/base/types.hpp"

namespace lufact {
class DeviceSession;
}

namespace lufact::gpu::blocked {

template <class T>
class DenseFront {
 public:
  // Plans on the host and allocates about as much again as the matrix has: factors are stored in
  // tiles as well, those on the diagonal as inverses, by which other tiles are multiplied, unless
  // these are large (core/fronts/plan/dense_front.hpp). Throws Error{oom_device, ...}.
  DenseFront(DeviceSession& session, Index order, int threads);
  ~DenseFront();

  // A = LU in place, without pivoting, of a matrix by columns. The first zero pivot is a zero on
  // the diagonal of U, and what is behind its tile is of no use. Two launches on the session's
  // stream, asynchronous. Every tile is written by one block and every sum taken in a fixed order:
  // the bits of the factors depend on the input alone.
  void factor(T* a, Offset ld);

  Offset blocks() const noexcept { return blocks_; }
  // Whether one block has all tiles on the diagonal (diagonal_chain.cuh).
  bool has_chain() const noexcept { return has_chain_; }
  // Tiles on the diagonal that the last factor() has kept as L and U. Waits for it.
  Offset tiles_without_inverses() const;

 private:
  struct Plan;

  DeviceSession& session_;
  const Index order_;
  Offset blocks_;
  const bool has_chain_;
  std::unique_ptr<Plan> plan_;
};

extern template class DenseFront<float>;
extern template class DenseFront<double>;

}  // namespace lufact::gpu::blocked
