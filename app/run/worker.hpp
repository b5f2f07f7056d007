// SPDX-License-Identifier: BSD-3-Clause
// The worker process: runs one variant on one input, one turn at a time, on request of the
// supervisor. Requests are JSON lines on standard input, answers JSON lines on descriptor 3:
//   {"command": "machine", "device": 0}             -> {"type": "machine", ...}
//   {"command": "peer", "plugin", "open", "device"} -> {"type": "peer", ...} (peer_description.hpp)
//   {"command": "open", "workload", "variant", "refactor", "input", "folder", "count_page_faults",
//    "count_sources"}                               -> {"type": "opened", "setup", "record"}, the
//                                                      record with what is known of the input
//   {"command": "sample", "repetition", "last"}     -> {"type": "sample"}, and for the last turn
//                                                      {"type": "refactor_sample"} each,
//                                                      {"type": "record"}, judged
//   {"command": "count_page_faults"}                -> {"type": "counted", "record"}; the variant
//                                                      must be opened with
//                                                      "count_page_faults": true
//   {"command": "count_device_memory"}              -> {"type": "counted", "record"}, null for a
//                                                      variant that uses no device
//   {"command": "count_sources"}                    -> {"type": "counted", "record"}; opened with
//                                                      "count_sources": true
// On descriptor 4 it has a board (core/measure/phase_board.hpp) on which it shows its phases.
// Every request ends with {"type": "done"}, or with {"type": "failed", "outcome", "code",
// "message", "phase", "record"}, after which the worker is of no more use.
#pragma once
#include "app/run/answer_stream.hpp"
#include "app/run/rank_commands.hpp"
#include "app/workload/workload.hpp"

namespace lufact {

// Serves requests until standard input closes. Returns the exit status.
int run_worker(const Workloads& workloads);

// The same for the first of several ranks, which the others serve; "open" has "ranks" then
// (messages.hpp). Where a request fails, the others may be at any place, and all end at once.
void serve_as_first_rank(const Workloads& workloads, RankLink& ranks, const AnswerStream& answers,
                         const HostLimit& limit);

}  // namespace lufact
