// SPDX-License-Identifier: BSD-3-Clause
// `lufact run` as a supervisor: it never touches CUDA. Every variant of a matrix runs in a process
// of its own; the supervisor hands out turns one sample at a time (A B A B), so that variants are
// interleaved, and a crash, a hang or a memory kill costs one record.
#pragma once
#include <string>
#include <vector>

#include "app/run_config.hpp"
#include "core/base/machine.hpp"
#include "core/report/result_file.hpp"

namespace lufact {

// The exit statuses of the command line.
namespace exit_status {
inline constexpr int ok = 0, internal = 1, usage = 2, not_ok = 3, no_input = 4, interrupted = 130;
}

// Runs everything the configuration asks for, writes the result file, prints the table, and returns
// the exit status. `argv` goes to the record.
int supervise(const RunConfig& config, const std::vector<std::string>& argv);

// The mode that `auto` stands for on this machine, with the reason.
struct AutoMode {
  std::string name;
  Choice choice;
};
AutoMode choose_mode(const Catalogue& catalogue, const RunConfig& config, const Machine& machine);

}  // namespace lufact
