// SPDX-License-Identifier: BSD-3-Clause
// Foreign libraries that run as programs that lufact has for them, such as SuperLU_DIST, whose
// parallel symbolic step needs MPI.
#pragma once
#include <string>

#include "app/config/peer_names.hpp"
#include "app/config/run_config.hpp"

namespace lufact {

// What there is of a peer on this machine: a program's own word, or a plug-in's, which a process of
// its own opens on `device`.
PeerFinding find_peer(PeerKind kind, const std::string& peer, int device);

// What the program `peer` is given: the matched matrix in its own order where it orders by itself.
RunConfig program_config(const std::string& peer, RunConfig config);

// The command that ExternalRun runs for it; its ordering goes to `order_file`, where it finds one.
// Throws Error{unsupported, "peer_unavailable"} with what to do where the program, a library of it
// or a launcher is missing.
std::string program_command(const std::string& peer, const RunConfig& config,
                            const std::string& order_file);

}  // namespace lufact
