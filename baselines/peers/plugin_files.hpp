// SPDX-License-Identifier: BSD-3-Clause
// Where the shared libraries of plug-ins are, and how one is loaded.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "baselines/peers/known_peers.hpp"

namespace lufact {

// Where plug-ins are looked for, first match wins: the folders of LUFACT_PEER_PATH (separated by
// colons), ../lib/lufact/peers beside the program's folder, and where a build leaves them.
std::vector<std::filesystem::path> peer_folders();

std::optional<std::filesystem::path> find_peer_plugin(PeerKind kind, const std::string& plugin);

// The names of all plug-ins in these folders, sorted.
std::vector<std::string> installed_peer_plugins(PeerKind kind);

// Throws Error{unsupported, "peer_unavailable"}.
[[noreturn]] void peer_unavailable(const std::string& message);

// A plug-in that was loaded, and stays so: libraries leave threads and exit handlers behind.
struct LoadedPlugin {
  void* entry = nullptr;  // its one exported function
  std::filesystem::path file;
  // Folders for the solver's own libraries: LUFACT_PEER_PATH and the plug-in's.
  std::string search_path;
};
// Throws peer_unavailable() where it is not there, cannot be loaded or is no plug-in; the message
// says what to do.
LoadedPlugin load_peer_plugin(PeerKind kind, const std::string& plugin, const char* entry);

// Throws peer_unavailable() unless the table of functions that `file` gave is of this version and
// size.
void require_interface(const std::filesystem::path& file, std::uint32_t version,
                       std::uint32_t expected, bool complete);

}  // namespace lufact
