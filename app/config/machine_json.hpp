// SPDX-License-Identifier: BSD-3-Clause
// The facts of a machine as JSON, as a worker sends them and `doctor --json` prints them.
#pragma once
#include <nlohmann/json.hpp>

#include "core/base/machine.hpp"

namespace lufact {

// Asks the device module; touches CUDA where it is compiled in.
Machine query_machine(int device);

nlohmann::ordered_json machine_to_json(const Machine& machine);
Machine machine_from_json(const nlohmann::json& json);

// Asks a process of its own, so that this one never touches CUDA and a driver that crashes or hangs
// costs an answer only.
Machine query_machine_in_child(int device);

// --threads: 0 is OMP_NUM_THREADS, or else every processor that this process may use.
int effective_threads(int wanted);
// The same for a run on a device, which leaves one of four or more processors to the driver's
// threads unless --threads or OMP_NUM_THREADS says otherwise: a team that fills every processor
// waits wherever another thread is scheduled.
int threads_beside_device(int wanted);

}  // namespace lufact
