// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "core/base/error.hpp"
#include "gpu/batch/tuning.hpp"

namespace lufact::gpu {

std::vector<TunedCandidate> tune_batch(DeviceSession& session, const ArrayStage& stage,
                                       BatchArrays& arrays, int repetitions) {
  const auto* const tuned = dynamic_cast<const TunedStage*>(&stage);
  if (tuned == nullptr || !stage.facts().chooses_by_measurements) {
    throw UsageError(stage.facts().name + " does not choose by measurements");
  }
  std::vector<TunedCandidate> candidates = tuned->measure_candidates(session, arrays, repetitions);
  std::ranges::sort(candidates, {}, &TunedCandidate::median_s);
  return candidates;
}

}  // namespace lufact::gpu
