// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/batch/paper/paper_launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/error.hpp"
#include "gpu/batch/device_of_stage.hpp"
#include "gpu/batch/paper/inverse_tile.hpp"
#include "gpu/batch/paper/paper_tuning.hpp"
#include "gpu/batch/tuned_card.hpp"

namespace lufact::gpu::paper {
namespace {

SwapRule swap_of(const PaperStep& step, const ArrayOptions& options) {
  const SwapRule swap = options.swap.value_or(step.swap);
  if (swap != step.swap && step.kernel_of_other_swap.empty()) {
    throw UsageError(fmt::format("{} does not take --swap {}; accepted: {}", step.facts.name,
                                 to_string(swap), to_string(step.swap)));
  }
  return swap;
}

void refuse_tuning_file(const PaperStep& step, const ArrayOptions& options) {
  if (options.tuning_file.empty() || step.facts.chooses_by_measurements) return;
  throw UsageError(step.facts.name + " does not take --tuning: it has one matrix a block");
}

}  // namespace

PaperLaunch::PaperLaunch(const PaperStep& step, const ArrayProblem& problem, ArrayContext& context)
    : step_(step),
      session_(device_of(context, step.facts)),
      n_(problem.order()),
      swap_(swap_of(step, context.options)) {
  refuse_tuning_file(step, context.options);
  load_kernels(problem);
  choose_matrices(problem, context);
}

void PaperLaunch::load_kernels(const ArrayProblem& problem) {
  const KernelModule module(session_, "paper", problem.precision, n_);
  const int real_bytes = problem.precision == Precision::float64 ? 8 : 4;
  for (const PaperKernel& kernel : step_.kernels) {
    const std::string& name = swap_ == step_.swap ? kernel.name : step_.kernel_of_other_swap;
    const int tile_bytes = kernel.uses_tile ? inverse_tile_bytes(n_, real_bytes) : 0;
    kernels_.push_back({module.kernel(name), static_cast<std::size_t>(tile_bytes)});
  }
}

dim3 PaperLaunch::threads(int matrices) const {
  const auto n = static_cast<unsigned>(n_);
  switch (step_.shape) {
    case BlockShape::rows_of_lanes:
      break;
    case BlockShape::row_a_thread:
      return {n, 1, 1};
    case BlockShape::entry_a_thread:
      return {n, n, 1};
  }
  return {static_cast<unsigned>(butterfly_width(n_)), static_cast<unsigned>(matrices), 1};
}

int PaperLaunch::thread_count(int matrices) const {
  const dim3 block = threads(matrices);
  return static_cast<int>(block.x * block.y);
}

int PaperLaunch::resident_matrices(int matrices) const {
  const int count = thread_count(matrices);
  int fewest = 0;
  for (const Kernel& each : kernels_) {
    if (count > each.kernel.attributes().max_threads) return 0;
    const std::size_t shared = each.tile_bytes * static_cast<std::size_t>(matrices);
    const int resident = matrices * each.kernel.resident_blocks(count, shared);
    fewest = &each == kernels_.data() ? resident : std::min(fewest, resident);
  }
  return fewest;
}

void PaperLaunch::choose_by_occupancy() {
  int most = 0;
  for (int matrices = 1; matrices <= most_matrices_per_block; ++matrices) {
    const int resident = resident_matrices(matrices);
    if (resident <= most) continue;
    most = resident;
    matrices_ = matrices;
  }
}

void PaperLaunch::choose_matrices(const ArrayProblem& problem, ArrayContext& context) {
  const std::string& name = step_.facts.name;
  const auto asked = context.options.matrices_per_block;
  if (asked) {
    const int most = step_.facts.chooses_by_measurements ? most_matrices_per_block : 1;
    if (*asked < 1 || *asked > most) {
      throw UsageError(fmt::format("{} does not take --matrices-per-block {}; accepted: {}", name,
                                   *asked, most == 1 ? "1" : fmt::format("1 to {}", most)));
    }
    matrices_ = *asked;
    if (resident_matrices(matrices_) == 0) {
      throw Error(Outcome::unsupported, block_too_large,
                  fmt::format("{} cannot have {} matrices of order {} a block on this device, for "
                              "want of registers or shared memory; pass a smaller "
                              "--matrices-per-block",
                              name, matrices_, n_));
    }
    return;
  }
  if (!step_.facts.chooses_by_measurements) return;
  const std::string& file = context.options.tuning_file;
  const std::optional<TunedBlocks> tuned =
      file.empty() ? tuned_blocks(name, problem) : tuned_blocks_in(file, name, problem);
  if (tuned) {
    matrices_ = tuned->matrices;
    warn_of_another_card(session_, name, tuned->card, context.warnings);
  }
  const bool fits = tuned && resident_matrices(matrices_) > 0;
  if (!fits) choose_by_occupancy();
  context.choices.push_back({.stage = name,
                             .chosen = fmt::format("{} matrices a block", matrices_),
                             .candidates = {},
                             .reason = fits ? "measured on " + tuned->card
                                            : "the most matrices on a multiprocessor at once"});
}

void PaperLaunch::run(std::size_t index, const BatchKernelArguments& arguments) const {
  const Kernel& each = kernels_[index];
  const Offset blocks = (arguments.count + matrices_ - 1) / matrices_;
  each.kernel.launch(session_, blocks, threads(matrices_),
                     each.tile_bytes * static_cast<std::size_t>(matrices_), arguments);
}

// Of several launches: the most registers and shared memory, the fewest warps.
ArrayLaunchFacts PaperLaunch::facts() const {
  ArrayLaunchFacts facts;
  facts.matrices_per_block = matrices_;
  facts.lanes = thread_count(matrices_) / matrices_;
  if (step_.shape != BlockShape::entry_a_thread) facts.rows_per_lane = 1;
  facts.swap = to_string(swap_);
  for (const Kernel& each : kernels_) {
    const std::size_t dynamic = each.tile_bytes * static_cast<std::size_t>(matrices_);
    const auto& attributes = each.kernel.attributes();
    const auto shared = static_cast<Offset>(attributes.static_shared_bytes + dynamic);
    const Offset warps = each.kernel.resident_warps(thread_count(matrices_), dynamic);
    facts.registers = std::max(facts.registers.value_or(0), attributes.registers);
    facts.shared_bytes = std::max(facts.shared_bytes.value_or(0), shared);
    facts.resident_warps = std::min(facts.resident_warps.value_or(warps), warps);
  }
  facts.settings["launches"] = std::to_string(kernels_.size());
  return facts;
}

}  // namespace lufact::gpu::paper
