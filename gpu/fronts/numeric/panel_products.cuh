// SPDX-License-Identifier: BSD-3-Clause
// The products of a tile by copies that all threads start, with a barrier of the block for each
// panel.
#pragma once
#include "gpu/fronts/numeric/block_watch.cuh"
#include "gpu/fronts/numeric/panel_copy.cuh"
#include "gpu/fronts/numeric/panel_sums.cuh"
#include "gpu/fronts/numeric/task_factors.cuh"

namespace lufact::gpu {

template <class T, class Watch = NoWatch>
class PanelProducts {
 public:
  // Of the steps from `first` on.
  __device__ PanelProducts(const TaskFactors<T>& factors, TileMemory<T>& memory, Watch watch = {},
                           Index first = 0)
      : factors_(factors), memory_(memory), watch_(watch), ready_(first), step_(first) {}

  // sum += the products of steps before `steps`. Panels are copied as far ahead as there are stages: several
  // copies take as long as one. By all threads of the block; the tile's place is free on return.
  __device__ void add(Fragment<T>& sum, Index steps) {
    PanelSums<T> sums(sum, memory_);
    if (threadIdx.x < 2) memory_.ready_steps[threadIdx.x] = 0;
    const Index panels = steps * panels_of_step();
    Index on_their_way = step_ * panels_of_step();
#pragma unroll 1
    for (Index p = on_their_way; p < panels; ++p) {
      if (on_their_way == p) {
        if (ready_ * panels_of_step() <= p) {
          watch_.done(BlockWork::products);
          wait_for_step(step_);
          watch_.done(BlockWork::flags);
        }
        on_their_way = copy_ahead(p, on_their_way, panels);
      }
      const bool look = ready_ < steps && ready_ * panels_of_step() <= p + TileMemory<T>::stages;
      const bool seen = look && factors_.peek(ready_, steps);
      const Index known = ready_;
      wait_for_panel<TileMemory<T>::stages>(on_their_way - p - 1);
      __syncthreads();
      ready_ = max(ready_, memory_.ready_steps[p % 2]);
      on_their_way = copy_ahead(p, on_their_way, panels);
      const ProductStage<T>& stage = memory_.stage(p);
      sums.add(stage.left, stage.right);
      if (look) note_steps(seen, known, memory_.ready_steps[(p + 1) % 2]);
    }
    __syncthreads();
    sums.give_back();
  }

 private:
  __device__ Index panels_of_step() const {
    return factors_.panels_of_step();
  }

  // Starts copies up to the stage that panel p - 1 has left, as far as tiles are complete. Returns
  // the number of panels whose copies have been started.
  __device__ Index copy_ahead(Index p, Index on_their_way, Index panels) {
    const Index end = min(min(ready_ * panels_of_step(), panels), p + TileMemory<T>::stages);
    for (; on_their_way < end; ++on_their_way) copy_factors(on_their_way);
    return on_their_way;
  }

  // Panels follow each other.
  __device__ void copy_factors(Index panel) {
    if (depth_ == 0) {
      left_ = factors_.left(step_);
      right_ = factors_.right(step_);
    }
    ProductStage<T>& to = memory_.stage(panel);
    copy_panel(to.left, left_, depth_);
    copy_panel(to.right, right_, depth_);
    commit_copies();
    depth_ += product_depth;
    if (depth_ < factors_.width_of_steps()) return;
    depth_ = 0;
    ++step_;
  }

  __device__ void wait_for_step(Index k) {
    wait_for_words<BlockGroup>(
        2, [&](int which) { return factors_.flag(k, which); }, [](int) { return 1U; });
    ready_ = max(ready_, k + 1);
  }

  // The load of what was seen overlaps with the products.
  __device__ void note_steps(bool seen, Index known, Index& ready_steps) {
    if (threadIdx.x >= warp_size) return;
    const Index steps = TaskFactors<T>::steps_seen(seen);
    if (steps == 0) return;
    acquire_fence();
    if (threadIdx.x == 0) ready_steps = known + steps;
  }

  const TaskFactors<T>& factors_;
  TileMemory<T>& memory_;
  [[no_unique_address]] Watch watch_;
  Index ready_;  // steps whose tiles are known complete
  // Of the next panel to be copied: its step, the step's tiles, and the depth where it begins.
  Index step_, depth_ = 0;
  StoredTile<const T> left_{}, right_{};
};

}  // namespace lufact::gpu
