// SPDX-License-Identifier: BSD-3-Clause
// What every invocation that runs variants has beside its runs.
#pragma once
#include <string>
#include <vector>

#include "core/base/machine.hpp"
#include "core/report/result_file.hpp"

namespace lufact {

// The exit statuses of the command line.
namespace exit_status {
inline constexpr int ok = 0, internal = 1, usage = 2, not_ok = 3, no_input = 4, interrupted = 130;
}

// The facts of program and machine, as they are before the first run.
Meta begin_meta(const std::vector<std::string>& argv, const Machine& machine);

// Adds clocks and throttling once the runs are over.
void complete_meta(Meta& meta, int device);

// `ok`, `not_ok`, or `no_input` where no run could open its matrix.
int status_of(const std::vector<RunRecord>& runs);

}  // namespace lufact
