// SPDX-License-Identifier: BSD-3-Clause
// Processor time of processes that are not ours. The kernel keeps it for each process by the clock,
// where it counts that of a processor in ticks, so that a second of it is known to a hundredth.
#pragma once
#include <sched.h>
#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace lufact {

// How busy the processes that can be seen from here kept the host meanwhile: processors' worth of
// time, of processor time over elapsed time.
struct OthersUse {
  double elapsed_s = 0;
  double processors = 0;              // by those that may run on our processors, or that hide it
  std::optional<double> elsewhere{};  // by those that may not; empty: the system does not tell
};

// Watches from its construction on. Left out are `root` with all its descendants, and the kernel's
// threads, which work for whoever asked. Reads the state of every process, some ten milliseconds on
// a host of a thousand, and of those that worked where their threads may run: not between what is
// timed.
class OtherProcesses {
 public:
  // `processors` are ours; `proc` is where /proc is.
  OtherProcesses(pid_t root, const cpu_set_t& processors, std::filesystem::path proc = "/proc");

  // Since the construction; empty where the system shows no process at all. A process that began
  // meanwhile counts from its beginning, one that ended not. All of its time counts by where it may
  // run now.
  std::optional<OthersUse> use() const;

 private:
  std::map<pid_t, double> read() const;  // seconds
  double seconds_since(pid_t pid, double spent) const;
  bool may_share(pid_t pid) const;
  std::filesystem::path folder_of(pid_t pid) const { return proc_ / std::to_string(pid); }

  pid_t root_;
  cpu_set_t processors_;
  std::filesystem::path proc_;
  std::chrono::steady_clock::time_point begin_;
  std::map<pid_t, double> before_;
};

}  // namespace lufact
