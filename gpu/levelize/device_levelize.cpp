// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/levelize/device_levelize.hpp"

#include <stdexcept>

#include "gpu/levelize/schedule_order.hpp"

namespace lufact::gpu {

ProductPtr DeviceLevelize::run(const ProductPtr& symbolic, StageContext& context) const {
  if (context.device == nullptr) throw std::logic_error(info().name + " needs a device session");
  DeviceSession& session = *context.device;
  const auto& pattern = product_cast<DeviceColumnPattern>(*symbolic);
  const DependencyRule rule = context.options.dependency;
  auto schedule = allocate_schedule(session, pattern.n, rule);
  if (pattern.n > 0) {
    find_levels(session, pattern, rule, schedule->level_of, context.phases);
  }
  const auto phase = context.phases.scope("order");
  complete_schedule(session, *schedule);
  return schedule;
}

}  // namespace lufact::gpu
