// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>
#include <vector>

#include "app/batch/batch_config.hpp"
#include "app/batch/group_run.hpp"

namespace lufact {

// Writes the files that the user asked for, in the precision of the run: arrays of shape
// (count, n, n), of pivots (count, n), of solutions (count, n, rhs). Throws Error, also for a batch
// of several orders, which no array holds.
void write_batch_results(const BatchConfig& config,
                         const std::vector<std::unique_ptr<GroupRun>>& groups);

}  // namespace lufact
