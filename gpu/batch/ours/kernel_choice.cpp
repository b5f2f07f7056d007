// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/batch/ours/kernel_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "core/base/error.hpp"

namespace lufact::gpu::ours {
namespace {

// The names of the table's fields.
[[maybe_unused]] constexpr auto lu = ArrayOperation::lu, inverse = ArrayOperation::inverse,
                                solve = ArrayOperation::solve;
[[maybe_unused]] constexpr auto f32 = Precision::float32, f64 = Precision::float64;
[[maybe_unused]] constexpr auto contiguous = ArrayLayout::contiguous,
                                interleaved = ArrayLayout::interleaved,
                                pointers = ArrayLayout::pointers;
#include "gpu/batch/ours/tuning_table.inc"

const LaneLayout* find(const std::vector<LaneLayout>& allowed, const std::string& name) {
  const auto found = std::ranges::find(allowed, name, &LaneLayout::name);
  return found == allowed.end() ? nullptr : &*found;
}

// Lanes of a matrix that were best at the orders of first measurements on an H200 (LU and inverse,
// 4, 8, 12, 16, 17, 20, 24, 28, 32, contiguous): few lanes share the search and the pivot rows with
// few others, until their registers leave too few warps. 1: a matrix a thread; also where
// neighbouring lanes are to read neighbouring entries.
int preferred_lanes(const ArrayProblem& problem) {
  const Index n = problem.order();
  const bool is_double = problem.precision == f64;
  if (n <= (is_double ? 4 : 5) || problem.layout == interleaved) return 1;
  if (n <= 12 || n == 17 || (!is_double && n <= 16)) return 4;
  if (n <= 24) return 8;
  if (is_double) return 32;
  return n <= 48 ? 16 : 32;
}

}  // namespace

std::optional<KernelChoice> measured_choice(const BatchTuning& tuning, const ArrayProblem& problem,
                                            const std::vector<LaneLayout>& allowed) {
  const TunedCandidate* const best = best_candidate(
      tuning, problem, [&](const std::string& kernel) { return find(allowed, kernel) != nullptr; });
  if (best == nullptr) return std::nullopt;
  const LaneLayout& layout = *find(allowed, best->kernel);
  const std::optional<int> warps = layout.warps(best->matrices_per_block);
  if (!warps) {
    throw Error(Outcome::error, "bad_tuning",
                fmt::format("the measurements have {} with {} matrices a block, which it cannot "
                            "have; measure anew with --tune",
                            best->kernel, best->matrices_per_block));
  }
  return KernelChoice{layout, *warps, "measured on " + tuning.device, tuning.device};
}

const BatchTuning& built_in_tuning() {
  return table;
}

KernelChoice choice_by_rule(const ArrayProblem& problem, const std::vector<LaneLayout>& allowed) {
  if (allowed.empty()) throw Error(Outcome::error, "no_batch_kernel", "no kernel to choose from");
  const int preferred = preferred_lanes(problem);
  const auto distance = [preferred](const LaneLayout& layout) {
    return std::abs(layout.lanes - preferred);
  };
  return {*std::ranges::min_element(allowed, {}, distance), 2, "by rule: not measured", {}};
}

}  // namespace lufact::gpu::ours
