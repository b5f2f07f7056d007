// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "gpu/levelize/kahn.hpp"

namespace lufact::gpu {

// State of a running chain of launches; zeros before it starts.
struct ChainState {
  unsigned blocks_done = 0;  // of the level that runs
  Index error = 0;           // of the last launch from the device that failed: a cudaError_t
};

// Finds all levels by a chain of launches from the device. Asynchronous.
void launch_topo_chain(DeviceSession& session, const KahnRef& kahn, ChainState* state);

}  // namespace lufact::gpu
