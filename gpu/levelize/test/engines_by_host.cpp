// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/levelize/cooperative_levelize.hpp"
#include "gpu/levelize/host_loop_levelize.hpp"
#include "gpu/levelize/sync_free_levelize.hpp"
#include "gpu/levelize/test/engines_under_test.hpp"
#include "gpu/stage_list.hpp"

namespace lufact::gpu::testing_support {

std::vector<std::unique_ptr<LevelizeStage>> engines_under_test() {
  return stage_list(make_host_loop_levelize(), make_cooperative_levelize(),
                    make_sync_free_levelize());
}

}  // namespace lufact::gpu::testing_support
