// SPDX-License-Identifier: BSD-3-Clause
// Matrices a block of the tuned steps, as measured: BATCH's nF_TB. scripts/batch_table makes the
// built-in table of what --tune wrote.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "core/array/array_problem.hpp"
#include "core/base/types.hpp"

namespace lufact::gpu::paper {

inline constexpr int most_matrices_per_block = 16;  // "after this range, there is no gain"

struct TunedBlocks {
  int matrices = 1;
  std::string card;  // that was measured
};

// By the built-in table; empty where it was not measured.
std::optional<TunedBlocks> tuned_blocks(std::string_view step, const ArrayProblem& problem);
// By the file. Throws UsageError where it was not measured, Error{error, "bad_tuning"}.
TunedBlocks tuned_blocks_in(const std::string& file, std::string_view step,
                            const ArrayProblem& problem);

}  // namespace lufact::gpu::paper
