// SPDX-License-Identifier: BSD-3-Clause
// Tasks in order of the work that depends on them, longest chain first (the highest level first of
// T. C. Hu, Oper. Res. 9, 1961). Chains are counted in whole units of time, and every task takes at
// least one: a task comes after all that it waits for, and tasks of equal level never wait for each
// other, so that a counting sort is enough and fronts of one level can share a ticket.
// O(tasks + levels). The same order for any number of threads.
#pragma once
#include <span>

#include "core/fronts/plan/contribution_stack.hpp"

namespace lufact {

// Fills graph.factorization and graph.part_end with all `tasks`, one part of the fronts after the
// other, and the critical path.
void order_factorization(std::span<const FrontTask> tasks, const FrontParts& parts, int threads,
                         TaskGraph& graph);

// Fills graph.solve with the tasks that stand for a small front or for a tile row, one part of the
// fronts after the other. Returns the tickets up to the end of each part.
std::vector<Index> order_solve(std::span<const FrontTask> tasks, const FrontParts& parts,
                               int threads, TaskGraph& graph);

}  // namespace lufact
