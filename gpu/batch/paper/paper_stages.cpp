// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/batch/paper/paper_stages.hpp"

#include "core/base/error.hpp"
#include "gpu/batch/launch_seconds.hpp"
#include "gpu/batch/paper/kernel_flags.hpp"
#include "gpu/batch/paper/paper_launch.hpp"
#include "gpu/batch/paper/paper_tuning.hpp"
#include "gpu/batch/tuning.hpp"
#include "gpu/runtime/buffer.hpp"

namespace lufact::gpu {
namespace paper {
namespace {

class OneLaunch final : public PreparedArrays {
 public:
  OneLaunch(const PaperStep& step, const ArrayProblem& problem, ArrayContext& context)
      : problem_(problem), launch_(step, problem, context) {}
  void run(const ArrayOperands& operands, Offset count) override {
    launch_.run(0, kernel_arguments(problem_, operands, count));
  }
  ArrayLaunchFacts launch() const override { return launch_.facts(); }

 private:
  ArrayProblem problem_;
  PaperLaunch launch_;
};

// LU of A into workspace, so that A stays as it is where the inverse goes elsewhere and may be
// overwritten where it does not; then the interchanges of I and both solves in the result.
class FourLaunches final : public PreparedArrays {
 public:
  FourLaunches(const PaperStep& step, const ArrayProblem& problem, ArrayContext& context)
      : problem_(problem),
        launch_(step, problem, context),
        factors_(*context.device, MemoryRole::scratch, factor_bytes(problem),
                 "the factors of an inversion by kernels"),
        pivots_(*context.device, MemoryRole::scratch, problem.count * problem.order(),
                "the pivots of an inversion by kernels") {}

  void run(const ArrayOperands& operands, Offset count) override {
    ArrayOperands factorization = operands;
    factorization.result = factors_.data();
    if (operands.pivots == nullptr) factorization.pivots = pivots_.data();
    launch_.run(0, kernel_arguments(problem_, factorization, count, packed_result));
    ArrayOperands inversion = factorization;
    inversion.a = factors_.data();
    inversion.result = operands.result;
    for (const std::size_t kernel : {1, 2, 3}) {
      launch_.run(kernel, kernel_arguments(problem_, inversion, count, packed_a));
    }
  }
  ArrayLaunchFacts launch() const override { return launch_.facts(); }

 private:
  static Offset factor_bytes(const ArrayProblem& problem) {
    const auto matrix = static_cast<std::size_t>(problem.order()) *
                        static_cast<std::size_t>(problem.order()) *
                        (problem.precision == Precision::float64 ? 8U : 4U);
    return static_cast<Offset>(checked_bytes(problem.count, matrix));
  }

  ArrayProblem problem_;
  PaperLaunch launch_;
  Buffer<std::byte> factors_;
  Buffer<std::int32_t> pivots_;
};

class PaperStage final : public ArrayStage, public TunedStage {
 public:
  explicit PaperStage(const PaperStep& step) : step_(step) {}
  const ArrayStageFacts& facts() const noexcept override { return step_.facts; }
  std::unique_ptr<PreparedArrays> prepare(const ArrayProblem& problem,
                                          ArrayContext& context) const override {
    const std::string reason = refusal(step_.facts, problem);
    if (!reason.empty()) throw UsageError(reason);
    if (problem.rows != problem.columns) {
      throw UsageError(step_.facts.name + " takes square matrices only");
    }
    if (step_.kernels.size() == 1) return std::make_unique<OneLaunch>(step_, problem, context);
    return std::make_unique<FourLaunches>(step_, problem, context);
  }

  // Every number of matrices a block that the device takes.
  std::vector<TunedCandidate> measure_candidates(DeviceSession& session, BatchArrays& arrays,
                                                 int repetitions) const override {
    const ArrayProblem& problem = arrays.problem();
    std::vector<TunedCandidate> candidates;
    for (int matrices = 1; matrices <= most_matrices_per_block; ++matrices) {
      const std::unique_ptr<PreparedArrays> work = with_block(session, problem, matrices);
      if (!work) break;  // more take more
      TunedCandidate& candidate =
          candidates.emplace_back(candidate_of(problem, step_.facts.name, matrices));
      candidate.median_s = median_launch_seconds(session, arrays, *work, repetitions);
    }
    return candidates;
  }

 private:
  // Null where the device has not the room.
  std::unique_ptr<PreparedArrays> with_block(DeviceSession& session, const ArrayProblem& problem,
                                             int matrices) const {
    ArrayOptions options;
    options.matrices_per_block = matrices;
    std::vector<Choice> choices;
    std::vector<Warning> warnings;
    ArrayContext context{options, choices, warnings, &session};
    try {
      return prepare(problem, context);
    } catch (const Error& error) {
      if (error.code() != block_too_large) throw;
      return nullptr;
    }
  }

  const PaperStep& step_;
};

std::unique_ptr<ArrayStage> make_stage(std::string_view name) {
  return std::make_unique<PaperStage>(paper_step(name));
}

}  // namespace
}  // namespace paper

std::unique_ptr<ArrayStage> make_shared_2d_array() {
  return paper::make_stage("shared-2d");
}
std::unique_ptr<ArrayStage> make_shared_1d_array() {
  return paper::make_stage("shared-1d");
}
std::unique_ptr<ArrayStage> make_registers_array() {
  return paper::make_stage("registers");
}
std::unique_ptr<ArrayStage> make_registers_tuned_array() {
  return paper::make_stage("registers-tuned");
}
std::unique_ptr<ArrayStage> make_registers_lazy_array() {
  return paper::make_stage("registers-lazy");
}
std::unique_ptr<ArrayStage> make_inverse_kernels_array() {
  return paper::make_stage("inverse-kernels");
}
std::unique_ptr<ArrayStage> make_inverse_augmented_array() {
  return paper::make_stage("inverse-augmented");
}
std::unique_ptr<ArrayStage> make_inverse_fused_array() {
  return paper::make_stage("inverse-fused");
}

}  // namespace lufact::gpu
