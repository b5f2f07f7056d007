// SPDX-License-Identifier: BSD-3-Clause
// Where factors go: all of them to the device, or to the host because it has no room for them.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "core/fronts/plan/contribution_stack.hpp"

namespace lufact {

// How the fronts of a graph are placed: the parts that are eliminated one after the other, and,
// where factors are kept on the host, where those of each part end.
struct Placement {
  FrontParts parts;
  std::vector<Offset> factor_end{};
};

// All fronts at once, or one subtree after the other; factors stay on the device. At once, fronts
// lend their factors to contribution blocks below unless context.blocks_apart.
Placement place_at_once(const FrontTree& tree, const StageContext& context, TaskGraph& graph);
Placement place_one_after_the_other(const FrontTree& tree, const StageContext& context,
                                    TaskGraph& graph);

// What another graph of the same fronts is made of.
struct PlacedShapes {
  std::shared_ptr<TaskGraph> shapes;  // shapes, children, factor entries and flags
  Placement placement;
};

// Decides where the factors of `graph` go, which is complete and has all of them on the device:
// options.factors, and what context.device_room has room for. Empty: there. The notes say why not.
// Throws Error{oom_device, "device_budget"} naming the need where not even the smallest parts fit.
std::optional<PlacedShapes> place_elsewhere(const FrontTree& tree, const TaskGraph& graph,
                                            StageContext& context);

}  // namespace lufact
