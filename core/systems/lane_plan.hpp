// SPDX-License-Identifier: BSD-3-Clause
// Small fronts of many systems by lanes: lane l of a warp takes a front of system 32 g + l. All
// values of such fronts are interleaved by 32 systems, so that the lanes of a warp read and write
// one line.
#pragma once
#include <cstdint>
#include <vector>

#include "core/base/host_device.hpp"
#include "core/pipeline/front_products.hpp"

namespace lufact {

// Systems in a group: the lanes of a warp.
inline constexpr Index lanes = 32;
// Rows of the largest front that is taken by lanes, one after the other of its entries by one lane:
// a larger front would hold up those above it longer than a warp of its own needs.
inline constexpr Index lane_front_order = 24;
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

// The fronts by lanes with everything below them, so that none of them waits for another front.
struct LanePlan {
  std::vector<LaneFront> front;  // in the order of the task graph: children first
  std::vector<Index> part_end;   // fronts up to the end of each part of the graph
  std::vector<LaneChild> child;  // by parent, in the order of the graph
  std::vector<Index> entry;      // of the graph: TaskGraph::entry_source, entry_place
  std::vector<Index> pivot;      // positions of the pivots of these fronts, ascending
  std::vector<Index> other;      // positions of all other pivots, ascending
  Offset factor_entries = 0, contribution_entries = 0;
};

// A task graph without the fronts that go by lanes, and those fronts. What `tiles` stores of its
// fronts stands closer together; its contribution blocks, flags and numbers are those of the graph.
struct SystemsPlan {
  LanePlan lanes;
  TaskGraph tiles;
};

// Fronts of at most `most` rows below which there are only such fronts go by lanes; most <=
// lane_front_order. `n`: positions of pivots. O(tasks + blocks + entries).
SystemsPlan plan_systems(const TaskGraph& graph, Index n, Index most = lane_front_order);

}  // namespace lufact
