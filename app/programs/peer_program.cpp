// SPDX-License-Identifier: BSD-3-Clause
#include "app/programs/peer_program.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "app/peers/external_answer.hpp"
#include "app/peers/external_program.hpp"
#include "app/run/launch.hpp"
#include "app/run/mpi_finding.hpp"
#include "baselines/peers/plugin_advice.hpp"
#include "baselines/peers/plugin_files.hpp"
#include "core/base/error.hpp"

namespace lufact {
namespace {

namespace fs = std::filesystem;

constexpr const char* program_name = "lufact-superlu-dist";

bool is_parallel(const std::string& peer) {
  return peer == parallel_symbolic_peer;
}

// Beside lufact. Throws where it is not.
std::string require_program(const std::string& peer) {
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored).parent_path() / program_name;
  if (!fs::exists(program, ignored)) {
    peer_unavailable(advice_on_missing_plugin(find_known_peer(PeerKind::program, peer),
                                              fmt::format("the program {}", program_name),
                                              build_folder_of_program()));
  }
  return program.string();
}

// Of the library, by the program. Throws where the loader does not find it.
ExternalAnswer ask_version(const std::string& program, const std::string& peer) {
  const ProgramResult asked = run_program(shell_word(program) + " version", "/dev/null");
  if (!asked.fault.empty()) {
    peer_unavailable(
        fmt::format("{} ends with {}: a library that it needs is missing; get it with `apt-get "
                    "install {}`",
                    program, asked.fault, find_known_peer(PeerKind::program, peer)->packages));
  }
  return parse_external_answer(asked.out);
}

PeerFinding find_program(const std::string& peer) {
  PeerFinding finding;
  finding.plugin = peer;
  finding.description = find_known_peer(PeerKind::program, peer)->description;
  try {
    const ExternalAnswer answer = ask_version(require_program(peer), peer);
    finding.loaded = true;
    finding.library = answer.texts.at("library");
    finding.version = answer.texts.at("version");
  } catch (const Error& error) {
    finding.reason = error.what();
    return finding;
  }
  if (is_parallel(peer)) finding.reason = find_launcher().reason;
  return finding;
}

GsofaConfig one_rank_at_least(GsofaConfig gsofa) {
  if (!gsofa.ranks) gsofa.ranks = 1;
  return gsofa;
}

// Its environment is that of ranks of lufact: not bound to cores, and the user's.
std::string launch_command(const GsofaConfig& gsofa) {
  const std::vector<std::string> launcher = one_rank_at_least(gsofa).launcher_words();
  std::string command = "exec env";
  const auto add = [&](const std::string& word) {
    command += fmt::format(" {}", shell_word(word));
  };
  for (const std::string& variable : launch_environment(launcher)) add(variable);
  for (const std::string& word : launcher) add(word);
  return command;
}

}  // namespace

PeerFinding find_peer(PeerKind kind, const std::string& peer, int device) {
  if (kind == PeerKind::solver && is_peer_program(peer)) return find_program(peer);
  return query_peer_in_child(kind, peer, true, device);
}

RunConfig program_config(const std::string& peer, RunConfig config) {
  if (!is_parallel(peer)) return config;
  config.permutation_file.reset();
  config.ordering = "natural";
  return config;
}

std::string program_command(const std::string& peer, const RunConfig& config,
                            const std::string& order_file) {
  const std::string program = require_program(peer);
  ask_version(program, peer);
  if (!is_parallel(peer)) return fmt::format("exec {} seq {{pattern}}", shell_word(program));
  if (const auto reason = find_launcher().reason; reason && !config.gsofa.launcher) {
    peer_unavailable(*reason);
  }
  return fmt::format("{} {} par {{pattern}} {}", launch_command(config.gsofa), shell_word(program),
                     shell_word(order_file));
}

}  // namespace lufact
