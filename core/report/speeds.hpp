// SPDX-License-Identifier: BSD-3-Clause
// Who is how many times as fast, in words.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "core/pipeline/record.hpp"
#include "core/report/tables.hpp"

namespace lufact {

// For every pair of compare_runs() that was verified, in total and in refactorizations: "total
// fast-cpu is 7.0 times as fast as glu3-cpu  [1.2, 11]", with the 95% interval, the faster one
// first; of refactorizations the phases behind it; runs of other work are named with it. Then those
// of compare_systems(): "each system fast (64 systems) is 15 times as fast as fast (1 system)".
// `runs` are those of one input.
std::vector<Line> speed_lines(std::span<const RunRecord> runs, std::uint64_t seed);

// The same over several inputs: "total  fast is 6.8 times as fast as cudss  over 33 inputs  [2.3 to
// 13]", pairs by name and amount of work: the geometric mean of the ratios of medians, the least
// and the largest. Pairs that have less than two inputs in common are left out.
std::vector<Line> speed_means(std::span<const RunRecord> runs, std::uint64_t seed);

// Of positive numbers; `values` is not empty.
double geometric_mean(std::span<const double> values);

}  // namespace lufact
