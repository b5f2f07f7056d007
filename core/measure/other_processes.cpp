// SPDX-License-Identifier: BSD-3-Clause
#include "core/measure/other_processes.hpp"

#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>
#include <utility>

namespace lufact {
namespace {

namespace fs = std::filesystem;

constexpr pid_t kernel_threads = 2;  // the parent of all of them

struct Process {
  pid_t parent = 0;
  double seconds = 0;
};

// /proc/PID/stat: "PID (NAME) STATE PARENT ..."; user and system time are the 14th and 15th field,
// in ticks. A name may hold blanks and parentheses. Empty: it has ended.
std::optional<Process> read_process(const fs::path& stat) {
  std::ifstream file(stat);
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  const std::size_t end_of_name = line.rfind(')');
  if (end_of_name == std::string::npos) return std::nullopt;
  std::istringstream fields(line.substr(end_of_name + 1));
  Process process;
  std::string skipped;
  fields >> skipped >> process.parent;
  for (int k = 5; k < 14; ++k) fields >> skipped;
  double user = 0, system = 0;
  if (!(fields >> user >> system)) return std::nullopt;
  process.seconds = (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
  return process;
}

std::map<pid_t, Process> read_all(const fs::path& proc) {
  std::map<pid_t, Process> processes;
  std::error_code unreadable;
  for (const auto& entry : fs::directory_iterator(proc, unreadable)) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (const auto process = read_process(entry.path() / "stat")) {
      processes[static_cast<pid_t>(std::stol(name))] = *process;
    }
  }
  return processes;
}

bool descends_from(pid_t ancestor, pid_t pid, const std::map<pid_t, Process>& processes) {
  for (auto at = processes.find(pid); at != processes.end(); at = processes.find(pid)) {
    if (pid == ancestor) return true;
    pid = at->second.parent;
    if (pid == at->first) break;
  }
  return false;
}

}  // namespace

OtherProcesses::OtherProcesses(pid_t root, fs::path proc)
    : root_(root),
      proc_(std::move(proc)),
      begin_(std::chrono::steady_clock::now()),
      before_(read()) {}

std::map<pid_t, double> OtherProcesses::read() const {
  const std::map<pid_t, Process> all = read_all(proc_);
  std::map<pid_t, double> others;
  for (const auto& [pid, process] : all) {
    if (descends_from(root_, pid, all) || descends_from(kernel_threads, pid, all)) continue;
    others[pid] = process.seconds;
  }
  return others;
}

std::optional<OthersUse> OtherProcesses::use() const {
  const std::map<pid_t, double> now = read();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin_;
  if (now.empty() || elapsed.count() <= 0) return std::nullopt;
  double seconds = 0;
  for (const auto& [pid, spent] : now) {
    const auto known = before_.find(pid);
    const double earlier = known == before_.end() ? 0 : known->second;
    // One that has fewer than before is another process, which has the number of one that ended.
    seconds += spent >= earlier ? spent - earlier : spent;
  }
  return OthersUse{elapsed.count(), seconds / elapsed.count()};
}

}  // namespace lufact
