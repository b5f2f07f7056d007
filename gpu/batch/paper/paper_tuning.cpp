// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/batch/paper/paper_tuning.hpp"

#include <algorithm>
#include <vector>

#include "gpu/batch/tuning.hpp"

namespace lufact::gpu::paper {
namespace {

struct Entry {
  std::string_view step;
  Precision precision;
  Index n;
  int matrices_per_block;
};
#include "gpu/batch/paper/paper_tuning.inc"

}  // namespace

std::optional<TunedBlocks> tuned_blocks(std::string_view step, const ArrayProblem& problem) {
  const auto found = std::ranges::find_if(table, [&](const Entry& entry) {
    return entry.step == step && entry.precision == problem.precision && entry.n == problem.order();
  });
  if (found == table.end()) return std::nullopt;
  return TunedBlocks{found->matrices_per_block, std::string(card)};
}

TunedBlocks tuned_blocks_in(const std::string& file, std::string_view step,
                            const ArrayProblem& problem) {
  const BatchTuning tuning = read_tuning(file);
  const TunedCandidate* const best =
      best_candidate(tuning, problem, [&](const std::string& kernel) { return kernel == step; });
  if (best == nullptr) refuse_tuning(file, problem);
  return {best->matrices_per_block, tuning.device};
}

}  // namespace lufact::gpu::paper
