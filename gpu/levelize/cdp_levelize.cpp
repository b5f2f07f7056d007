// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/levelize/cdp_levelize.hpp"

#include <optional>

#include "gpu/levelize/cdp_chain.hpp"
#include "gpu/levelize/device_levelize.hpp"
#include "gpu/stage_infos.hpp"

namespace lufact::gpu {
namespace {

class CdpLevelize final : public DeviceLevelize {
 public:
  const StageInfo& info() const noexcept override { return cdp_levelize_info(); }

 private:
  void find_levels(DeviceSession& session, const DeviceColumnPattern& pattern, DependencyRule rule,
                   Buffer<Index>& level_of, PhaseRecorder& phases) const override {
    std::optional<KahnSort> sort;
    {
      const auto phase = phases.scope("graph");
      sort.emplace(session, pattern, rule, level_of);
    }
    const auto phase = phases.scope("levels");
    Buffer<ChainState> state(session, MemoryRole::scratch, 1, "the state of the launches");
    state.fill_bytes(0);
    launch_topo_chain(session, sort->view(), state.data());
    LUFACT_CUDA(static_cast<cudaError_t>(read_value(session, state.data()).error));
    sort->require_complete();
  }
};

}  // namespace

std::unique_ptr<LevelizeStage> make_cdp_levelize() {
  return std::make_unique<CdpLevelize>();
}

}  // namespace lufact::gpu
