// SPDX-License-Identifier: BSD-3-Clause
// What the host did beside a measurement: time that other processes had, that a hypervisor or a
// quota took away, and how often the scheduler stopped the threads that were measured.
#pragma once
#include <sched.h>

#include <cstdint>
#include <filesystem>
#include <optional>

#include "core/measure/core_pace.hpp"

namespace lufact {

// Sums since the machine or the process started, in seconds. Empty: the system does not tell.
struct HostCounters {
  double clock_s = 0;                   // monotonic
  double own_s = 0;                     // processor time of this process and of children that ended
  std::optional<double> busy_s{};       // of the processors asked for, in steps of a tick
  std::optional<double> stolen_s{};     // by the hypervisor, of the same
  std::optional<double> waited_s{};     // its threads could run and did not
  std::optional<double> throttled_s{};  // its control group had used up its quota
  std::int64_t involuntary_switches = 0;
  std::int64_t page_faults = 0;  // pages mapped when they were first touched, or read
};

// The difference of two readings. `foreign_s` is time that others had of the processors asked
// for.
struct HostUse {
  double elapsed_s = 0, own_s = 0;
  std::optional<double> foreign_s{}, stolen_s{}, waited_s{}, throttled_s{};
  std::int64_t involuntary_switches = 0;
  std::optional<std::int64_t> page_faults{};            // empty in records of earlier programs
  std::optional<CorePace> core_before{}, core_after{};  // of the main thread
};

// Some tens of microseconds, and one or two for each thread and each processor of the host: not
// within what is timed. `processors` are those that this process may use; `proc` is where /proc is.
HostCounters read_host_counters(const cpu_set_t& processors,
                                const std::filesystem::path& proc = "/proc");

// Never negative: a tick counts for whoever runs when it comes, and a thread that ended takes what
// it had waited along.
HostUse use_between(const HostCounters& before, const HostCounters& after);

}  // namespace lufact
