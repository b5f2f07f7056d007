// SPDX-License-Identifier: BSD-3-Clause
// The host stages of the column family, as the catalogue makes them.
#pragma once
#include <memory>

#include "core/pipeline/stage.hpp"

namespace lufact {

// `cpu-gp-pruned`: see symbolic_gp_pruned.hpp.
std::unique_ptr<SymbolicStage> make_gp_pruned_symbolic();
// `cpu-parallel`: see symbolic_parallel.hpp.
std::unique_ptr<SymbolicStage> make_parallel_symbolic();
// `cpu`: the schedule of levels under options.dependency; see dependency.hpp.
std::unique_ptr<LevelizeStage> make_cpu_levelize();
// `cpu-glu2-search`, `cpu-glu2-plain`: the schedule of levels under the rule `exact`, by the
// search of GLU 2.0; see glu2_search.hpp.
std::unique_ptr<LevelizeStage> make_glu2_search_levelize();
std::unique_ptr<LevelizeStage> make_glu2_plain_levelize();
// `cpu`: the left-looking column gather; see left_looking.hpp.
std::unique_ptr<NumericStage> make_cpu_numeric();

}  // namespace lufact
