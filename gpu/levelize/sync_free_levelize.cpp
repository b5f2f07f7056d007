// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/levelize/sync_free_levelize.hpp"

#include <optional>

#include "gpu/levelize/device_levelize.hpp"
#include "gpu/levelize/sync_free_sweep.hpp"
#include "gpu/stage_infos.hpp"

namespace lufact::gpu {
namespace {

class SyncFreeLevelize final : public DeviceLevelize {
 public:
  const StageInfo& info() const noexcept override { return sync_free_levelize_info(); }

 private:
  void find_levels(DeviceSession& session, const DeviceColumnPattern& pattern, DependencyRule rule,
                   Buffer<Index>& level_of, PhaseRecorder& phases) const override {
    std::optional<PrunedGraph> graph;
    {
      const auto phase = phases.scope("graph");
      graph.emplace(session, pattern, rule);
    }
    const auto phase = phases.scope("levels");
    sweep_levels(session, *graph, level_of);
  }
};

}  // namespace

std::unique_ptr<LevelizeStage> make_sync_free_levelize() {
  return std::make_unique<SyncFreeLevelize>();
}

}  // namespace lufact::gpu
