// SPDX-License-Identifier: BSD-3-Clause
// What the kernel tells of processes and threads in /proc.
#pragma once
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

// Of every process that can be seen below `proc`, which is where /proc is.
std::map<pid_t, ProcessStat> read_process_stats(const std::filesystem::path& proc);

}  // namespace lufact
