// SPDX-License-Identifier: BSD-3-Clause
#include "app/config/run_options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/config/command_line.hpp"
#include "app/config/peer_names.hpp"
#include "core/base/error.hpp"

namespace lufact {
namespace {

// Options given on the command line win over the profile.
void apply_profile(const CLI::App& command, RunConfig& config) {
  if (config.profile != "paper") return;
  ReadOptions& read = config.given_read;
  if (command.count("--symmetry") == 0) read.symmetry = SymmetryMode::stored;
  if (command.count("--explicit-zeros") == 0) read.explicit_zeros = ExplicitZeros::keep;
  if (command.count("--precision") == 0) config.precision = Precision::float32;
}

// --devices names the device of all that takes one alone.
void apply_devices(const CLI::App& command, RunConfig& config) {
  const std::vector<int> devices = config.gsofa.device_numbers();
  if (devices.empty()) return;
  if (command.count("--device") > 0 && config.device != devices.front()) {
    throw UsageError("--devices stands in place of --device; leave one of them out");
  }
  config.device = devices.front();
}

// A solver is no mode.
void check_modes(const std::vector<std::string>& modes) {
  const std::vector<std::string> solvers = all_peer_plugins(PeerKind::solver);
  for (const std::string& mode : modes) {
    if (std::ranges::find(solvers, mode) == solvers.end()) continue;
    throw UsageError(fmt::format(
        "--mode '{}' is a foreign solver: --peer {} runs it, alone with --mode none", mode, mode));
  }
}

}  // namespace

void add_run_options(CLI::App& command, RunConfig& config, AcceptedNames names) {
  visit_options(CommandLine(command, {.names = std::move(names)}, true), config);
}

void add_variant_options(CLI::App& command, RunConfig& config) {
  visit_options(CommandLine(command, {}, false), config);
}

void complete_config(const CLI::App& command, RunConfig& config) {
  apply_profile(command, config);
  apply_devices(command, config);
  check(config);
  check_modes(config.modes);
  check_peers(PeerKind::solver, config.peers);
}

}  // namespace lufact
