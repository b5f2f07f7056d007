// SPDX-License-Identifier: BSD-3-Clause
#include "core/batch/cpu/cpu_batch.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/array/guarded_array.hpp"
#include "core/base/error.hpp"
#include "core/batch/cpu/kernels.hpp"
#include "core/matrix/parallel.hpp"

namespace lufact {
namespace {

// Matrices that a thread takes at a time: at least those that are worth waking it, at most those of
// some hundred microseconds.
constexpr Offset least_bytes = 16 << 10, most_bytes = 256 << 10;

template <class Real>
class PreparedCpuBatch final : public PreparedArrays {
 public:
  PreparedCpuBatch(const ArrayProblem& problem, const CpuBatchKernel<Real>& kernel, int threads)
      : problem_(problem), kernel_(kernel), threads_(threads) {
    for (int thread = 0; thread < threads; ++thread) {
      workspaces_.emplace_back(kernel.workspace(task({}, problem.count)), 0);
    }
  }

  void run(const ArrayOperands& operands, Offset count) override {
    const CpuBatchTask work = task(operands, count);
    const Offset some = matrices_at_a_time(count);
    parallel_for((count + some - 1) / some, threads_, [&](Offset part) {
      kernel_.run(work, part * some, std::min(count, (part + 1) * some),
                  workspaces_[at(thread_number())].data());
    });
  }

  ArrayLaunchFacts launch() const override {
    ArrayLaunchFacts facts;
    facts.lanes = kernel_.lanes;
    facts.settings = {{"instructions", kernel_.name}, {"threads", std::to_string(threads_)}};
    return facts;
  }

 private:
  // A multiple of the lanes.
  Offset matrices_at_a_time(Offset count) const {
    const Offset bytes = Offset{problem_.rows} * problem_.rows * static_cast<Offset>(sizeof(Real));
    constexpr Offset shares = 4;  // of every thread, where threads are not equally fast
    const Offset some =
        std::clamp(count / (shares * threads_), least_bytes / bytes, most_bytes / bytes);
    return (some / kernel_.lanes + 1) * kernel_.lanes;
  }

  CpuBatchTask task(const ArrayOperands& operands, Offset count) const {
    return {.operation = problem_.operation,
            .layout = problem_.layout,
            .n = problem_.rows,
            .ld = problem_.ld,
            .rhs = problem_.rhs,
            .count = count,
            .a = operands.a,
            .result = operands.result,
            .b = operands.b,
            .pivots = operands.pivots,
            .info = operands.info};
  }

  ArrayProblem problem_;
  CpuBatchKernel<Real> kernel_;
  int threads_;
  std::vector<GuardedArray<Real>> workspaces_;
};

class CpuBatch final : public ArrayStage {
 public:
  const ArrayStageFacts& facts() const noexcept override {
    static const ArrayStageFacts facts{
        .name = "cpu",
        .description = "a matrix a lane of SSE2, AVX2 or AVX-512, groups on all threads",
        .source = "core/batch/cpu",
        .workload = "batch",
        .side = Side::host,
        .operations = {ArrayOperation::lu, ArrayOperation::inverse, ArrayOperation::solve},
        .layouts = {ArrayLayout::contiguous, ArrayLayout::interleaved, ArrayLayout::pointers},
        .largest_order = 64};
    return facts;
  }

  std::unique_ptr<PreparedArrays> prepare(const ArrayProblem& problem,
                                          ArrayContext& context) const override {
    if (std::string reason = refusal(facts(), problem); !reason.empty()) throw UsageError(reason);
    refuse_options(context.options);
    const CpuBatchKernels kernels = cpu_batch_kernels().back();
    const int threads = thread_count(context.options.threads);
    if (problem.precision == Precision::float32) {
      return std::make_unique<PreparedCpuBatch<float>>(problem, kernels.float32, threads);
    }
    return std::make_unique<PreparedCpuBatch<double>>(problem, kernels.float64, threads);
  }

 private:
  static void refuse_options(const ArrayOptions& options) {
    if (options.matrices_per_block || options.swap || !options.tuning_file.empty()) {
      throw UsageError("cpu has no use for matrices per block, swap or a tuning file");
    }
  }
};

}  // namespace

std::unique_ptr<ArrayStage> make_cpu_batch() {
  return std::make_unique<CpuBatch>();
}

}  // namespace lufact
