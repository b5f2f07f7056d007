// SPDX-License-Identifier: BSD-3-Clause
// Ranks: processes of lufact-rank that a launcher such as mpirun starts, in place of one worker.
#pragma once
#include <string>
#include <vector>

#include "app/process/child_process.hpp"
#include "core/base/error.hpp"

namespace lufact {

// Beside this program. Empty where this build has none, because MPI was not there.
std::string rank_program();
inline constexpr const char* no_rank_program =
    "this build has no lufact-rank: it was made without MPI (install its compiler wrapper mpicxx, "
    "configure and build again)";

// What a launcher and its ranks must be told beside what a worker's OpenMP must. "NAME=VALUE";
// nothing that the user has set. Open MPI alone needs it: it would bind each rank to a core, and
// leaves the user's environment behind on other hosts; other launchers do neither.
std::vector<std::string> launch_environment(const std::vector<std::string>& launcher);

// Throws UsageError where this process is one of several that a launcher has started: each would
// be a supervisor, and all would write one file.
void refuse_several_supervisors();

// How a launcher ended that was not to end, in words that say what to do.
struct LaunchFailure {
  Outcome outcome = Outcome::error;
  std::string code, message;
};
// `spoke`: its ranks had told that they run.
LaunchFailure launch_failure(ChildProcess& launcher, const std::string& name, bool spoke);

}  // namespace lufact
