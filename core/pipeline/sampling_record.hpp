// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <optional>
#include <string>

namespace lufact {

// How many repetitions were to be taken, and what ended them. Percentages are of the median total.
struct SamplingRecord {
  int repetitions = 0;                      // taken always
  std::optional<int> max_repetitions;       // empty: the number is fixed
  std::optional<double> min_time_s;         // that the totals are to add up to
  std::optional<double> max_noise_percent;  // of relative_noise() in core/measure/noise.hpp
  // "count": the fixed number; "goal": time and noise were reached; "max_repetitions"; "timeout":
  // another repetition might have passed --timeout. Empty where the run did not come to its end.
  std::optional<std::string> ended_by;
  std::optional<double> spread_percent, noise_percent;  // as it came out
  // Repetitions before turns that were not recorded: VariantProcess::take_turn().
  int turn_warmups = 0;
};

}  // namespace lufact
