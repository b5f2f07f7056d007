// SPDX-License-Identifier: BSD-3-Clause
// The tiles of L and U whose products one tile is the sum of.
#pragma once
#include "gpu/fronts/tasks/front_problem.cuh"
#include "gpu/fronts/tasks/publish.cuh"
#include "gpu/fronts/tasks/tile_layout.cuh"

namespace lufact::gpu {

// Step k is the product of L(i, k) and U(k, j), a panel is product_depth of its columns and rows.
template <class T>
class TaskFactors {
 public:
  __device__ TaskFactors(const FrontProblem<T>& problem, const FrontTask& task,
                         const FrontShape& shape)
      : problem_(problem), task_(task), shape_(shape) {}

  __device__ Index width_of_steps() const { return shape_.pivot_width; }
  __device__ Index panels_of_step() const { return shape_.pivot_width / product_depth; }
  __device__ Index depth_of_step(Index k) const { return stored_pivots(shape_, k); }
  __device__ Index rows() const { return stored_rows(shape_, task_.tile_row); }
  __device__ Index columns() const { return stored_rows(shape_, task_.tile_column); }
  __device__ StoredTile<const T> left(Index k) const {
    return lower_stored<const T>(problem_.factors, shape_, task_.tile_row, k);
  }
  __device__ StoredTile<const T> right(Index k) const {
    return upper_stored<const T>(problem_.factors, shape_, k, task_.tile_column);
  }

  // The word that is raised when the left (0) or right (1) tile of a step is complete.
  __device__ const unsigned* flag(Index k, int which) const {
    const Index number = which == 0 ? lower_tile(shape_, task_.tile_row, k)
                                    : upper_tile(shape_, k, task_.tile_column);
    return problem_.sync.flag + shape_.flags + number;
  }
  // Whether the tile that this lane of the first warp looks at is complete: two lanes for each step
  // from `first` on. What was seen by peek() is acquired by a fence.
  __device__ bool peek(Index first, Index steps) const {
    return see(first, steps, [](const unsigned* word) { return peek_word(word); });
  }
  __device__ bool acquire(Index first, Index steps) const {
    return see(first, steps, [](const unsigned* word) { return acquire_word(word); });
  }
  // How many steps that follow each other the lanes of a warp have seen complete.
  __device__ static Index steps_seen(bool seen) {
    const unsigned missing = ~__ballot_sync(full_warp, seen);
    return (missing == 0 ? warp_size : __ffs(missing) - 1) / 2;
  }

 private:
  template <class Load>
  __device__ bool see(Index first, Index steps, const Load& load) const {
    const int lane = static_cast<int>(threadIdx.x);
    const Index k = first + lane / 2;
    return lane < warp_size && k < steps && load(flag(k, lane % 2)) != 0;
  }

  const FrontProblem<T>& problem_;
  const FrontTask& task_;
  const FrontShape& shape_;
};

}  // namespace lufact::gpu
