// SPDX-License-Identifier: BSD-3-Clause
#include "core/base/processors.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "core/base/affinity.hpp"
#include "core/base/control_group.hpp"

namespace lufact {
namespace {

namespace fs = std::filesystem;

// "max 100000" or "150000 100000": time and period in microseconds.
std::optional<double> quota_of_version_2(const fs::path& folder) {
  std::ifstream file(folder / "cpu.max");
  double time = 0, period = 0;
  if (!(file >> time >> period) || time <= 0 || period <= 0) return std::nullopt;
  return time / period;
}

// A time of -1 is no limit.
std::optional<double> quota_of_version_1(const fs::path& folder) {
  std::ifstream times(folder / "cpu.cfs_quota_us"), periods(folder / "cpu.cfs_period_us");
  double time = 0, period = 0;
  if (!(times >> time) || !(periods >> period) || time <= 0 || period <= 0) return std::nullopt;
  return time / period;
}

}  // namespace

cpu_set_t usable_processor_set() {
  if (const auto given = given_processors()) return *given;
  cpu_set_t mine;
  CPU_ZERO(&mine);
  sched_getaffinity(0, sizeof mine, &mine);
  return mine;
}

int usable_processors() {
  const cpu_set_t set = usable_processor_set();
  int count = CPU_COUNT(&set);
  if (const auto quota = processor_quota()) {
    count = std::min(count, static_cast<int>(std::ceil(*quota)));
  }
  return std::max(1, count);
}

std::string usable_processor_list() {
  const cpu_set_t set = usable_processor_set();
  std::string list;
  for (int first = 0; first < CPU_SETSIZE; ++first) {
    if (!CPU_ISSET(first, &set)) continue;
    int last = first;
    while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, &set)) ++last;
    list += fmt::format("{}{}", list.empty() ? "" : ",", first);
    if (last > first) list += fmt::format("-{}", last);
    first = last;
  }
  return list;
}

std::optional<cpu_set_t> processors_of_list(const std::string& list) {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::istringstream ranges(list);
  for (std::string range; std::getline(ranges, range, ',');) {
    std::ranges::replace(range, '-', ' ');
    std::istringstream ends(range);
    int first = 0, last = 0;
    if (!(ends >> first)) return std::nullopt;
    if (!(ends >> last)) last = first;
    // Those beyond the end of a set are left out.
    for (int processor = first; processor <= std::min(last, CPU_SETSIZE - 1); ++processor) {
      CPU_SET(processor, &set);
    }
  }
  return CPU_COUNT(&set) > 0 ? std::optional(set) : std::nullopt;
}

std::optional<double> processor_quota() {
  return least_of_own_groups(
      [](const std::string& group) { return quota_of_group(group, "/sys/fs/cgroup"); });
}

std::optional<double> quota_of_group(const std::string& group, const fs::path& mounts) {
  return least_of_group(group, "cpu", mounts, [](const fs::path& folder, bool version_2) {
    return version_2 ? quota_of_version_2(folder) : quota_of_version_1(folder);
  });
}

}  // namespace lufact
