// SPDX-License-Identifier: BSD-3-Clause
#include "core/dense/cpu/cpu_dense.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "core/base/error.hpp"
#include "core/dense/cpu/host_lu.hpp"
#include "core/dense/cpu/host_refined_columns.hpp"
#include "core/matrix/parallel.hpp"

namespace lufact {
namespace {

constexpr int own_block = 64, least_block = 8, largest_block = 256;
constexpr Index largest_order = 65536;

// Wide panels spare the memory from results of products; in smaller matrices they would last longer
// than the update beside them.
int block_of(const ArrayProblem& problem) {
  return std::min(problem.rows, problem.columns) < 2048 ? own_block : 2 * own_block;
}

// `Factor`: the numbers of the factors; `Real`: those of the matrix.
template <class Factor, class Real>
class PreparedCpuDense final : public PreparedArrays {
 public:
  PreparedCpuDense(const ArrayProblem& problem, int block, int threads)
      : problem_(problem),
        block_(block),
        threads_(threads),
        lu_(problem.rows, problem.columns, problem.pivoting, block, threads) {}

  void run(const ArrayOperands& operands, Offset) override {
    lu_.load(static_cast<const Real*>(operands.a), problem_.ld);
    *operands.info = lu_.factor();
    if (operands.pivots != nullptr && problem_.pivoting == ArrayPivoting::partial) {
      std::ranges::copy(lu_.pivots(), operands.pivots);
    }
    if (problem_.operation == ArrayOperation::solve) return solve(operands);
    if constexpr (std::is_same_v<Factor, Real>) {
      lu_.store(static_cast<Real*>(operands.a), problem_.ld);
    }
  }

  ArrayLaunchFacts launch() const override {
    ArrayLaunchFacts facts;
    facts.block = block_;
    facts.settings = {{"instructions", std::string(dense_kernels<Factor>().instruction_set)},
                      {"threads", std::to_string(threads_)}};
    return facts;
  }
  std::optional<RefinementRecord> refinement() const override { return refinement_; }

 private:
  void solve(const ArrayOperands& operands) {
    auto* const b = static_cast<Real*>(operands.b);
    refinement_.reset();
    if (*operands.info != 0) {
      std::fill_n(b, Offset{problem_.rows} * problem_.rhs, std::numeric_limits<Real>::quiet_NaN());
    } else if constexpr (std::is_same_v<Factor, Real>) {
      lu_.solve(b, problem_.rows, problem_.rhs);
    } else {
      refinement_ = solve_refined(lu_,
                                  {.n = problem_.rows,
                                   .columns = problem_.rhs,
                                   .a = static_cast<const Real*>(operands.a),
                                   .ld = problem_.ld,
                                   .b = b},
                                  threads_);
    }
  }

  const ArrayProblem problem_;
  const int block_, threads_;
  HostLu<Factor> lu_;
  std::optional<RefinementRecord> refinement_;
};

class CpuDense final : public ArrayStage {
 public:
  const ArrayStageFacts& facts() const noexcept override {
    static const ArrayStageFacts facts{
        .name = "cpu",
        .description = "blocked LU of one matrix on all threads, factors in float refined",
        .source = "core/dense/cpu",
        .workload = "dense",
        .side = Side::host,
        .operations = {ArrayOperation::lu, ArrayOperation::solve},
        .layouts = {ArrayLayout::contiguous},
        .pivoting = {ArrayPivoting::partial, ArrayPivoting::none},
        .largest_order = largest_order,
        .arithmetics = {FactorArithmetic::own, FactorArithmetic::float32},
        .dense = {.block = TakenNumbers{least_block, largest_block, least_block},
                  .own_block = own_block}};
    return facts;
  }

  std::unique_ptr<PreparedArrays> prepare(const ArrayProblem& problem,
                                          ArrayContext& context) const override {
    require_dense(facts(), problem, context.options);
    const int block = context.options.dense.block.value_or(block_of(problem));
    const int threads = thread_count(context.options.threads);
    if (problem.arithmetic == FactorArithmetic::float32) {
      return std::make_unique<PreparedCpuDense<float, double>>(problem, block, threads);
    }
    if (problem.precision == Precision::float32) {
      return std::make_unique<PreparedCpuDense<float, float>>(problem, block, threads);
    }
    return std::make_unique<PreparedCpuDense<double, double>>(problem, block, threads);
  }
};

}  // namespace

std::unique_ptr<ArrayStage> make_cpu_dense() {
  return std::make_unique<CpuDense>();
}

}  // namespace lufact
