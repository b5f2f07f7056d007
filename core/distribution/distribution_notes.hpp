// SPDX-License-Identifier: BSD-3-Clause
// The notes of a search from those of its slices. Without CUDA.
#pragma once
#include <span>

#include "core/pipeline/stage.hpp"

namespace lufact {

// What is known before the search: the machine, and how rows are dealt.
DistributionNotes begin_distribution(const GsofaOptions& options, const GsofaMachine& machine);

// Counts are sums, shares and bytes those of the device with most sources in flight, the profile
// that of all. Chunk sizes stand device by device. Every slice must have its gsofa section.
void combine_gsofa_notes(std::span<const StageNotes* const> slices, StageNotes& notes);

// Fills in imbalance, and with side_by_side wait_s of every slice.
void compare_slices(DistributionNotes& distribution, bool side_by_side);

}  // namespace lufact
