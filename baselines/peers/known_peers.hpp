// SPDX-License-Identifier: BSD-3-Clause
// The foreign solvers that lufact has plug-ins for, whether or not they are there, and the names by
// which a user asks for one.
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace lufact {

// What a peer is for, and so how lufact speaks to it.
enum class PeerKind {
  solver,   // of one sparse system, a plug-in: lufact_peer.h
  array,    // of dense matrices, a plug-in: lufact_array_peer.h
  program,  // the symbolic step of a sparse matrix, a program that lufact starts
};

struct KnownPeer {
  std::string_view plugin, description;  // `plugin`: its name, of a program too
  std::string_view packages;    // Debian packages that it is built with, separated by spaces
  std::string_view how_to_get;  // what else it takes to build or to run it; may be empty
  bool in_this_build;           // all that it is built with was there when lufact was configured
};
std::span<const KnownPeer> known_peers(PeerKind kind) noexcept;
// Null where lufact has never heard of it: a plug-in of the user's own.
const KnownPeer* find_known_peer(PeerKind kind, std::string_view plugin) noexcept;

// The program that runs in several MPI processes and finds an ordering of its own.
inline constexpr std::string_view parallel_symbolic_peer = "superlu-dist-par";

// Whether a peer is a program that lufact has for it, which knows the symbolic step alone.
bool is_peer_program(std::string_view peer) noexcept;

// "klu" or "klu-colamd": a plug-in and one of its variants.
struct PeerName {
  std::string plugin, variant;
};
PeerName parse_peer_name(std::string_view name);
std::string peer_name(std::string_view plugin, std::string_view variant);

}  // namespace lufact
