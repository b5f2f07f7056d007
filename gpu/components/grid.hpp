// SPDX-License-Identifier: BSD-3-Clause
// The shape of kernels whose blocks all run at once.
#pragma once
#include "core/base/types.hpp"
#include "gpu/runtime/session.hpp"

namespace lufact::gpu {

inline constexpr int grid_threads = 512;  // of each block
inline constexpr int grid_blocks_per_multiprocessor = 2;

inline Offset most_grid_blocks(const DeviceSession& session) {
  return Offset{grid_blocks_per_multiprocessor} * session.sm_count();
}

}  // namespace lufact::gpu
