// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/levelize/levelize_stages.hpp"

namespace lufact::gpu {
namespace {

LevelizeFacts facts_of(const char* name, const char* description) {
  return {.info = {.name = name,
                   .description = description,
                   .source = "gpu/levelize",
                   .side = Side::device,
                   .takes = {product_types::column_pattern},
                   .gives = product_types::column_schedule}};
}

}  // namespace

const LevelizeFacts& host_loop_levelize_facts() {
  static const LevelizeFacts facts =
      facts_of("gpu-host-loop", "Kahn's algorithm, one launch per level, the host reads the queue");
  return facts;
}

const LevelizeFacts& cdp_levelize_facts() {
  static const LevelizeFacts facts = facts_of(
      "gpu-cdp", "E2E Algorithm 5: Kahn with dynamic parallelism, a chain of tail launches");
  return facts;
}

const LevelizeFacts& cooperative_levelize_facts() {
  static const LevelizeFacts facts =
      facts_of("gpu-cooperative", "Kahn's algorithm in one kernel, a grid-wide barrier per level");
  return facts;
}

const LevelizeFacts& sync_free_levelize_facts() {
  static const LevelizeFacts facts =
      facts_of("gpu-sync-free", "one pass in one kernel, each column waits for its predecessors");
  return facts;
}

}  // namespace lufact::gpu
