// SPDX-License-Identifier: BSD-3-Clause
// The host stages of the front family, as the catalogue makes them.
#pragma once
#include <memory>

#include "core/pipeline/stage.hpp"

namespace lufact {

// `cpu-fronts`: the front tree of the pattern of B + B'.
std::unique_ptr<SymbolicStage> make_cpu_fronts_symbolic();
// `task-graph`: the plan of a factorization by tiles, see TaskGraph in
// core/pipeline/front_products.hpp.
std::unique_ptr<LevelizeStage> make_task_graph_levelize();
// `task-graph-parts`: the same in parts, for a small device memory, see
// plan/contribution_stack.hpp.
std::unique_ptr<LevelizeStage> make_task_graph_parts_levelize();
// `subtrees`: the plan of a factorization on the host, see front_schedule.hpp.
std::unique_ptr<LevelizeStage> make_subtrees_levelize();
// `cpu-multifrontal`: see host_front_factors.hpp.
std::unique_ptr<NumericStage> make_cpu_multifrontal_numeric();

}  // namespace lufact
