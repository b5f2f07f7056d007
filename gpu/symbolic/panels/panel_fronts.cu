// SPDX-License-Identifier: BSD-3-Clause
#include <cuda/atomic>

#include "gpu/symbolic/panels/panel_front.cuh"
#include "gpu/symbolic/panels/panel_fronts.hpp"

namespace lufact::gpu {
namespace {

// The panels of a launch, and those that it leaves to the next launch, whose blocks are larger.
struct FrontWork {
  const Index* ready = nullptr;  // null: all panels without children
  const Index* ready_count = nullptr;
  Index* ticket = nullptr;
  Index turns_at_once = 1;
  Index most_slots = 0;  // panels with more go to `waiting`
  Index* waiting = nullptr;
  Index* waiting_count = nullptr;
};

struct FrontsRef {
  PanelArrays panels;
  SlotArrays slots;
  Index panel_count = 0;
  Index* open_children = nullptr;
};

// One block's path through the forest of panels. The first thread decides.
class FrontTurns {
 public:
  __device__ FrontTurns(const FrontsRef& fronts, const FrontWork& work)
      : fronts_(fronts), work_(work) {}

  // A panel to begin with, or -1.
  __device__ Index take() {
    const Index count = work_.ready == nullptr ? fronts_.panel_count : *work_.ready_count;
    for (;;) {
      if (turn_ == end_) {
        turn_ = atomicAdd(work_.ticket, work_.turns_at_once);
        end_ = turn_ + work_.turns_at_once;
      }
      if (turn_ >= count) return -1;
      const Index panel = work_.ready == nullptr ? turn_ : work_.ready[turn_];
      ++turn_;
      const PanelInfo& info = fronts_.slots.info[panel];
      const bool ready = work_.ready != nullptr || info.children == 0;
      if (ready && fits(panel, info.count)) return panel;
    }
  }

  // Reads how many children of a panel are not finished, for publish. Early, as it takes time.
  __device__ Index look(Index panel) const {
    return panel < 0 ? 0 : open_children(panel).load(cuda::memory_order_relaxed);
  }

  // After a child of `panel` is eliminated and all threads of the block have met: whether this
  // block goes on with `panel`. It does after the last child, and what all children handed on is
  // then visible to this thread. `seen` is from look().
  __device__ bool publish(Index panel, const PanelInfo& info, Index seen) const {
    if (panel < 0) return false;
    if (info.children > 1) {
      if (seen == 1) {
        cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
      } else if (open_children(panel).fetch_sub(1, cuda::memory_order_acq_rel) > 1) {
        return false;
      }
    }
    return fits(panel, info.count);
  }

 private:
  using Counter = cuda::atomic_ref<Index, cuda::thread_scope_device>;

  __device__ Counter open_children(Index panel) const {
    return Counter(fronts_.open_children[panel]);
  }

  __device__ bool fits(Index panel, Index count) const {
    if (count <= work_.most_slots) return true;
    work_.waiting[atomicAdd(work_.waiting_count, 1)] = panel;
    return false;
  }

  const FrontsRef& fronts_;
  const FrontWork& work_;
  Index turn_ = 0, end_ = 0;
};

template <int kThreads, int kCached>
__global__ void __launch_bounds__(kThreads)
    eliminate(const __grid_constant__ FrontsRef fronts, const __grid_constant__ FrontWork work) {
  __shared__ FrontStorage<kThreads, kCached> shared;
  __shared__ Index next;
  __shared__ bool goes_on;
  FrontTurns turns(fronts, work);
  for (;;) {
    if (threadIdx.x == 0) next = turns.take();
    __syncthreads();
    if (next < 0) return;
    PanelInfo panel = fronts.slots.info[next];
    for (;;) {
      const PanelInfo parent = panel.parent < 0 ? PanelInfo{} : fronts.slots.info[panel.parent];
      const Index seen = threadIdx.x == 0 ? turns.look(panel.parent) : 0;
      Front<kThreads, kCached>(fronts.panels, fronts.slots, shared, panel, parent).eliminate();
      if (threadIdx.x == 0) goes_on = turns.publish(panel.parent, parent, seen);
      __syncthreads();
      if (!goes_on) break;
      panel = parent;
    }
    __syncthreads();
  }
}

}  // namespace

void eliminate_panels(DeviceSession& session, const PanelArrays& panels, Index panel_count,
                      const SlotArrays& slots, const FrontArrays& fronts) {
  // One-warp blocks for fronts that a warp handles in two steps.
  constexpr int small = 32, large = 512;
  constexpr Index most_small = 64;
  constexpr int cached = 1280;
  constexpr int small_per_multiprocessor = 24, large_per_multiprocessor = 2;
  constexpr Index panels_at_once = 4;  // few of which are without children
  const FrontsRef view{panels, slots, panel_count, fronts.open_children};
  Index* const waiting_count = &fronts.counters[2];
  const Offset multiprocessors = session.sm_count();
  launch(session, {multiprocessors * small_per_multiprocessor, small}, eliminate<small, most_small>,
         view,
         FrontWork{nullptr, nullptr, &fronts.counters[0], panels_at_once, most_small,
                   fronts.waiting, waiting_count});
  launch(session, {multiprocessors * large_per_multiprocessor, large}, eliminate<large, cached>,
         view,
         FrontWork{fronts.waiting, waiting_count, &fronts.counters[1], 1,
                   std::numeric_limits<Index>::max(), nullptr, nullptr});
}

}  // namespace lufact::gpu
