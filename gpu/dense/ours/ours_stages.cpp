// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/dense/ours/ours_stages.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/base/error.hpp"
#include "core/measure/phase_recorder.hpp"
#include "gpu/dense/ours/chain_solve.hpp"
#include "gpu/dense/ours/dense_front.hpp"
#include "gpu/dense/ours/hybrid_lu.hpp"
#include "gpu/dense/ours/mixed_solver.hpp"
#include "gpu/dense/ours/ours_sizes.hpp"
#include "gpu/dense/ours/triangular_solves.hpp"
#include "gpu/dense/zero_pivot.hpp"
#include "gpu/runtime/session.hpp"

namespace lufact::gpu {
namespace blocked {
namespace {

constexpr std::string_view hybrid_name = "hybrid-tuned", graph_name = "task-graph";

std::string product_of(Precision precision) {
  return precision == Precision::float64 ? "double tensor cores" : "fused multiply-add";
}

std::string product_of(const ArrayProblem& problem) {
  switch (problem.arithmetic) {
    case FactorArithmetic::own:
      return product_of(problem.precision);
    case FactorArithmetic::float32:
      return product_of(Precision::float32);
    default:
      return fmt::format("{} tensor cores", to_string(problem.arithmetic));
  }
}

template <class T>
ArrayLaunchFacts hybrid_launch(const HybridLu<T>& lu, const ArrayProblem& problem, int block) {
  ArrayLaunchFacts facts;
  facts.block = block;
  facts.product = product_of(problem);
  facts.settings = {{"method", std::string(hybrid_name)},
                    {"panel_columns", std::to_string(lu.panel_width())},
                    {"panel_rows_per_thread", std::to_string(lu.rows_per_thread())},
                    {"order_of_last_front", std::to_string(lu.front_order())}};
  return facts;
}

template <class T>
class PreparedHybrid final : public PreparedArrays {
 public:
  PreparedHybrid(DeviceSession& session, const ArrayProblem& problem,
                 const HybridSettings& settings)
      : problem_(problem), settings_(settings), lu_(session, problem, settings) {}

  void run(const ArrayOperands& operands, Offset) override { lu_.run(operands); }
  void profile(const ArrayOperands& operands, PhaseRecorder& phases) override {
    const auto phase = phases.scope("numeric");
    lu_.profile(operands, phases);
  }
  ArrayLaunchFacts launch() const override {
    ArrayLaunchFacts facts = hybrid_launch(lu_, problem_, settings_.block);
    if (settings_.product == DenseProduct::cublas) facts.product = to_string(settings_.product);
    if (lu_.launches() > 0) facts.launches = lu_.launches();
    return facts;
  }

 private:
  const ArrayProblem problem_;
  const HybridSettings settings_;
  HybridLu<T> lu_;
};

class PreparedMixed final : public PreparedArrays {
 public:
  PreparedMixed(DeviceSession& session, const ArrayProblem& problem, const HybridSettings& settings)
      : problem_(problem), block_(settings.block), solver_(session, problem, settings) {}

  void run(const ArrayOperands& operands, Offset) override { solver_.run(operands); }
  void profile(const ArrayOperands& operands, PhaseRecorder& phases) override {
    solver_.profile(operands, phases);
  }
  ArrayLaunchFacts launch() const override {
    return hybrid_launch(solver_.factors(), problem_, block_);
  }
  std::optional<RefinementRecord> refinement() const override { return solver_.refinement(); }

 private:
  const ArrayProblem problem_;
  const int block_;
  MixedSolver solver_;
};

template <class T>
class PreparedGraph final : public PreparedArrays {
 public:
  PreparedGraph(DeviceSession& session, const ArrayProblem& problem, int threads)
      : session_(session),
        problem_(problem),
        front_(session, problem.rows, threads),
        chain_(session, MemoryRole::scratch, blocked::chain_words, "progress of a solution") {}

  void run(const ArrayOperands& operands, Offset) override {
    auto* const a = static_cast<T*>(operands.a);
    front_.factor(a, problem_.ld);
    find_zero_pivot(session_, a, problem_.ld, problem_.rows, operands.info);
    if (problem_.operation != ArrayOperation::solve) return;
    FactoredSystem<T> system{.lu = a, .ld = problem_.ld, .n = problem_.rows};
    system.info = operands.info;
    system.words = chain_.data();
    solve_with_factors(session_.stream(), system, static_cast<T*>(operands.b), problem_.rhs);
  }
  ArrayLaunchFacts launch() const override {
    ArrayLaunchFacts facts;
    facts.product = product_of(problem_.precision);
    facts.settings = {{"method", std::string(graph_name)},
                      {"thread_blocks", std::to_string(front_.blocks())},
                      {"diagonal", front_.has_chain() ? "chain" : "tasks"},
                      {"tiles_without_inverses", std::to_string(front_.tiles_without_inverses())}};
    return facts;
  }

 private:
  DeviceSession& session_;
  const ArrayProblem problem_;
  DenseFront<T> front_;
  Buffer<unsigned> chain_;
};

enum class Method { hybrid, graph, either };

class OursStage final : public ArrayStage {
 public:
  OursStage(const ArrayStageFacts& facts, Method method) : facts_(facts), method_(method) {}

  const ArrayStageFacts& facts() const noexcept override { return facts_; }

  std::unique_ptr<PreparedArrays> prepare(const ArrayProblem& problem,
                                          ArrayContext& context) const override {
    require_dense(facts_, problem, context.options);
    const Method method = method_ == Method::either ? choose(problem, context) : method_;
    if (method == Method::graph && problem.rows != problem.columns) {
      throw UsageError(fmt::format("{} does not take {} x {}; accepted: square matrices",
                                   facts_.name, problem.rows, problem.columns));
    }
    if (problem.arithmetic != FactorArithmetic::own) {
      if (context.options.dense.product == DenseProduct::cublas) {
        throw UsageError("--product cublas is for factors in the numbers of the matrix");
      }
      return std::make_unique<PreparedMixed>(*context.device, problem,
                                             settings_of(problem, context.options));
    }
    return problem.precision == Precision::float32 ? make<float>(method, problem, context)
                                                   : make<double>(method, problem, context);
  }

 private:
  static HybridSettings settings_of(const ArrayProblem& problem, const ArrayOptions& options) {
    return {.block = options.dense.block.value_or(own_block(problem)),
            .product = options.dense.product.value_or(DenseProduct::own),
            .threads = options.threads};
  }

  template <class T>
  static std::unique_ptr<PreparedArrays> make(Method method, const ArrayProblem& problem,
                                              const ArrayContext& context) {
    if (method == Method::graph) {
      return std::make_unique<PreparedGraph<T>>(*context.device, problem, context.options.threads);
    }
    return std::make_unique<PreparedHybrid<T>>(*context.device, problem,
                                               settings_of(problem, context.options));
  }

  Method choose(const ArrayProblem& problem, ArrayContext& context) const {
    const auto [method, reason] = choice(problem);
    context.choices.push_back(
        {.stage = facts_.name,
         .chosen = std::string(method == Method::graph ? graph_name : hybrid_name),
         .candidates = {std::string(hybrid_name), std::string(graph_name)},
         .reason = reason});
    return method;
  }

  static std::pair<Method, std::string> choice(const ArrayProblem& problem) {
    if (problem.pivoting == ArrayPivoting::partial) {
      return {Method::hybrid, "task-graph does not exchange rows"};
    }
    if (problem.arithmetic != FactorArithmetic::own) {
      return {Method::hybrid, "task-graph does not refine solutions"};
    }
    if (problem.rows != problem.columns)
      return {Method::hybrid, "task-graph takes square matrices"};
    if (problem.rows > largest_graph_order) {
      return {Method::hybrid, fmt::format("of order above {}", largest_graph_order)};
    }
    return {Method::graph, fmt::format("of order up to {}", largest_graph_order)};
  }

  const ArrayStageFacts& facts_;
  const Method method_;
};

}  // namespace
}  // namespace blocked

std::unique_ptr<ArrayStage> make_hybrid_tuned_array() {
  return std::make_unique<blocked::OursStage>(hybrid_tuned_array_facts(), blocked::Method::hybrid);
}
std::unique_ptr<ArrayStage> make_task_graph_array() {
  return std::make_unique<blocked::OursStage>(task_graph_array_facts(), blocked::Method::graph);
}
std::unique_ptr<ArrayStage> make_fast_dense_array() {
  return std::make_unique<blocked::OursStage>(fast_dense_array_facts(), blocked::Method::either);
}

}  // namespace lufact::gpu
