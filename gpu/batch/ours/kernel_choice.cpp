// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/batch/ours/kernel_choice.hpp"

#include <algorithm>

#include "core/base/error.hpp"

namespace lufact::gpu::ours {
namespace {

constexpr auto lu = ArrayOperation::lu, inverse = ArrayOperation::inverse,
               solve = ArrayOperation::solve;
constexpr auto f32 = Precision::float32, f64 = Precision::float64;
constexpr auto contiguous = ArrayLayout::contiguous, interleaved = ArrayLayout::interleaved,
               pointers = ArrayLayout::pointers;
#include "gpu/batch/ours/tuning_table.inc"

bool is_of(const TunedCandidate& candidate, const ArrayProblem& problem) {
  return candidate.operation == problem.operation && candidate.precision == problem.precision &&
         candidate.layout == problem.layout && candidate.n == problem.order();
}

const LaneLayout* find(const std::vector<LaneLayout>& allowed, const std::string& name) {
  const auto found = std::ranges::find(allowed, name, &LaneLayout::name);
  return found == allowed.end() ? nullptr : &*found;
}

// A matrix a thread wins where it leaves registers for many warps, or where only it has
// neighbouring lanes read neighbouring entries.
bool prefers_thread(const ArrayProblem& problem) {
  const Index n = problem.order();
  if (problem.layout == interleaved) return true;
  return problem.precision == f64 ? n <= 4 : n <= 5;
}

}  // namespace

std::optional<KernelChoice> measured_choice(const BatchTuning& tuning, const ArrayProblem& problem,
                                          const std::vector<LaneLayout>& allowed) {
  const TunedCandidate* best = nullptr;
  for (const TunedCandidate& candidate : tuning.candidates) {
    if (!is_of(candidate, problem) || find(allowed, candidate.kernel) == nullptr) continue;
    // Candidates may have been measured with other numbers of matrices.
    const auto time = [](const TunedCandidate& c) {
      return c.median_s / static_cast<double>(c.count);
    };
    if (best == nullptr || time(candidate) < time(*best)) best = &candidate;
  }
  if (best == nullptr) return std::nullopt;
  const LaneLayout& layout = *find(allowed, best->kernel);
  const int warps = std::max(1, best->matrices_per_block / layout.matrices_per_warp());
  return KernelChoice{layout, warps, "measured on " + tuning.device, tuning.device};
}

const BatchTuning& built_in_tuning() {
  return table;
}

KernelChoice choice_by_rule(const ArrayProblem& problem, const std::vector<LaneLayout>& allowed) {
  if (allowed.empty()) throw Error(Outcome::error, "no_batch_kernel", "no kernel to choose from");
  // Most rows a lane first: fewer lanes search, and fewer read each pivot row.
  const bool thread = prefers_thread(problem);
  const auto better = [thread](const LaneLayout& a, const LaneLayout& b) {
    if (a.is_thread() != b.is_thread()) return a.is_thread() == thread;
    return a.lanes < b.lanes;
  };
  return {*std::ranges::min_element(allowed, better), 2, "by rule: not measured", {}};
}

}  // namespace lufact::gpu::ours
