// SPDX-License-Identifier: BSD-3-Clause
// Which kernel runs a problem, and how many warps a block has: by a tuning file, by the built-in
// table, else by rule.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "gpu/batch/ours/lane_layouts.hpp"
#include "gpu/batch/tuning.hpp"

namespace lufact::gpu::ours {

struct KernelChoice {
  LaneLayout layout;
  int warps = 1;              // of a block
  std::string reason;         // where it is from
  std::string tuned_on = {};  // the card that was measured; empty: chosen by rule
};

// The best candidate of `tuning` among `allowed` for the operation, precision and layout of the
// problem at its order; empty where it has none. Throws Error{error, "bad_tuning"} where a block
// cannot have the number of matrices that it gives.
std::optional<KernelChoice> measured_choice(const BatchTuning& tuning, const ArrayProblem& problem,
                                            const std::vector<LaneLayout>& allowed);
// What scripts/batch_table made of the committed measurements.
const BatchTuning& built_in_tuning();
// Where nothing was measured: see the source.
KernelChoice choice_by_rule(const ArrayProblem& problem, const std::vector<LaneLayout>& allowed);

}  // namespace lufact::gpu::ours
