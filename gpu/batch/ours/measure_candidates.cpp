// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/batch/ours/measure_candidates.hpp"

#include "gpu/batch/launch_seconds.hpp"
#include "gpu/batch/ours/ours_launch.hpp"

namespace lufact::gpu::ours {

std::vector<TunedCandidate> measure_candidates(DeviceSession& session, BatchArrays& arrays,
                                               const std::vector<LaneLayout>& layouts,
                                               int repetitions) {
  const ArrayProblem& problem = arrays.problem();
  std::vector<TunedCandidate> candidates;
  for (const LaneLayout& layout : layouts) {
    int last = 0;
    for (const int warps : {1, 2, most_warps_per_block}) {
      OursLaunch launch(session, problem, layout, warps);
      if (launch.matrices_per_block() == last) continue;  // no room for more
      last = launch.matrices_per_block();
      TunedCandidate& candidate =
          candidates.emplace_back(candidate_of(problem, layout.name(), last));
      candidate.median_s = median_launch_seconds(session, arrays, launch, repetitions);
    }
  }
  return candidates;
}

}  // namespace lufact::gpu::ours
