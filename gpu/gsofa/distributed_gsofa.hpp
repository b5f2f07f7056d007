// SPDX-License-Identifier: BSD-3-Clause
// `gpu-gsofa` on several devices of one host (GSoFa section 5), on several ranks, and on a machine
// that is not there, whose slices run one after the other on one device. The pattern and its
// supernodes are the same as on one device. notes.distribution says who did what.
#pragma once
#include <memory>

#include "gpu/gsofa/gsofa_passes.hpp"
#include "gpu/runtime/device_team.hpp"

namespace lufact::gpu {

// The matrix is on the team's first device, and so is the result. Nothing waits for another device
// during the search. Sub-phases replicate, those of the first device's search, wait, supernodes,
// exchange. Throws what the lowest device threw that failed.
std::shared_ptr<DeviceColumnPattern> search_on_team(const DevicePermutedMatrix& matrix,
                                                    const DeviceTeam& team,
                                                    const GsofaLimits& limits,
                                                    StageContext& context);

// On the teams of several ranks, each with as many devices, in context.team and context.ranks. The
// matrix is on the first device of rank 0, and so is the result; counts and rows come there by the
// exchange that the teams were told of, the first rows of supernodes in messages. Every rank
// searches chunks of its own, so that no supernode is on two. Sub-phases as above; `wait` is for
// other ranks too. On rank 0; the others assist. Throws what the lowest rank threw that failed.
std::shared_ptr<DeviceColumnPattern> search_on_ranks(const DevicePermutedMatrix& matrix,
                                                     const GsofaLimits& limits,
                                                     StageContext& context);
void assist_search_on_ranks(const GsofaLimits& limits, StageContext& context);

// On options.gsofa.simulated: the schedule is the real one, every slice is timed alone, rows go
// through the host. simulated_s is the slowest slice with its supernodes, and the exchange: the
// bytes that would leave their device at the rate at which they came back from the host.
std::shared_ptr<DeviceColumnPattern> search_simulated(const DevicePermutedMatrix& matrix,
                                                      const GsofaLimits& limits,
                                                      StageContext& context);

}  // namespace lufact::gpu
