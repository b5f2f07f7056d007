// SPDX-License-Identifier: BSD-3-Clause
#include "core/base/machine.hpp"

#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <utility>

namespace lufact {
namespace {

std::string after_colon(const std::string& line) {
  const auto colon = line.find(':');
  if (colon == std::string::npos) return {};
  const auto start = line.find_first_not_of(" \t", colon + 1);
  return start == std::string::npos ? std::string{} : line.substr(start);
}

std::string os_description() {
  std::string pretty;
  std::ifstream release("/etc/os-release");
  for (std::string line; std::getline(release, line);) {
    if (!line.starts_with("PRETTY_NAME=")) continue;
    pretty = line.substr(12);
    std::erase(pretty, '"');
  }
  utsname kernel{};
  if (uname(&kernel) == 0) {
    pretty += (pretty.empty() ? "" : ", ") + std::string(kernel.sysname) + " " + kernel.release;
  }
  return pretty;
}

}  // namespace

std::vector<DeviceFacts> Machine::all_devices() const {
  std::vector<DeviceFacts> all = other_devices;
  if (device) all.push_back(*device);
  std::ranges::sort(all, {}, &DeviceFacts::index);
  return all;
}

HostFacts query_host() {
  HostFacts facts;
  std::set<std::pair<std::string, std::string>> physical_cores;
  std::string package = "0";
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);) {
    if (line.starts_with("model name") && facts.cpu_model.empty()) {
      facts.cpu_model = after_colon(line);
    } else if (line.starts_with("physical id")) {
      package = after_colon(line);
    } else if (line.starts_with("core id")) {
      physical_cores.emplace(package, after_colon(line));
    }
  }
  facts.threads = static_cast<int>(std::thread::hardware_concurrency());
  facts.cores = physical_cores.empty() ? facts.threads : static_cast<int>(physical_cores.size());
  facts.memory_bytes = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                       static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  facts.os = os_description();
  return facts;
}

std::uint64_t peak_resident_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace lufact
