// SPDX-License-Identifier: BSD-3-Clause
// When a run has repetitions enough: after a fixed number of them, or where time and noise were
// asked for, once both are reached.
#pragma once
#include <optional>
#include <span>
#include <string>

#include "app/workload/variant_plan.hpp"
#include "core/pipeline/record.hpp"

namespace lufact {

// The section as it is before the first repetition.
SamplingRecord begin_sampling(const Measuring& measuring);

// Repetitions of a run that are over: how many, those that gave times, and what they and the
// opening have used up of --timeout.
struct Taken {
  int count = 0;
  std::span<const Sample> samples;
  double used_s = 0;
};

// Whether the totals add up to the time and are within the noise that were asked for, so that one
// more repetition is the last one: a run must be told which one is, since it describes what that
// one made. Always of a fixed number.
bool is_settled(const Measuring& measuring, const Taken& taken);

// Why the next repetition is the last one (SamplingRecord::ended_by); empty: it is not. Runs that
// take turns are settled together, where `all_settled`.
std::optional<std::string> last_because(const Measuring& measuring, const Taken& taken,
                                        bool all_settled);

}  // namespace lufact
