// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "core/pipeline/record.hpp"

namespace lufact {

// Whether a run of the sparse workload that came to its end is also right: sets outcome and error
// by its verification and its schedule, and warns where the solution says little.
void judge_sparse_run(RunRecord& record);

}  // namespace lufact
