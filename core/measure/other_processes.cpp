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

OtherProcesses::OtherProcesses(pid_t root, const cpu_set_t& processors, fs::path proc)
    : root_(root),
      processors_(processors),
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

double OtherProcesses::seconds_since(pid_t pid, double spent) const {
  const auto known = before_.find(pid);
  const double earlier = known == before_.end() ? 0 : known->second;
  // One that has fewer than before is another process, which has the number of one that ended.
  return spent >= earlier ? spent - earlier : spent;
}

bool OtherProcesses::may_share(pid_t pid) const {
  const auto allowed = read_allowed_processors(folder_of(pid));
  if (!allowed) return true;
  cpu_set_t both;
  CPU_AND(&both, &*allowed, &processors_);
  return CPU_COUNT(&both) > 0;
}

std::optional<OthersUse> OtherProcesses::use() const {
  const std::map<pid_t, double> now = read();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin_;
  if (now.empty() || elapsed.count() <= 0) return std::nullopt;
  // Where not even our own processors are told, nobody's are.
  const bool told = CPU_COUNT(&processors_) > 0 && read_allowed_processors(folder_of(root_));
  double sharing_s = 0, elsewhere_s = 0;
  for (const auto& [pid, spent] : now) {
    const double since_s = seconds_since(pid, spent);
    if (since_s > 0) (!told || may_share(pid) ? sharing_s : elsewhere_s) += since_s;
  }
  OthersUse use{elapsed.count(), sharing_s / elapsed.count(), std::nullopt};
  if (told) use.elsewhere = elsewhere_s / elapsed.count();
  return use;
}

}  // namespace lufact
