// SPDX-License-Identifier: BSD-3-Clause
// `lufact run` as a supervisor: it never touches CUDA. Every variant of a matrix runs in a process
// of its own; the supervisor hands out turns one sample at a time (A B A B), so that variants are
// interleaved, and a crash, a hang or a memory kill costs one record.
#pragma once
#include <string>
#include <vector>

#include "app/config/run_config.hpp"

namespace lufact {

// Runs everything the configuration asks for, writes the result file, prints the table, and returns
// the exit status. `argv` goes to the record.
int supervise(const RunConfig& config, const std::vector<std::string>& argv);

}  // namespace lufact
