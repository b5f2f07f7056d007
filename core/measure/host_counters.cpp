// SPDX-License-Identifier: BSD-3-Clause
#include "core/measure/host_counters.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

namespace lufact {
namespace {

namespace fs = std::filesystem;

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

void add_usage(int whose, HostCounters& counters) {
  rusage usage{};
  getrusage(whose, &usage);
  counters.own_s += seconds(usage.ru_utime) + seconds(usage.ru_stime);
  counters.involuntary_switches += usage.ru_nivcsw;
  counters.page_faults += usage.ru_minflt + usage.ru_majflt;
}

struct ProcessorTicks {
  int processor = 0;
  double busy = 0, stolen = 0, all = 0;
};

// A line of /proc/stat: "cpu3" and ticks of user, nice, system, idle, iowait, irq, softirq, steal.
// Time of guests is within user and nice. Empty for "cpu", the sum of all processors.
std::optional<ProcessorTicks> ticks_of_line(const std::string& line) {
  constexpr std::string_view name = "cpu";
  if (!line.starts_with(name) || line.starts_with("cpu ")) return std::nullopt;
  std::istringstream fields(line.substr(name.size()));
  ProcessorTicks read;
  std::array<double, 8> ticks{};
  fields >> read.processor;
  for (double& count : ticks) fields >> count;
  if (!fields) return std::nullopt;
  const auto [user, nice, system, idle, iowait, irq, softirq, steal] = ticks;
  read.busy = user + nice + system + irq + softirq;
  read.stolen = steal;
  read.all = user + nice + system + idle;
  return read;
}

// Each of `processors` has a line there, or nothing is known: a container may number its own anew.
// A sandbox may write nothing but zeros.
void read_processors(const fs::path& stat, const cpu_set_t& processors, HostCounters& counters) {
  std::ifstream file(stat);
  ProcessorTicks sum;
  int found = 0;
  for (std::string line; std::getline(file, line) && line.starts_with("cpu");) {
    const auto ticks = ticks_of_line(line);
    if (!ticks || !CPU_ISSET(ticks->processor, &processors)) continue;
    ++found;
    sum.busy += ticks->busy;
    sum.stolen += ticks->stolen;
    sum.all += ticks->all;
  }
  if (found < CPU_COUNT(&processors) || sum.all <= 0) return;
  const double tick_s = 1.0 / static_cast<double>(sysconf(_SC_CLK_TCK));
  counters.busy_s = tick_s * sum.busy;
  counters.stolen_s = tick_s * sum.stolen;
}

// The second number of each thread's schedstat, in nanoseconds.
std::optional<double> waited_by_threads(const fs::path& tasks) {
  std::error_code gone;
  std::optional<double> waited;
  for (const auto& task : fs::directory_iterator(tasks, gone)) {
    std::ifstream file(task.path() / "schedstat");
    double ran_ns = 0, waited_ns = 0;
    if (file >> ran_ns >> waited_ns) waited = waited.value_or(0) + 1e-9 * waited_ns;
  }
  return waited;
}

// Of the second version of control groups, in the group that is mounted as the root or named.
std::optional<double> throttled(const fs::path& proc) {
  std::ifstream groups(proc / "self" / "cgroup");
  for (std::string line; std::getline(groups, line);) {
    if (!line.starts_with("0::/")) continue;
    const fs::path root = "/sys/fs/cgroup", own = root / line.substr(4);
    std::ifstream file(fs::exists(own / "cpu.stat") ? own / "cpu.stat" : root / "cpu.stat");
    double count = 0;
    for (std::string key; file >> key >> count;) {
      if (key == "throttled_usec") return 1e-6 * count;
    }
  }
  return std::nullopt;
}

std::optional<double> growth(const std::optional<double>& before,
                             const std::optional<double>& after) {
  if (!before || !after) return std::nullopt;
  return std::max(0.0, *after - *before);
}

}  // namespace

HostCounters read_host_counters(const cpu_set_t& processors, const fs::path& proc) {
  HostCounters counters;
  counters.clock_s =
      std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  add_usage(RUSAGE_SELF, counters);
  add_usage(RUSAGE_CHILDREN, counters);
  read_processors(proc / "stat", processors, counters);
  counters.waited_s = waited_by_threads(proc / "self" / "task");
  counters.throttled_s = throttled(proc);
  return counters;
}

HostUse use_between(const HostCounters& before, const HostCounters& after) {
  HostUse use;
  use.elapsed_s = after.clock_s - before.clock_s;
  use.own_s = after.own_s - before.own_s;
  use.involuntary_switches = after.involuntary_switches - before.involuntary_switches;
  use.page_faults = after.page_faults - before.page_faults;
  use.stolen_s = growth(before.stolen_s, after.stolen_s);
  use.waited_s = growth(before.waited_s, after.waited_s);
  use.throttled_s = growth(before.throttled_s, after.throttled_s);
  if (const auto busy_s = growth(before.busy_s, after.busy_s)) {
    use.foreign_s = std::max(0.0, *busy_s - use.own_s);
  }
  return use;
}

}  // namespace lufact
