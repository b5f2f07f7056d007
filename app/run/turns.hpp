// SPDX-License-Identifier: BSD-3-Clause
// All variants of one input, in turns.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "app/run/run_progress.hpp"
#include "app/run/worker_pool.hpp"
#include "app/workload/input.hpp"
#include "app/workload/variant_plan.hpp"
#include "core/pipeline/record.hpp"

namespace lufact {

// A run that has not begun: its plan and the record that will grow.
struct PendingRun {
  const VariantPlan* plan = nullptr;
  RunRecord record;
};

// Called once for each run, as soon as it has ended, with the seconds that it took, its warm-up
// included and the turns of others left out.
using FinishedRun = std::function<void(const RunRecord&, double elapsed_s)>;

// Runs each on `input`, in processes of their own from `pool` that take turns repetition by
// repetition (A B A B). Where the input cannot be opened, `unreadable` says why and becomes the
// error of every run. `progress` follows what is being done. Returns the records in the order of
// `runs`; without those that an interrupt kept from beginning.
std::vector<RunRecord> run_in_turns(std::vector<PendingRun> runs, const Input& input,
                                    const std::string& unreadable, WorkerPool& pool,
                                    RunProgress& progress, const FinishedRun& finished);

}  // namespace lufact
