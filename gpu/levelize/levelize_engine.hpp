// SPDX-License-Identifier: BSD-3-Clause
// Engines: finding the level of each column, the only difference between the device's levelization
// stages. The rest of a schedule follows from the levels, and is common.
#pragma once
#include <memory>

#include "gpu/facts/stage_facts.hpp"
#include "gpu/matrix/device_products.hpp"

namespace lufact::gpu {

// A levelization stage on the device is its facts and an engine.
struct LevelizeEngine {
  const LevelizeFacts& facts;
  // Writes the level of every column under `rule` to level_of, for a pattern of at least one
  // column. Takes scratch only. Opens the sub-phases `graph` and `levels`.
  void (*find_levels)(DeviceSession& session, const DeviceColumnPattern& pattern,
                      DependencyRule rule, Buffer<Index>& level_of, PhaseRecorder& phases);
};

// The stage gives a DeviceColumnSchedule under options.dependency: levels and order of columns are
// those of the CPU's stage, whatever the engine. Sub-phases: those of the engine, then `order`.
std::unique_ptr<LevelizeStage> make_levelize(const LevelizeEngine& engine);

}  // namespace lufact::gpu
