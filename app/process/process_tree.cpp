// SPDX-License-Identifier: BSD-3-Clause
#include "app/process/process_tree.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

namespace lufact {
namespace {

namespace fs = std::filesystem;

// What a stat file of /proc says behind the name, which is in parentheses.
struct Stat {
  char state = '?';
  pid_t parent = 0;
};

Stat read_stat(const fs::path& folder) {
  std::ifstream file(folder / "stat");
  std::string line;
  std::getline(file, line);
  Stat stat;
  const auto name_end = line.rfind(')');
  if (name_end == std::string::npos) return stat;
  std::istringstream words(line.substr(name_end + 1));
  words >> stat.state >> stat.parent;
  return stat;
}

bool is_number(const std::string& text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c); });
}

}  // namespace

std::vector<pid_t> process_tree(pid_t root) {
  std::multimap<pid_t, pid_t> children;
  std::error_code gone;
  for (const auto& entry : fs::directory_iterator("/proc", gone)) {
    const std::string name = entry.path().filename().string();
    if (is_number(name)) children.emplace(read_stat(entry.path()).parent, std::atoi(name.c_str()));
  }
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
    if (read_stat(task.path()).state == 'R') return true;
  }
  return false;
}

}  // namespace lufact
