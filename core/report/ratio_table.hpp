// SPDX-License-Identifier: BSD-3-Clause
// Who is faster in total, for people.
#pragma once
#include <span>
#include <string>

#include "core/report/comparisons.hpp"

namespace lufact {

// A line for each comparison of totals, "grid  klu / cpu  0.52 [0.50, 0.55] slower": how many times
// as fast as the second the first is, with the interval where there are enough samples. Empty
// without comparisons.
std::string ratio_table(std::span<const RunRecord> runs, std::span<const Comparison> comparisons);

}  // namespace lufact
