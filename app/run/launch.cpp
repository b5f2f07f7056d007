// SPDX-License-Identifier: BSD-3-Clause
#include "app/run/launch.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "app/run/team_environment.hpp"

namespace lufact {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t told_lines = 6;
constexpr int not_found = 127;

// Of the process and host that they are set for.
constexpr std::array own_variables{"OMPI_",  "PMIX_",   "PMI_", "ORTE_", "SLURM_", "HOSTNAME",
                                   "TMPDIR", "DISPLAY", "PWD",  "_",     "SHLVL"};

bool is_handed_on(const std::string& name) {
  // Exported shell functions have names that no list can hold.
  if (name.find_first_of("%;()=") != std::string::npos) return false;
  return std::ranges::none_of(own_variables, [&](const std::string& own) {
    return own.back() == '_' && own.size() > 1 ? name.starts_with(own) : name == own;
  });
}

std::string names_of_variables() {
  std::vector<std::string> names;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string text = *variable;
    const std::string name = text.substr(0, text.find('='));
    if (is_handed_on(name)) names.push_back(name);
  }
  return fmt::format("{}", fmt::join(names, ";"));
}

bool hands_on_variables_itself(const std::vector<std::string>& launcher) {
  return std::ranges::find(launcher, "-x") != launcher.end() ||
         std::ranges::find(launcher, "mca_base_env_list") != launcher.end();
}

// Processes that share this one's place in a launcher; 1 where there is none.
int launched_processes() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) {
    const char* text = std::getenv(name);
    if (text != nullptr) return std::atoi(text);
  }
  return 1;
}

// What stands between two words of a line.
std::optional<std::string> between(const std::string& line, const std::string& before,
                                   const std::string& behind) {
  const std::size_t begin = line.find(before);
  if (begin == std::string::npos) return std::nullopt;
  const std::size_t end = line.find(behind, begin + before.size());
  if (end == std::string::npos) return std::nullopt;
  return line.substr(begin + before.size(), end - begin - before.size());
}

// Open MPI: "process rank 1 with PID 0 on node vm exited on signal 9 (Killed)."
std::string who_died(const std::vector<std::string>& lines) {
  for (const std::string& line : lines) {
    const auto rank = between(line, "process rank ", " ");
    const auto node = between(line, " on node ", " exited");
    const auto how = between(line, " exited ", ".");
    if (rank && node && how) return fmt::format("rank {} on {} ended {}", *rank, *node, *how);
  }
  return "a rank died";
}

std::string advice(const LastLines& lines) {
  if (lines.contain("as root")) {
    return "; run lufact as another user, or set OMPI_ALLOW_RUN_AS_ROOT=1 and "
           "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1";
  }
  if (lines.contain("not enough slots")) {
    return "; ask for fewer --ranks, or use --launcher 'mpirun --oversubscribe -n {ranks}'";
  }
  return "; --launcher says how ranks are started";
}

}  // namespace

std::string rank_program() {
  std::error_code fault;
  const fs::path program = fs::read_symlink("/proc/self/exe", fault).parent_path() / "lufact-rank";
  return fs::exists(program, fault) ? program.string() : "";
}

std::vector<std::string> launch_environment(const std::vector<std::string>& launcher) {
  std::vector<std::string> added = team_environment();
  const auto add = [&](const std::string& name, const std::string& value) {
    if (std::getenv(name.c_str()) == nullptr) added.push_back(fmt::format("{}={}", name, value));
  };
  add("OMPI_MCA_hwloc_base_binding_policy", "none");
  if (hands_on_variables_itself(launcher)) return added;
  std::string names = names_of_variables();
  for (const std::string& variable : team_environment()) {
    names += fmt::format(";{}", variable.substr(0, variable.find('=')));
  }
  add("OMPI_MCA_mca_base_env_list", names);
  return added;
}

void refuse_several_supervisors() {
  const int processes = launched_processes();
  if (processes < 2) return;
  throw UsageError(
      fmt::format("this is one of {} processes that a launcher has started; start lufact once, "
                  "with --ranks {}, and it starts them itself",
                  processes, processes));
}

LaunchFailure launch_failure(ChildProcess& launcher, const std::string& name, bool spoke) {
  const std::string ending = launcher.ending();
  const std::vector<std::string> lines = launcher.last_lines().take_last(told_lines);
  const std::string words =
      lines.empty() ? "" : fmt::format("; its last lines: {}", fmt::join(lines, " | "));
  if (spoke) {
    return {Outcome::error, "rank_died",
            fmt::format("{} (the launcher with {}){}", who_died(lines), ending, words)};
  }
  if (launcher.exit_status() == not_found && lines.empty()) {
    return {Outcome::unsupported, "no_launcher",
            fmt::format("'{}', which is to start the ranks, was not found; install an MPI, or say "
                        "with --launcher what starts them",
                        name)};
  }
  return {Outcome::unsupported, "launch_failed",
          fmt::format("the launcher '{}' ended with {} before its ranks ran{}{}", name, ending,
                      advice(launcher.last_lines()), words)};
}

}  // namespace lufact
