// SPDX-License-Identifier: BSD-3-Clause
// The foreign solvers that lufact has plug-ins for, whether or not they are there, and the names by
// which a user asks for one.
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace lufact {

struct KnownPeer {
  std::string_view plugin, description, how_to_get;
};
std::span<const KnownPeer> known_peers() noexcept;
// Null where lufact has never heard of it: a plug-in of the user's own.
const KnownPeer* find_known_peer(std::string_view plugin) noexcept;

// "klu" or "klu-colamd": a plug-in and one of its variants.
struct PeerName {
  std::string plugin, variant;
};
PeerName parse_peer_name(std::string_view name);
std::string peer_name(std::string_view plugin, std::string_view variant);

}  // namespace lufact
