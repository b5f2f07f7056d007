// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "baselines/peers/known_peers.hpp"
#include "baselines/peers/peer_solver.hpp"

namespace lufact {

PeerSolver::Options solver_options(const std::string& variant, int threads, int device);

// The answer to {"command": "peer", "arrays", "plugin", "open", "device"}: {"type": "peer",
// "loaded", "description", "library", "version", "on_device", "variants", "warnings", "reason"}.
// `reason` is null where nothing is in the way. With `open`, the solver itself is opened too;
// `warnings` are its messages then.
//
// `plugin` names a variant too. Of one for dense matrices that was opened, "takes" says which
// matrices; null otherwise.
nlohmann::ordered_json describe_peer(PeerKind kind, const std::string& plugin, bool open,
                                     int device);

}  // namespace lufact
