// SPDX-License-Identifier: BSD-3-Clause
// The worker's side of `--peer`: opens a plug-in or an external program and runs it.
#pragma once
#include <memory>
#include <nlohmann/json.hpp>

#include "app/peers/worker_run.hpp"

namespace lufact {

// For a request {"command": "open", "config", "peer", "matrix", ...}.
std::unique_ptr<WorkerRun> make_peer_worker(const nlohmann::json& request);

// The answer to {"command": "peer", "plugin", "open", "device"}: {"type": "peer", "loaded",
// "description", "library", "version", "on_device", "variants", "reason"}. `reason` is null where
// nothing is in the way. With `open`, the solver itself is opened too.
nlohmann::ordered_json describe_peer(const std::string& plugin, bool open, int device);

}  // namespace lufact
