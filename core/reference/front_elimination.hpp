// SPDX-License-Identifier: BSD-3-Clause
// Sequential reference of the front family: runs the tasks of a graph one after the other, each
// tile with plain loops, and solves with the stored factors.
#pragma once
#include <span>
#include <vector>

#include "core/pipeline/front_products.hpp"

namespace lufact::reference {

struct FrontElimination {
  std::vector<double> values;             // as TaskGraph stores them
  std::vector<std::uint8_t> row_sources;  // as FrontFactors gives them
  Offset perturbed_pivots = 0;
  Offset exchanged_rows = 0;
  double largest_perturbation = 0;
};

// Pivots below pivot_threshold * matrix.scaled_norm are replaced. Contribution blocks stand where
// the graph puts them. Throws std::logic_error where a task comes before one that it waits for, or
// reads a contribution block that another block has overwritten.
FrontElimination eliminate_fronts(const PermutedMatrix& matrix, const FrontTree& tree,
                                  const TaskGraph& graph, double pivot_threshold,
                                  Pivoting pivoting = Pivoting::fixed_rows);

// x := U \ (L \ (P x)) for every column of x (n x columns, by columns, by B's labels). `values` and
// `row_sources` as FrontFactors gives them.
void solve_fronts(const FrontTree& tree, std::span<const FrontShape> shapes,
                  std::span<const double> values, std::span<const std::uint8_t> row_sources,
                  std::span<double> x, Index columns);

}  // namespace lufact::reference
