// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "gpu/levelize/kahn.hpp"

namespace lufact::gpu {

// Finds all levels in one cooperative kernel.
void sort_in_one_kernel(DeviceSession& session, KahnSort& sort);

}  // namespace lufact::gpu
