// SPDX-License-Identifier: BSD-3-Clause
// The common part of all levelization engines on the device.
#pragma once
#include "core/pipeline/stage.hpp"
#include "gpu/matrix/device_products.hpp"

namespace lufact::gpu {

// Gives a DeviceColumnSchedule under options.dependency: levels and order of columns are those of
// the CPU's stage, whatever the engine. Sub-phases: those of the engine, then `order`.
class DeviceLevelize : public LevelizeStage {
 public:
  ProductPtr run(const ProductPtr& symbolic, StageContext& context) const final;

 private:
  // Writes the level of every column under `rule` to level_of, for a pattern of at least one
  // column. Scratch only; sub-phases are the engine's.
  virtual void find_levels(DeviceSession& session, const DeviceColumnPattern& pattern,
                           DependencyRule rule, Buffer<Index>& level_of,
                           PhaseRecorder& phases) const = 0;
};

}  // namespace lufact::gpu
