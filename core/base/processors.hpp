// SPDX-License-Identifier: BSD-3-Clause
// How many processors a program may use. A machine may have more: a batch system or `taskset` gives
// some of them, a container may have a quota of processor time. A team with more threads than that
// waits for threads that are not running.
#pragma once
#include <sched.h>

#include <filesystem>
#include <optional>
#include <string>

namespace lufact {

// At least 1: the processors of the affinity (of OpenMP's places where OpenMP binds threads), and
// not more than the quota of processor time, rounded up.
int usable_processors();

// Those of the affinity, and the same as "0-3,8".
cpu_set_t usable_processor_set();
std::string usable_processor_list();

// The set that a list as "0-3,8" names; empty where `list` is none.
std::optional<cpu_set_t> processors_of_list(const std::string& list);

// Processors' worth of time that the control groups of this process allow; empty: no limit.
std::optional<double> processor_quota();

// The smallest quota on the way from `group`, a line of /proc/PID/cgroup ("0::/a/b", "4:cpu:/a"),
// up to the root of its hierarchy below `mounts`, where control groups are mounted; empty: no
// limit.
std::optional<double> quota_of_group(const std::string& group, const std::filesystem::path& mounts);

}  // namespace lufact
