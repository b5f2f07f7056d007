// SPDX-License-Identifier: BSD-3-Clause
#include "core/measure/process_stat.hpp"

#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include "core/base/processors.hpp"

namespace lufact {
namespace {

namespace fs = std::filesystem;

// The file `status` of a thread has the line "Cpus_allowed_list:\t0-3,8".
std::optional<cpu_set_t> allowed_of_thread(const fs::path& folder) {
  constexpr std::string_view key = "Cpus_allowed_list:";
  std::ifstream file(folder / "status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(key)) return processors_of_list(line.substr(key.size()));
  }
  return std::nullopt;
}

}  // namespace

// The file `stat`: "PID (NAME) STATE PARENT ..."; user and system time are the 14th and 15th field,
// in ticks. A name may hold blanks and parentheses.
std::optional<ProcessStat> read_process_stat(const fs::path& folder) {
  std::ifstream file(folder / "stat");
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  const std::size_t end_of_name = line.rfind(')');
  if (end_of_name == std::string::npos) return std::nullopt;
  std::istringstream fields(line.substr(end_of_name + 1));
  ProcessStat stat;
  fields >> stat.state >> stat.parent;
  std::string skipped;
  for (int k = 5; k < 14; ++k) fields >> skipped;
  double user = 0, system = 0;
  if (!(fields >> user >> system)) return std::nullopt;
  stat.seconds = (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
  return stat;
}

std::optional<cpu_set_t> read_allowed_processors(const fs::path& folder) {
  std::optional<cpu_set_t> all = allowed_of_thread(folder);
  if (!all) return std::nullopt;
  std::error_code unreadable;
  for (const auto& task : fs::directory_iterator(folder / "task", unreadable)) {
    if (const auto allowed = allowed_of_thread(task.path())) CPU_OR(&*all, &*all, &*allowed);
  }
  return all;
}

std::map<pid_t, ProcessStat> read_process_stats(const fs::path& proc) {
  std::map<pid_t, ProcessStat> processes;
  std::error_code unreadable;
  for (const auto& entry : fs::directory_iterator(proc, unreadable)) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (const auto stat = read_process_stat(entry.path())) {
      processes[static_cast<pid_t>(std::stol(name))] = *stat;
    }
  }
  return processes;
}

}  // namespace lufact
