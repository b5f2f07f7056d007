// SPDX-License-Identifier: BSD-3-Clause
// Processor time of processes that are not ours. The kernel keeps it for each process by the clock,
// where it counts that of a processor in ticks, so that a second of it is known to a hundredth.
#pragma once
#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>

namespace lufact {

// How busy the processes that can be seen from here kept the host meanwhile.
struct OthersUse {
  double elapsed_s = 0;
  double processors = 0;  // of processor time over elapsed time
};

// Watches from its construction on. Left out are `root` with all its descendants, and the kernel's
// threads, which work for whoever asked. Reads the state of every process, some ten milliseconds on
// a host of a thousand: not between what is timed.
class OtherProcesses {
 public:
  // `proc` is where /proc is.
  explicit OtherProcesses(pid_t root, std::filesystem::path proc = "/proc");

  // Since the construction; empty where the system shows no process at all. A process that began
  // meanwhile counts from its beginning, one that ended not.
  std::optional<OthersUse> use() const;

 private:
  std::map<pid_t, double> read() const;  // seconds

  pid_t root_;
  std::filesystem::path proc_;
  std::chrono::steady_clock::time_point begin_;
  std::map<pid_t, double> before_;
};

}  // namespace lufact
