// SPDX-License-Identifier: BSD-3-Clause
// Numbers as people read them.
#pragma once
#include <span>
#include <string>

#include "core/pipeline/record.hpp"

namespace lufact {

// "1.23 ms": three significant digits with the unit s, ms, us or ns that fits.
std::string format_seconds(double seconds);

// "1.23 ms [1.20..1.31]": median and quartiles in the unit of the median; the median alone of one
// sample. `seconds` is not empty.
std::string format_spread(std::span<const double> seconds);

// "4.2 s", "42 s", "14 min", "3.5 h": how long something is going to take.
std::string format_duration(double seconds);

// How many times as fast: two significant digits, three near 1: "0.85", "1.04", "1.2", "7.0",
// "120".
std::string format_times(double ratio);

// "27%".
std::string format_percent(double share);

// What a run is called among those of its input: its variant, by the name that a sweep gives it.
std::string run_label(const RunRecord& run);

// "ooc, um and glu3".
std::string joined_names(std::span<const std::string> names);

}  // namespace lufact
