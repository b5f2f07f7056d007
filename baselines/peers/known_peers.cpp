// SPDX-License-Identifier: BSD-3-Clause
#include "baselines/peers/known_peers.hpp"

#include <algorithm>
#include <array>

namespace lufact {
namespace {

constexpr std::array<KnownPeer, 5> peers{{
    {"klu", "SuiteSparse KLU: block triangular form, one thread",
     "install libsuitesparse-dev and build lufact again"},
    {"umfpack", "SuiteSparse UMFPACK: multifrontal, threads within the BLAS",
     "install libsuitesparse-dev and libopenblas-dev and build lufact again"},
    {"superlu", "SuperLU: supernodal, one thread", "install libsuperlu-dev and build lufact again"},
    {"pardiso", "Intel oneMKL PARDISO: supernodal, all cores",
     "get it with `python3 -m venv DIR && DIR/bin/pip install mkl` and set LUFACT_MKL_ROOT=DIR"},
    {"cudss", "NVIDIA cuDSS: direct solver on the GPU",
     "get it with `python3 -m venv DIR && DIR/bin/pip install nvidia-cudss-cu13`, set "
     "LUFACT_CUDSS_ROOT to DIR/lib/python3.*/site-packages/nvidia/cu13, and configure and build "
     "lufact again"},
}};

}  // namespace

std::span<const KnownPeer> known_peers() noexcept {
  return peers;
}

const KnownPeer* find_known_peer(std::string_view plugin) noexcept {
  const auto found = std::find_if(peers.begin(), peers.end(),
                                  [&](const KnownPeer& peer) { return peer.plugin == plugin; });
  return found == peers.end() ? nullptr : &*found;
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
