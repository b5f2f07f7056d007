// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "app/workload/workload.hpp"

namespace lufact {

// The program with these workloads: parses the command line and does what it says, or serves as a
// worker of itself. Returns the exit status.
int run_program(int argc, char** argv, const Workloads& workloads);

}  // namespace lufact
