// SPDX-License-Identifier: BSD-3-Clause
#include "app/process/process_tree.hpp"

#include <filesystem>
#include <map>
#include <string>

#include "core/measure/process_stat.hpp"

namespace lufact {

namespace fs = std::filesystem;

std::vector<pid_t> process_tree(pid_t root) {
  std::multimap<pid_t, pid_t> children;
  for (const auto& [pid, stat] : read_process_stats("/proc")) children.emplace(stat.parent, pid);
  std::vector<pid_t> tree{root};
  for (std::size_t next = 0; next < tree.size(); ++next) {
    const auto [begin, end] = children.equal_range(tree[next]);
    for (auto child = begin; child != end; ++child) tree.push_back(child->second);
  }
  return tree;
}

bool has_running_thread(pid_t process) {
  std::error_code gone;
  const fs::path tasks = fs::path("/proc") / std::to_string(process) / "task";
  for (const auto& task : fs::directory_iterator(tasks, gone)) {
    const auto stat = read_process_stat(task.path());
    if (stat && stat->state == 'R') return true;
  }
  return false;
}

}  // namespace lufact
