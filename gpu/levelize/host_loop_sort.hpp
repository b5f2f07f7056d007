// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "gpu/levelize/kahn.hpp"

namespace lufact::gpu {

// Finds all levels with one launch per level; the host reads the length of the queue after each.
void sort_by_host_loop(DeviceSession& session, KahnSort& sort);

}  // namespace lufact::gpu
