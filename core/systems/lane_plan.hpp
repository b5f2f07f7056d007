// SPDX-License-Identifier: BSD-3-Clause
// Small fronts of many systems by lanes: lane l of a warp takes a front of system 32 g + l. All
// values of such fronts are interleaved by 32 systems, so that the lanes of a warp read and write
// one line.
#pragma once
#include <span>
#include <vector>

#include "core/pipeline/front_products.hpp"
#include "core/systems/lane_front.hpp"

namespace lufact {

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

// Throws std::logic_error where contribution blocks are in the place of factors, which
// StageContext::blocks_apart keeps them from: each system has arrays of its own.
void require_blocks_apart(std::span<const FrontShape> shapes);

// Fronts of at most `most` rows below which there are only such fronts go by lanes; most <=
// lane_front_order. `n`: positions of pivots. O(tasks + blocks + entries).
SystemsPlan plan_systems(const TaskGraph& graph, Index n, Index most = lane_front_order);

}  // namespace lufact
