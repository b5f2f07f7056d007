// SPDX-License-Identifier: BSD-3-Clause
// Figures of the section on GSoFa that follow from the samples of a run.
#pragma once
#include <optional>

#include "core/pipeline/record.hpp"

namespace lufact {

// The section of `run` with edges_per_s, edges_checked over the median of symbolic/search, and
// reinitialise_s, the median of symbolic/reinitialise; a run without these phases has neither.
std::optional<GsofaNotes> gsofa_with_figures(const RunRecord& run);

}  // namespace lufact
