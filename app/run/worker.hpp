// SPDX-License-Identifier: BSD-3-Clause
// The worker process: runs one variant on one matrix, one turn at a time, on request of the
// supervisor. Requests are JSON lines on standard input, answers JSON lines on descriptor 3:
//   {"command": "machine", "device": 0}             -> {"type": "machine", ...}
//   {"command": "peer", "plugin", "open", "device"} -> {"type": "peer", ...} (peer_worker.hpp)
//   {"command": "open", "config", "mode", "matrix"} -> {"type": "opened", "setup", "matrix"};
//                                                      "peer" beside "mode" names a foreign solver
//   {"command": "sample", "repetition", "last"}     -> {"type": "sample"}, and for the last turn
//                                                      {"type": "refactor_sample"} each,
//                                                      {"type": "record"}
//   {"command": "count_page_faults"}                -> {"type": "unified_memory", "record"}; the
//                                                      variant must be opened with
//                                                      "count_page_faults": true
// Every request ends with {"type": "done"}, or with {"type": "failed", "outcome", "code",
// "message", "phase", "record"}, after which the worker is of no more use.
#pragma once

namespace lufact {

// Serves requests until standard input closes. Returns the exit status.
int run_worker();

}  // namespace lufact
