// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/levelize/cooperative_levelize.hpp"

#include <optional>

#include "gpu/levelize/cooperative_sort.hpp"
#include "gpu/levelize/device_levelize.hpp"
#include "gpu/stage_infos.hpp"

namespace lufact::gpu {
namespace {

class CooperativeLevelize final : public DeviceLevelize {
 public:
  const StageInfo& info() const noexcept override { return cooperative_levelize_info(); }

 private:
  void find_levels(DeviceSession& session, const DeviceColumnPattern& pattern, DependencyRule rule,
                   Buffer<Index>& level_of, PhaseRecorder& phases) const override {
    std::optional<KahnSort> sort;
    {
      const auto phase = phases.scope("graph");
      sort.emplace(session, pattern, rule, level_of);
    }
    const auto phase = phases.scope("levels");
    sort_in_one_kernel(session, *sort);
  }
};

}  // namespace

std::unique_ptr<LevelizeStage> make_cooperative_levelize() {
  return std::make_unique<CooperativeLevelize>();
}

}  // namespace lufact::gpu
