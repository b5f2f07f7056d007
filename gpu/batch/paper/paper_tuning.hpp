// SPDX-License-Identifier: BSD-3-Clause
// Matrices a block of the tuned steps, as measured: BATCH's nF_TB. scripts/paper_tuning makes the
// table from records.
#pragma once
#include <optional>
#include <string_view>

#include "core/base/types.hpp"

namespace lufact::gpu::paper {

inline constexpr int most_matrices_per_block = 16;  // "after this range, there is no gain"

// Empty where it was not measured.
std::optional<int> tuned_matrices_per_block(std::string_view step, Precision precision, Index n);
// The card that it was measured on; empty where nothing was.
std::string_view tuned_on();

}  // namespace lufact::gpu::paper
