// SPDX-License-Identifier: BSD-3-Clause
#include "baselines/peers/known_peers.hpp"

#include <algorithm>

namespace lufact {

const KnownPeer* find_known_peer(PeerKind kind, std::string_view plugin) noexcept {
  const auto peers = known_peers(kind);
  const auto found =
      std::ranges::find_if(peers, [&](const KnownPeer& peer) { return peer.plugin == plugin; });
  return found == peers.end() ? nullptr : &*found;
}

bool is_peer_program(std::string_view peer) noexcept {
  return find_known_peer(PeerKind::program, peer) != nullptr;
}

PeerName parse_peer_name(std::string_view name) {
  const std::size_t dash = name.find('-');
  if (dash == std::string_view::npos) return {std::string(name), ""};
  return {std::string(name.substr(0, dash)), std::string(name.substr(dash + 1))};
}

std::string peer_name(std::string_view plugin, std::string_view variant) {
  std::string name(plugin);
  if (!variant.empty()) name.append("-").append(variant);
  return name;
}

}  // namespace lufact
