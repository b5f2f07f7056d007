// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.hpp"
#include "gpu/batch/device_of_stage.hpp"
#include "gpu/batch/ours/kernel_choice.hpp"
#include "gpu/batch/ours/measure_candidates.hpp"
#include "gpu/batch/ours/ours_facts.hpp"
#include "gpu/batch/ours/ours_launch.hpp"
#include "gpu/batch/tuned_card.hpp"

namespace lufact::gpu {
namespace ours {
namespace {

enum class Kernels { thread, rows, all };

class OursStage final : public ArrayStage, public TunedStage {
 public:
  OursStage(const ArrayStageFacts& facts, Kernels kernels) : facts_(facts), kernels_(kernels) {}

  const ArrayStageFacts& facts() const noexcept override { return facts_; }

  std::unique_ptr<PreparedArrays> prepare(const ArrayProblem& problem,
                                          ArrayContext& context) const override {
    const std::string reason = refusal(facts_, problem);
    if (!reason.empty()) throw UsageError(reason);
    DeviceSession& session = device_of(context, facts_);
    if (context.options.swap) {
      throw UsageError(facts_.name + " does not take --swap: its rows stay where they are");
    }
    const KernelChoice choice = choose(problem, context);
    return std::make_unique<OursLaunch>(session, problem, choice.layout, choice.warps);
  }

  std::vector<TunedCandidate> measure_candidates(DeviceSession& session, BatchArrays& arrays,
                                                 int repetitions) const override {
    return ours::measure_candidates(session, arrays, allowed(arrays.problem()), repetitions);
  }

 private:
  bool may_use(const LaneLayout& layout) const {
    if (kernels_ == Kernels::all) return true;
    return layout.is_thread() == (kernels_ == Kernels::thread);
  }

  std::vector<LaneLayout> allowed(const ArrayProblem& problem) const {
    std::vector<LaneLayout> layouts = lane_layouts(problem.precision, problem.order());
    std::erase_if(layouts, [&](const LaneLayout& layout) { return !may_use(layout); });
    return layouts;
  }

  KernelChoice choose(const ArrayProblem& problem, ArrayContext& context) const {
    const std::vector<LaneLayout> layouts = allowed(problem);
    const std::string& file = context.options.tuning_file;
    std::optional<KernelChoice> measured =
        measured_choice(file.empty() ? built_in_tuning() : read_tuning(file), problem, layouts);
    if (!file.empty() && !measured) refuse_tuning(file, problem);
    KernelChoice choice = measured ? *measured : choice_by_rule(problem, layouts);
    if (measured) {
      warn_of_another_card(*context.device, facts_.name, choice.tuned_on, context.warnings);
    }
    if (context.options.matrices_per_block) {
      choice.warps = warps_for(choice.layout, *context.options.matrices_per_block);
    }
    note(choice, layouts, context);
    return choice;
  }

  int warps_for(const LaneLayout& layout, int matrices) const {
    if (const std::optional<int> warps = layout.warps(matrices)) return *warps;
    std::string accepted;
    for (int warps = 1; warps <= most_warps_per_block; ++warps) {
      accepted += fmt::format("{}{}", warps == 1 ? "" : ", ", warps * layout.matrices_per_warp());
    }
    throw UsageError(fmt::format("{} with {} does not take --matrices-per-block {}; accepted: {}",
                                 facts_.name, layout.name(), matrices, accepted));
  }

  void note(const KernelChoice& choice, const std::vector<LaneLayout>& layouts,
            ArrayContext& context) const {
    std::vector<std::string> candidates;
    for (const LaneLayout& layout : layouts) candidates.push_back(layout.name());
    context.choices.push_back(
        {.stage = facts_.name,
         .chosen = fmt::format("{}, {} matrices a block", choice.layout.name(),
                               choice.warps * choice.layout.matrices_per_warp()),
         .candidates = std::move(candidates),
         .reason = choice.reason});
  }

  const ArrayStageFacts& facts_;
  Kernels kernels_;
};

}  // namespace
}  // namespace ours

std::unique_ptr<ArrayStage> make_thread_array() {
  return std::make_unique<ours::OursStage>(thread_array_facts(), ours::Kernels::thread);
}
std::unique_ptr<ArrayStage> make_rows_array() {
  return std::make_unique<ours::OursStage>(rows_array_facts(), ours::Kernels::rows);
}
std::unique_ptr<ArrayStage> make_inverse_thread_array() {
  return std::make_unique<ours::OursStage>(inverse_thread_array_facts(), ours::Kernels::thread);
}
std::unique_ptr<ArrayStage> make_inverse_rows_array() {
  return std::make_unique<ours::OursStage>(inverse_rows_array_facts(), ours::Kernels::rows);
}
std::unique_ptr<ArrayStage> make_solve_array() {
  return std::make_unique<ours::OursStage>(solve_array_facts(), ours::Kernels::all);
}
std::unique_ptr<ArrayStage> make_fast_array() {
  return std::make_unique<ours::OursStage>(fast_array_facts(), ours::Kernels::all);
}

}  // namespace lufact::gpu
