// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/levelize/levelize_stages.hpp"

#include <optional>

#include "gpu/levelize/cooperative_sort.hpp"
#include "gpu/levelize/host_loop_sort.hpp"
#include "gpu/levelize/kahn_engine.hpp"
#include "gpu/levelize/levelize_engine.hpp"
#include "gpu/levelize/sync_free_sweep.hpp"

namespace lufact::gpu {
namespace {

void find_levels_sync_free(DeviceSession& session, const DeviceColumnPattern& pattern,
                           DependencyRule rule, Buffer<Index>& level_of, PhaseRecorder& phases) {
  std::optional<PrunedGraph> graph;
  {
    const auto phase = phases.scope("graph");
    graph.emplace(session, pattern, rule);
  }
  const auto phase = phases.scope("levels");
  sweep_levels(session, *graph, level_of);
}

}  // namespace

std::unique_ptr<LevelizeStage> make_host_loop_levelize() {
  return make_levelize({host_loop_levelize_facts(), find_levels_by_kahn<sort_by_host_loop>});
}

std::unique_ptr<LevelizeStage> make_cooperative_levelize() {
  return make_levelize({cooperative_levelize_facts(), find_levels_by_kahn<sort_in_one_kernel>});
}

std::unique_ptr<LevelizeStage> make_sync_free_levelize() {
  return make_levelize({sync_free_levelize_facts(), find_levels_sync_free});
}

}  // namespace lufact::gpu
