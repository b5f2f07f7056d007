// SPDX-License-Identifier: BSD-3-Clause
// What the user may write after --peer, and what is known of each peer without running it.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "baselines/peers/known_peers.hpp"
#include "core/array/array_stage.hpp"

namespace lufact {

// "klu,exec:./solve a,b" is klu and a command: a command reaches to the end of its argument, commas
// included.
std::vector<std::string> split_peers(const std::string& argument);

// The command of "exec:COMMAND"; empty for any other peer.
std::optional<std::string> external_command(const std::string& peer);

struct PeerVariant {
  std::string name, description;
};

// What a plug-in says of itself.
struct PeerFinding {
  std::string plugin, description;
  bool loaded = false;  // the plug-in, not necessarily the solver's library
  std::optional<std::string> library, version;
  std::vector<PeerVariant> variants;
  std::vector<std::string> warnings;  // of an opened one: what makes it slower here than it can be
  std::optional<ArrayStageFacts> takes;  // of an opened one for dense matrices
  std::optional<std::string> reason;     // why it cannot run here, and what to do
};

// Asks a process of its own, so that a plug-in that crashes or hangs costs an answer only. `open`
// opens the solver too, on `device` where it needs one; `plugin` may name a variant, as in
// cublas-matinv.
PeerFinding query_peer_in_child(PeerKind kind, const std::string& plugin, bool open, int device);

// Which matrices a foreign library takes; empty where it cannot be opened here, which its run says.
// Asked once for each name.
std::optional<ArrayStageFacts> array_peer_takes(const std::string& peer, int device);

// All plug-ins that lufact knows or that are installed; beside those of solvers, programs.
std::vector<std::string> all_peer_plugins(PeerKind kind);

// Throws UsageError for a name that is neither known nor installed, or a variant that its plug-in
// does not have. A known plug-in that is not there is no wrong usage: its run says so.
// Commands are for solvers alone.
void check_peers(PeerKind kind, const std::vector<std::string>& peers);

}  // namespace lufact
