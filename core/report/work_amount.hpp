// SPDX-License-Identifier: BSD-3-Clause
// How much a run does with its input: what times may be set against each other.
#pragma once
#include <compare>
#include <string>

#include "core/pipeline/record.hpp"

namespace lufact {

// Of a sample. Runs on one input whose amounts differ are not compared, neither one by one nor in
// means: their times are not those of the same work.
struct WorkAmount {
  Offset systems = 1;                  // with the input's pattern, factored and solved together
  std::string right_hand_sides = "1";  // of each, as the options have it
  auto operator<=>(const WorkAmount&) const = default;
};

// `asked`: that of the options of the invocation, for a run that was not part of a sweep. Batches
// and dense matrices have theirs in their input's reading.
WorkAmount work_amount(const RunRecord& run, const WorkAmount& asked = {});

// "64 systems", "1 system, 4 right-hand sides".
std::string to_string(const WorkAmount& amount);

// What a run is called where others stand beside it: "fast", "fast (64 systems)".
std::string work_label(const RunRecord& run, const WorkAmount& asked = {});

}  // namespace lufact
