// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/levelize/levelize_engine.hpp"

#include <stdexcept>

#include "gpu/levelize/schedule_order.hpp"

namespace lufact::gpu {
namespace {

class DeviceLevelize final : public GpuLevelize {
 public:
  explicit DeviceLevelize(const LevelizeEngine& engine)
      : GpuLevelize(engine.facts), engine_(engine) {}

  ProductPtr run(const ProductPtr& symbolic, StageContext& context) const override {
    if (context.device == nullptr) throw std::logic_error(info().name + " needs a device session");
    DeviceSession& session = *context.device;
    const auto& pattern = product_cast<DeviceColumnPattern>(*symbolic);
    const DependencyRule rule = context.options.dependency;
    auto schedule = allocate_schedule(session, pattern.n, rule);
    if (pattern.n > 0) {
      engine_.find_levels(session, pattern, rule, schedule->level_of, context.phases);
    }
    const auto phase = context.phases.scope("order");
    complete_schedule(session, *schedule);
    return schedule;
  }

 private:
  LevelizeEngine engine_;
};

}  // namespace

std::unique_ptr<LevelizeStage> make_levelize(const LevelizeEngine& engine) {
  return std::make_unique<DeviceLevelize>(engine);
}

}  // namespace lufact::gpu
