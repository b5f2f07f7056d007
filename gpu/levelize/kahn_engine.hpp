// SPDX-License-Identifier: BSD-3-Clause
// The engines of Kahn's topological sort (E2E Algorithm 5). They differ in who starts a level.
#pragma once
#include <optional>

#include "core/measure/phase_recorder.hpp"
#include "gpu/levelize/kahn.hpp"

namespace lufact::gpu {

// LevelizeEngine::find_levels of an engine whose `sort` finds all levels of a KahnSort.
template <void (*sort)(DeviceSession& session, KahnSort& kahn)>
void find_levels_by_kahn(DeviceSession& session, const DeviceColumnPattern& pattern,
                         DependencyRule rule, Buffer<Index>& level_of, PhaseRecorder& phases) {
  std::optional<KahnSort> kahn;
  {
    const auto phase = phases.scope("graph");
    kahn.emplace(session, pattern, rule, level_of);
  }
  const auto phase = phases.scope("levels");
  sort(session, *kahn);
}

}  // namespace lufact::gpu
