// SPDX-License-Identifier: BSD-3-Clause
// The arguments of the kernels that take small fronts of several systems by lanes. The arrays of a
// group of systems stand behind those of the group before it, entry by entry for all its lanes.
#pragma once
#include "core/systems/lane_sweep.hpp"
#include "gpu/systems/systems_problem.cuh"

namespace lufact::gpu {

// The arrays of a LanePlan on the device, and what it needs of the graph and of the tree.
struct LaneTasks {
  const LaneFront* front = nullptr;
  const LaneChild* child = nullptr;
  const std::uint16_t* entry_place = nullptr;
  const Index *parent_row = nullptr, *row = nullptr;
  Index fronts = 0;  // of all parts; words of a group
};

// From the arrays of a group to those of the next, in entries of one lane.
struct LaneStrides {
  Offset entries = 0, factors = 0, contributions = 0;
  Offset solve_contributions = 0;
  Index n = 0;
};

// Lane l of a warp has system 32 * group + l. Beyond the last system a lane repeats it and gives
// nothing away.
struct LaneSystem {
  Index group = 0, number = 0;
  bool present = false;

  __device__ LaneSystem(Index of_group, Index systems)
      : group(of_group),
        number(of_group * lanes + static_cast<Index>(threadIdx.x % unsigned{warp_size})),
        present(number < systems) {
    if (!present) number = systems - 1;
  }
  template <class T>
  __device__ LaneArray<T> array(T* of_group_0, Offset stride) const {
    return {of_group_0 + group * stride * lanes + threadIdx.x % unsigned{warp_size}};
  }
};
static_assert(lanes == warp_size);

template <class T>
struct LaneProblem {
  LaneTasks plan;
  LaneStrides stride;
  SystemTickets order;  // of fronts for each group
  Index first = 0;      // front of the first ticket
  unsigned* next_ticket = nullptr;
  unsigned* done = nullptr;  // 1 where a group's front is complete
  const T* values = nullptr;
  T *factors = nullptr, *contributions = nullptr;

  // What tiles read, by system.
  Index systems = 0;
  SystemStrides system_stride;
  T* system_contributions = nullptr;
  unsigned* system_done = nullptr;
  NumericCounters* counters = nullptr;
  const unsigned long long* scaled_norm = nullptr;
  double pivot_threshold = 0;
};

template <class T>
struct LaneSolveProblem {
  LaneTasks plan;
  LaneStrides stride;
  SystemTickets order;
  unsigned* next_ticket = nullptr;
  unsigned* done = nullptr;
  const T* factors = nullptr;
  T *solution = nullptr, *contributions = nullptr;  // by position, by contribution row

  Index systems = 0;
  SystemStrides system_stride;
  T* system_contributions = nullptr;
  unsigned* system_done = nullptr;  // of the sweep with L
};

}  // namespace lufact::gpu
