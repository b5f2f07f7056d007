// SPDX-License-Identifier: BSD-3-Clause
// The products of a tile by the copy unit (cards from 9.0 on): panels follow each other
// through a ring of stages, and no barrier of the block holds warps together.
#pragma once
#include "gpu/fronts/numeric/block_watch.cuh"
#include "gpu/fronts/numeric/ring_sums.cuh"
#include "gpu/fronts/numeric/task_factors.cuh"
#include "gpu/fronts/numeric/tile_memory.cuh"

namespace lufact::gpu {

// The first warp looks for complete tiles and starts all copies; a stage is full when its bytes are
// there and empty when every warp has read it. Panels are counted through all tiles of a block, so
// that barriers are initialized once.
template <class T, class Watch = NoWatch>
class RingProducts {
 public:
  __device__ RingProducts(const TaskFactors<T>& factors, TileMemory<T>& memory,
                          PanelBarriers& barriers, Index steps, Watch watch = {})
      : factors_(factors),
        memory_(memory),
        barriers_(barriers),
        watch_(watch),
        steps_(steps),
        rows_(factors.rows()),
        columns_(factors.columns()) {
    const Index last = factors.depth_of_step(steps - 1);
    const Index last_panels = (last + product_depth - 1) / product_depth;
    panels_ = (steps - 1) * factors.panels_of_step() + last_panels;
    last_depth_ = last - (last_panels - 1) * product_depth;
  }

  // sum += the products; entries beyond the tile's rows and columns become zero. By all threads of
  // the block; the tile's place is free on return.
  __device__ void add(Fragment<T>& sum) {
    RingSums<T> sums(sum, memory_, rows_, columns_);
    open();
    if (is_first_warp()) refill(0);
    const ProductStage<T>* stage = &wait(0);
    sums.load_first(*stage);
#pragma unroll 1
    for (Index panel = 0; panel < panels_; ++panel) {
      const bool look = is_first_warp() && ready_ < steps_ && next_step_ + 1 >= ready_;
      const bool seen = look && factors_.peek(ready_, steps_);
      sums.add_first_steps(*stage);
      release(panel);
      if (look) note_peeked(TaskFactors<T>::steps_seen(seen));
      if (is_first_warp()) refill(panel + 1);
      // The last panel is read again in place of one behind it: nothing is copied over it.
      if (panel + 1 < panels_) stage = &wait(panel + 1);
      sums.add_last_step(*stage);
    }
    sums.give_back();
    clear_beyond(sum);
    close();
  }

 private:
  static constexpr int stages = TileMemory<T>::stages;

  __device__ static bool is_first_warp() {
    return warp_number() == 0;
  }
  // Of all that have gone through the ring.
  __device__ unsigned number(Index panel) const {
    return before_ + static_cast<unsigned>(panel);
  }
  __device__ static unsigned parity(unsigned number) {
    return number / stages % 2;
  }
  __device__ CopyBarrier& full(Index panel) const {
    return barriers_.full[number(panel) % stages];
  }
  __device__ CopyBarrier& empty(Index panel) const {
    return barriers_.empty[number(panel) % stages];
  }
  __device__ ProductStage<T>& stage(Index panel) const {
    return memory_.stage(static_cast<Index>(number(panel) % stages));
  }

  // Copies into shared memory that begin behind it do not overtake what the thread did there.
  __device__ static void fence_copies_behind_reads() {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }

  // All threads have read the tile when copies begin to take its place.
  __device__ void open() {
    fence_copies_behind_reads();
    __syncthreads();
    before_ = barriers_.panels;
  }
  __device__ void close() const {
    __syncthreads();
    if (threadIdx.x == 0) barriers_.panels = number(panels_);
  }

  // The panel when it is there, with zeros where the last one has less than its depth.
  __device__ const ProductStage<T>& wait(Index panel) const {
    watch_.done(BlockWork::products);
    full(panel).wait(parity(number(panel)));
    watch_.done(BlockWork::copies);
    ProductStage<T>& stage = this->stage(panel);
    if (panel + 1 == panels_ && last_depth_ < product_depth) {
      RingSums<T>::clear_from(last_depth_, stage.left, rows_);
      RingSums<T>::clear_from(last_depth_, stage.right, columns_);
      __syncthreads();
    }
    return stage;
  }
  // When the lane has read all that it needs of the panel: each tells for itself, since racecheck
  // does not follow one lane that tells for its warp. Copies that refill it are of another
  // proxy than these reads: without the fence some entries of a front were wrong, in 100 of 240
  // fronts of order 8192 (LargeFront.Stress*), with it in none of 120.
  __device__ void release(Index panel) const {
    fence_copies_behind_reads();
    empty(panel).arrive();
  }
  __device__ bool is_free(Index panel) const {
    return number(panel) < stages || empty(panel).is_over(parity(number(panel) - stages));
  }

  // By the first warp: starts copies as far as tiles are complete and stages empty, but at least
  // that of panel `needed`, the first that may not have been started.
  __device__ void refill(Index needed) {
    if (needed == panels_) return;
    watch_.done(BlockWork::products);
    while (next_panel_ == needed && next_step_ >= ready_) {
      note_acquired(TaskFactors<T>::steps_seen(factors_.acquire(ready_, steps_)));
    }
    watch_.done(BlockWork::flags);
    const Index end = min(panels_, needed + stages);
    while (next_panel_ < end && next_step_ < ready_) {
      if (is_free(next_panel_)) {
        copy_next();
      } else if (next_panel_ > needed) {
        break;
      }
    }
  }
  __device__ void note_peeked(Index steps) {
    if (steps == 0) return;
    acquire_fence();
    note_acquired(steps);
  }
  __device__ void note_acquired(Index steps) {
    if (steps == 0) return;
    __syncwarp();
    order_copies();
    ready_ += steps;
  }

  __device__ void copy_next() {
    if (panel_of_step_ == 0) {
      left_ = factors_.left(next_step_).entry;
      right_ = factors_.right(next_step_).entry;
    }
    if (is_elected()) {
      const int depth = next_panel_ + 1 == panels_ ? last_depth_ : product_depth;
      ProductStage<T>& to = stage(next_panel_);
      CopyBarrier& barrier = full(next_panel_);
      barrier.arrive_and_expect(depth * (rows_ + columns_) * static_cast<int>(sizeof(T)));
      RingSums<T>::copy(to.left, left_, rows_, depth, barrier);
      RingSums<T>::copy(to.right, right_, columns_, depth, barrier);
    }
    __syncwarp();
    left_ += product_depth * rows_;
    right_ += product_depth * columns_;
    ++next_panel_;
    if (++panel_of_step_ < factors_.panels_of_step()) return;
    panel_of_step_ = 0;
    ++next_step_;
  }

  __device__ void clear_beyond(Fragment<T>& sum) const {
    if (min(rows_, columns_) == tile) return;
    const int rows = rows_ - BlockGroup::first_row();
    const int columns = columns_ - BlockGroup::first_column();
    sum.for_each([&](int i, int j, T& value) {
      if (i >= rows || j >= columns) value = 0;
    });
  }

  const TaskFactors<T>& factors_;
  TileMemory<T>& memory_;
  PanelBarriers& barriers_;
  [[no_unique_address]] Watch watch_;
  const Index steps_;
  const int rows_, columns_;
  Index panels_;
  int last_depth_;       // of the last panel
  unsigned before_ = 0;  // panels of earlier tiles

  // Of the first warp: steps whose tiles are known complete, and the next panel to be copied.
  Index ready_ = 0;
  Index next_panel_ = 0, next_step_ = 0, panel_of_step_ = 0;
  const T *left_ = nullptr, *right_ = nullptr;
};

// Sums of so many products are worth a ring; the tiles of a short chain are done sooner without.
__device__ inline bool pays_ring(Index steps) {
  constexpr Index least_steps = 4;
  return steps >= least_steps;
}

}  // namespace lufact::gpu
