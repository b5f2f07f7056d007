// SPDX-License-Identifier: BSD-3-Clause
// The short table for people.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "core/pipeline/record.hpp"

namespace lufact {

// "1.23 ms": three significant digits with the unit s, ms, us or ns that fits.
std::string format_seconds(double seconds);

// What a run is called among those of its input: its variant, by the name that a sweep gives it.
std::string run_label(const RunRecord& run);

// One block per input, in the order of first occurrence: a column per run, rows for the median and
// the quartiles of every phase (in the order of `counted_phases`) and the total, then what came
// out, then the verdict with the messages of runs that are not ok below. Rows that no run fills are
// left out. Where the columns pass `width`, the block is split. Plain ASCII but for names as given;
// ends with a newline unless there are no runs.
std::string phase_table(std::span<const RunRecord> runs,
                        std::span<const std::string_view> counted_phases, std::size_t width = 100);

}  // namespace lufact
