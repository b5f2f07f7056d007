// SPDX-License-Identifier: BSD-3-Clause
#include "core/base/memory_limit.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>

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

}  // namespace lufact
