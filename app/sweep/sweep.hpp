// SPDX-License-Identifier: BSD-3-Clause
// `lufact sweep`: many inputs with many variants, resumable at any moment.
#pragma once
#include <string>
#include <vector>

#include "app/sweep/sweep_plan.hpp"

namespace lufact {

// Runs what the plan asks for and earlier invocations have not done, writes DIR/NAME.json and
// returns the exit status. A run is done when one with the same input hash, options and
// environment (program, host, device) is in the file or its journal, unless it was interrupted,
// could not read its input or was unsupported: what was missing may have come. `argv` goes to the
// record.
int run_sweep(const SweepRequest& request, const Workloads& workloads,
              const std::vector<std::string>& argv);

}  // namespace lufact
