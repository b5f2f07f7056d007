// SPDX-License-Identifier: BSD-3-Clause
#include <optional>
#include <stdexcept>

#include "gpu/levelize/device_levelize.hpp"
#include "gpu/levelize/host_loop_levelize.hpp"
#include "gpu/levelize/kahn.cuh"
#include "gpu/stage_infos.hpp"

namespace lufact::gpu {
namespace {

__global__ void start_kernel(KahnRef kahn) {
  append_if_free(kahn);
}

__global__ void level_kernel(KahnRef kahn, Index begin, Index count, Index threads, Index level) {
  release_level(kahn, kahn.queue.columns + begin, count, threads, level);
}

// The host reads the length of the queue after each level.
void sort_topologically(DeviceSession& session, KahnSort& sort, Index n) {
  const KahnRef kahn = sort.view();
  const Index card_threads = session.max_resident_warps() * warp_size;
  launch(session, {ceil_div(n, kahn_block_threads), kahn_block_threads}, start_kernel, kahn);
  Index begin = 0, end = sort.read_length();
  for (Index level = 1; end < n; ++level) {
    if (begin == end) throw std::logic_error("the dependencies of the columns form a cycle");
    const Index threads = threads_per_column(card_threads, end - begin);
    const Offset all_threads = static_cast<Offset>(end - begin) * threads;
    launch(session, {ceil_div(all_threads, kahn_block_threads), kahn_block_threads}, level_kernel,
           kahn, begin, end - begin, threads, level);
    begin = end;
    end = sort.read_length();
  }
}

class HostLoopLevelize final : public DeviceLevelize {
 public:
  const StageInfo& info() const noexcept override { return host_loop_levelize_info(); }

 private:
  void find_levels(DeviceSession& session, const DeviceColumnPattern& pattern, DependencyRule rule,
                   Buffer<Index>& level_of, PhaseRecorder& phases) const override {
    std::optional<KahnSort> sort;
    {
      const auto phase = phases.scope("graph");
      sort.emplace(session, pattern, rule, level_of);
    }
    const auto phase = phases.scope("levels");
    sort_topologically(session, *sort, pattern.n);
  }
};

}  // namespace

std::unique_ptr<LevelizeStage> make_host_loop_levelize() {
  return std::make_unique<HostLoopLevelize>();
}

}  // namespace lufact::gpu
