// SPDX-License-Identifier: BSD-3-Clause
// A small front of many systems by lanes: plain data, for those who plan and for kernels.
#pragma once
#include "core/base/host_device.hpp"
#include "core/pipeline/front_tasks.hpp"

namespace lufact {

// Systems in a group: the lanes of a warp.
inline constexpr Index lanes = 32;
// Rows of the largest front that is taken by lanes, one after the other of its entries by one lane:
// a larger front would hold up those above it longer than a warp of its own needs.
inline constexpr Index lane_front_order = 16;
static_assert(round_up(lane_front_order, pivot_block) <= warp_front_order);

// Places are numbers of entries; those of lane l are at place * lanes + l of a group's array.
struct LaneFront {
  Offset factors = 0;       // as FrontShape stores a small front
  Offset contribution = 0;  // by columns, leading dimension `rows`
  Offset parent_rows = 0;   // as FrontShape
  Index front = 0;          // its number in the task graph
  Index first = 0, pivots = 0, rows = 0;
  Index entry_begin = 0, entry_end = 0;  // in LanePlan::entry
  Index graph_entry = 0;                 // the first of them in the graph, where they are together
  Index child_begin = 0, child_end = 0;  // in LanePlan::child
  Index parent = -1;                     // among the fronts by lanes; -1: none is
  bool feeds_tiles = false;              // its parent is a front of the other kind

  LUFACT_HOST_DEVICE Index order() const { return pivots + rows; }
};

struct LaneChild {
  Offset contribution = 0, parent_rows = 0;
  Index number = 0;  // among the fronts by lanes
  Index rows = 0;
};

}  // namespace lufact
