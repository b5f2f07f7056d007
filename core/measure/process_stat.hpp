// SPDX-License-Identifier: BSD-3-Clause
// What the kernel tells of processes and threads in /proc.
#pragma once
#include <sched.h>
#include <sys/types.h>

#include <filesystem>
#include <map>
#include <optional>

namespace lufact {

struct ProcessStat {
  char state = '?';  // 'R': it runs, or could
  pid_t parent = 0;
  double seconds = 0;  // of processor time, in user and kernel mode
};

// Of the process or thread whose folder in /proc this is; empty where it has ended.
std::optional<ProcessStat> read_process_stat(const std::filesystem::path& folder);

// The processors on which any thread of the process may run whose folder in /proc this is: OpenMP
// may have bound the first one to a single processor. Empty where the system does not tell.
std::optional<cpu_set_t> read_allowed_processors(const std::filesystem::path& folder);

// Of every process that can be seen below `proc`, which is where /proc is.
std::map<pid_t, ProcessStat> read_process_stats(const std::filesystem::path& proc);

}  // namespace lufact
