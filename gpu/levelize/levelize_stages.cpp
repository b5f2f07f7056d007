// SPDX-License-Identifier: BSD-3-Clause
// A file of its own, so that only programs that list these stages carry kernels that launch
// kernels: not every tool that checks a program can follow those.
#include "gpu/gpu.hpp"
#include "gpu/levelize/cdp_levelize.hpp"
#include "gpu/levelize/cooperative_levelize.hpp"
#include "gpu/levelize/host_loop_levelize.hpp"
#include "gpu/levelize/sync_free_levelize.hpp"
#include "gpu/stage_list.hpp"

namespace lufact::gpu {

std::vector<std::unique_ptr<LevelizeStage>> levelize_stages() {
  return stage_list(make_host_loop_levelize(), make_cdp_levelize(), make_cooperative_levelize(),
                    make_sync_free_levelize());
}

}  // namespace lufact::gpu
