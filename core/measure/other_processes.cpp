// SPDX-License-Identifier: BSD-3-Clause
#include "core/measure/other_processes.hpp"

#include <utility>

#include "core/measure/process_stat.hpp"

namespace lufact {
namespace {

namespace fs = std::filesystem;

constexpr pid_t kernel_threads = 2;  // the parent of all of them

bool descends_from(pid_t ancestor, pid_t pid, const std::map<pid_t, ProcessStat>& processes) {
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
  const std::map<pid_t, ProcessStat> all = read_process_stats(proc_);
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
