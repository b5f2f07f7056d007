// SPDX-License-Identifier: BSD-3-Clause
// Limits that the control groups of this process set: those of a container, a batch system or a
// service. A group may use no more than any group above it.
#pragma once
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

namespace lufact {

// The smallest of what read(folder, is_version_2) finds on the way from `group`, a line of
// /proc/PID/cgroup ("0::/a/b", "4:cpu,cpuacct:/a"), up to the root of its hierarchy below `mounts`,
// where control groups are mounted; empty: no limit. Hierarchies of the first version count where
// `controller` is one of theirs.
template <class Read>
auto least_of_group(const std::string& group, const std::string& controller,
                    const std::filesystem::path& mounts, const Read& read)
    -> decltype(read(mounts, true)) {
  const auto first = group.find(':');
  const auto second = first == std::string::npos ? first : group.find(':', first + 1);
  if (second == std::string::npos) return std::nullopt;
  const std::string controllers = group.substr(first + 1, second - first - 1);
  const bool version_2 = controllers.empty();
  if (!version_2 && ("," + controllers + ",").find("," + controller + ",") == std::string::npos) {
    return std::nullopt;
  }
  const std::filesystem::path root = version_2 ? mounts : mounts / controller;
  decltype(read(root, version_2)) least;
  // Inside a container the path may be that of the host, of which only the root is mounted.
  for (auto path = std::filesystem::path(group.substr(second + 1)).relative_path();;
       path = path.parent_path()) {
    const auto found = read(path.empty() ? root : root / path, version_2);
    if (found && (!least || *found < *least)) least = found;
    if (path.empty()) return least;
  }
}

// The smallest of what limit_of_group(line) finds for the groups of this process.
template <class LimitOfGroup>
auto least_of_own_groups(const LimitOfGroup& limit_of_group)
    -> decltype(limit_of_group(std::string())) {
  decltype(limit_of_group(std::string())) least;
  std::ifstream groups("/proc/self/cgroup");
  for (std::string group; std::getline(groups, group);) {
    const auto found = limit_of_group(group);
    if (found && (!least || *found < *least)) least = found;
  }
  return least;
}

}  // namespace lufact
