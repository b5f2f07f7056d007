// SPDX-License-Identifier: BSD-3-Clause
// Apart from the other levelization stages, so that only programs that use this one carry kernels
// that launch kernels: not every tool that checks a program can follow those.
#include "gpu/levelize/cdp_chain.hpp"
#include "gpu/levelize/kahn_engine.hpp"
#include "gpu/levelize/levelize_engine.hpp"
#include "gpu/levelize/levelize_stages.hpp"

namespace lufact::gpu {
namespace {

void sort_by_chain(DeviceSession& session, KahnSort& sort) {
  Buffer<ChainState> state(session, MemoryRole::scratch, 1, "the state of the launches");
  state.fill_bytes(0);
  launch_topo_chain(session, sort.view(), state.data());
  LUFACT_CUDA(static_cast<cudaError_t>(read_value(session, state.data()).error));
  sort.require_complete();
}

}  // namespace

std::unique_ptr<LevelizeStage> make_cdp_levelize() {
  return make_levelize({cdp_levelize_facts(), find_levels_by_kahn<sort_by_chain>});
}

}  // namespace lufact::gpu
