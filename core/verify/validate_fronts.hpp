// SPDX-License-Identifier: BSD-3-Clause
// Validators of the front family's products; they share no code with the stages that make them.
#pragma once
#include <span>
#include <vector>

#include "core/pipeline/front_products.hpp"
#include "core/pipeline/front_schedule.hpp"
#include "core/pipeline/product_handler.hpp"

namespace lufact {

// Labels are a bijection, fronts precede their parents and have ascending rows; every entry of B is
// assembled once, in a front that has its row and its column, at their place there (contains A);
// every contribution row is the row of the parent that parent_row names (closed: fronts are dense).
// The fronts may be larger than they need to be. The message names the front, from 0.
ValidatorVerdict validate_front_tree(const PermutedMatrix& b, const FrontTree& tree);

// Every tile of every front is one task and every task is in one ticket; tasks come after those
// that they wait for; every entry of B and every entry of a contribution block is added once, in
// the tile that holds its place; no contribution block is written over one that is still to be
// read. `tree` must be valid. Sequential; memory of one Index for each entry of the contributions.
ValidatorVerdict validate_task_graph(const FrontTree& tree, const TaskGraph& graph);

// Every front with pivots is eliminated once, after its children; values and entries of B have the
// places that ScheduledFront describes, without overlap; no contribution block is written over one
// that is still to be read. `tree` must be valid. Memory of one Index for each entry of an arena.
ValidatorVerdict validate_front_schedule(const FrontTree& tree, const FrontSchedule& schedule);

// `values` and `row_sources` are stored as `shapes` say. Solves systems with S = row_scale * b *
// col_scale and random right-hand sides by the stored factors; their residuals must not exceed what
// rounding, times the growth in `figures` or, where it has none, of U (front_growth.hpp), and
// perturbed pivots explain.
ValidatorVerdict validate_front_factors(const PermutedMatrix& b, const FrontTree& tree,
                                        const std::vector<FrontShape>& shapes,
                                        std::span<const double> values,
                                        std::span<const std::uint8_t> row_sources,
                                        const FactorFigures& figures);

}  // namespace lufact
