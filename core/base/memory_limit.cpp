// SPDX-License-Identifier: BSD-3-Clause
#include "core/base/memory_limit.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "core/base/control_group.hpp"

namespace lufact {
namespace {

namespace fs = std::filesystem;

// "max", or a number of bytes. The first version writes its largest number for no limit.
std::optional<std::uint64_t> limit_in(const fs::path& file) {
  constexpr std::uint64_t no_limit = std::uint64_t{1} << 62;
  std::ifstream text(file);
  std::uint64_t bytes = 0;
  if (!(text >> bytes) || bytes >= no_limit) return std::nullopt;
  return bytes;
}

std::optional<std::uint64_t> room_in(const fs::path& limit, const fs::path& use) {
  const std::optional<std::uint64_t> most = limit_in(limit);
  if (!most) return std::nullopt;
  return *most - std::min(*most, limit_in(use).value_or(*most));
}

// MemAvailable of /proc/meminfo, which is in KiB; 0 where it is not there.
std::uint64_t available_on_host() {
  std::ifstream meminfo("/proc/meminfo");
  for (std::string line; std::getline(meminfo, line);) {
    std::istringstream words(line);
    std::string name;
    std::uint64_t kibibytes = 0;
    if (words >> name >> kibibytes && name == "MemAvailable:") return kibibytes * 1024;
  }
  return 0;
}

}  // namespace

std::optional<std::uint64_t> memory_limit() {
  return least_of_own_groups(
      [](const std::string& group) { return memory_limit_of_group(group, "/sys/fs/cgroup"); });
}

std::optional<std::uint64_t> memory_limit_of_group(const std::string& group,
                                                   const fs::path& mounts) {
  return least_of_group(group, "memory", mounts, [](const fs::path& folder, bool version_2) {
    return limit_in(folder / (version_2 ? "memory.max" : "memory.limit_in_bytes"));
  });
}

std::optional<std::uint64_t> memory_room_of_group(const std::string& group,
                                                  const fs::path& mounts) {
  return least_of_group(group, "memory", mounts, [](const fs::path& folder, bool version_2) {
    return version_2 ? room_in(folder / "memory.max", folder / "memory.current")
                     : room_in(folder / "memory.limit_in_bytes", folder / "memory.usage_in_bytes");
  });
}

std::optional<std::uint64_t> memory_limit_with(const std::optional<std::uint64_t>& given) {
  const std::optional<std::uint64_t> limit = memory_limit();
  return given && limit ? std::min(*given, *limit) : given ? given : limit;
}

std::uint64_t usable_memory() {
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  const std::uint64_t installed =
      pages > 0 && page > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page)
                            : 0;
  const std::uint64_t limit = memory_limit().value_or(installed);
  return installed == 0 ? limit : std::min(installed, limit);
}

std::uint64_t available_memory() {
  const std::uint64_t available = available_on_host();
  const auto room = least_of_own_groups(
      [](const std::string& group) { return memory_room_of_group(group, "/sys/fs/cgroup"); });
  return std::min(available, room.value_or(available));
}

}  // namespace lufact
