// SPDX-License-Identifier: BSD-3-Clause
// All threads of a cooperative launch as one group: several steps in one kernel, with a barrier of
// about a microsecond between them instead of a launch.
#pragma once
#include <cooperative_groups.h>

#include <algorithm>

#include "gpu/components/grid.hpp"
#include "gpu/runtime/launch.cuh"

namespace lufact::gpu {

class Grid {
 public:
  __device__ Offset rank() const {
    return static_cast<Offset>(blockIdx.x) * blockDim.x + threadIdx.x;
  }
  __device__ Offset size() const { return static_cast<Offset>(gridDim.x) * blockDim.x; }
  __device__ void sync() const { cooperative_groups::this_grid().sync(); }

  // body(k) for every k < count, one thread each.
  template <class Body>
  __device__ void for_each(Offset count, const Body& body) const {
    for (Offset k = rank(); k < count; k += size()) body(k);
  }
  // body(k) for every k < count, one warp each.
  template <class Body>
  __device__ void for_each_warp(Offset count, const Body& body) const {
    for (Offset k = rank() / warp_size; k < count; k += size() / warp_size) body(k);
  }
};

// Runs a kernel of grid_threads threads a block with as many blocks as `items` threads need, at
// most as many as are resident.
template <class... Parameters>
void launch_grid(DeviceSession& session, Offset items, void (*kernel)(Parameters...),
                 std::type_identity_t<Parameters>... arguments) {
  const Offset blocks =
      std::clamp(ceil_div(items, grid_threads), Offset{1}, most_grid_blocks(session));
  launch_cooperative(session, {blocks, grid_threads}, kernel, arguments...);
}

}  // namespace lufact::gpu
