// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/dense/schemes/scheme_stages.hpp"

#include <string>

#include "core/base/error.hpp"
#include "gpu/dense/schemes/iterative.hpp"
#include "gpu/dense/schemes/recursion.hpp"
#include "gpu/dense/schemes/row_layout.hpp"
#include "gpu/dense/zero_pivot.hpp"
#include "gpu/runtime/buffer.hpp"

namespace lufact::gpu {
namespace schemes {
namespace {

enum class Scheme { mkr, skr, recursive, hybrid, mkr_async, mkr_graph };

bool recurses(Scheme scheme) {
  return scheme == Scheme::recursive || scheme == Scheme::hybrid;
}

GridRequest grid_request(const DenseSettings& settings) {
  return {settings.blocks, settings.threads_per_block};
}

// `recursive` takes no depth: it goes to the end.
RecursionSettings recursion_settings(const DenseSettings& settings, Index order) {
  const int block = settings.block.value_or(own_recursion_block);
  return {.block = block,
          .levels = settings.depth.value_or(dense_levels(order, block)),
          .base = settings.base.value_or(DenseBase::skr),
          .product = settings.product.value_or(DenseProduct::own),
          .triangular = settings.triangular.value_or(DenseTriangular::columns),
          .grid = grid_request(settings)};
}

template <class Real>
std::unique_ptr<Factorization<Real>> make_factorization(Scheme scheme, DeviceSession& session,
                                                        const DenseSettings& settings,
                                                        const RowMatrix<Real>& a) {
  const GridRequest request = grid_request(settings);
  switch (scheme) {
    case Scheme::mkr:
      return make_kernel_a_step<Real>(session, request, HostWaits::yes);
    case Scheme::skr:
      return make_single_kernel<Real>(session, request);
    case Scheme::recursive:
    case Scheme::hybrid:
      return make_recursion<Real>(session, recursion_settings(settings, a.order()));
    case Scheme::mkr_async:
      return make_kernel_a_step<Real>(session, request, HostWaits::no);
    case Scheme::mkr_graph:
      return make_step_graph<Real>(session, request, a);
  }
  return nullptr;
}

// The matrix goes to a copy by rows, which is factored, and back.
template <class Real>
class PreparedScheme final : public PreparedArrays {
 public:
  PreparedScheme(Scheme scheme, const ArrayProblem& problem, DeviceSession& session,
                 const DenseSettings& settings)
      : scheme_(scheme),
        session_(session),
        problem_(problem),
        settings_(settings),
        entries_(session, MemoryRole::scratch, Offset{problem.rows} * stride_of(problem),
                 "the matrix by rows"),
        rows_{entries_.data(), stride_of(problem), problem.rows, problem.columns},
        factorization_(make_factorization(scheme, session, settings, rows_)) {
    factorization_->check(rows_.order(), rows_.columns);
  }

  void run(const ArrayOperands& operands, Offset) override { factor(operands, nullptr); }

  ArrayLaunchFacts launch() const override {
    ArrayLaunchFacts facts;
    facts.blocks =
        BlocksRecord{settings_.blocks ? std::to_string(*settings_.blocks) : "half", counts_.blocks};
    facts.threads_per_block = counts_.threads;
    facts.launches = counts_.launches;
    facts.grid_barriers = counts_.grid_barriers;
    if (recurses(scheme_)) describe_recursion(facts);
    return facts;
  }

  void profile(const ArrayOperands& operands, PhaseRecorder& phases) override {
    {
      const auto phase = phases.scope("numeric");
      factor(operands, &phases);
    }
    if (scheme_ != Scheme::skr) return;
    const auto phase = phases.scope("barriers");
    factorization_->run_barriers(rows_);
  }

 private:
  void describe_recursion(ArrayLaunchFacts& facts) const {
    const RecursionSettings settings = recursion_settings(settings_, problem_.order());
    facts.block = settings.block;
    facts.depth = settings.levels;
    facts.product = to_string(settings.product);
    facts.settings = {{"base", std::string(to_string(settings.base))},
                      {"triangular", std::string(to_string(settings.triangular))}};
  }

  // Rows begin on a boundary of a sector, whatever the number of columns.
  static Offset stride_of(const ArrayProblem& problem) {
    constexpr Offset multiple = 32;
    return (Offset{problem.columns} + multiple - 1) / multiple * multiple;
  }

  void factor(const ArrayOperands& operands, PhaseRecorder* phases) {
    auto* const a = static_cast<Real*>(operands.a);
    counts_ = {};
    {
      const Part part(phases, "layout");
      copy_to_rows(session_, a, problem_.ld, rows_);
    }
    factorization_->factor(rows_, counts_, phases);
    {
      const Part part(phases, "layout");
      copy_to_columns(session_, rows_, a, problem_.ld);
    }
    find_zero_pivot(session_, a, problem_.ld, problem_.order(), operands.info);
    counts_.launches += 3;
  }

  const Scheme scheme_;
  DeviceSession& session_;
  const ArrayProblem problem_;
  const DenseSettings settings_;
  Buffer<Real> entries_;
  const RowMatrix<Real> rows_;
  const std::unique_ptr<Factorization<Real>> factorization_;
  SchemeCounts counts_;  // of the last run
};

class SchemeStage final : public ArrayStage {
 public:
  SchemeStage(Scheme scheme, const ArrayStageFacts& facts) : scheme_(scheme), facts_(facts) {}

  const ArrayStageFacts& facts() const noexcept override { return facts_; }
  std::unique_ptr<PreparedArrays> prepare(const ArrayProblem& problem,
                                          ArrayContext& context) const override {
    require_dense(facts_, problem, context.options);
    DeviceSession& session = *context.device;
    const DenseSettings& settings = context.options.dense;
    if (problem.precision == Precision::float32) {
      return std::make_unique<PreparedScheme<float>>(scheme_, problem, session, settings);
    }
    return std::make_unique<PreparedScheme<double>>(scheme_, problem, session, settings);
  }

 private:
  const Scheme scheme_;
  const ArrayStageFacts& facts_;
};

}  // namespace
}  // namespace schemes

std::unique_ptr<ArrayStage> make_mkr_array() {
  return std::make_unique<schemes::SchemeStage>(schemes::Scheme::mkr, mkr_array_facts());
}
std::unique_ptr<ArrayStage> make_skr_array() {
  return std::make_unique<schemes::SchemeStage>(schemes::Scheme::skr, skr_array_facts());
}
std::unique_ptr<ArrayStage> make_recursive_array() {
  return std::make_unique<schemes::SchemeStage>(schemes::Scheme::recursive,
                                                recursive_array_facts());
}
std::unique_ptr<ArrayStage> make_hybrid_array() {
  return std::make_unique<schemes::SchemeStage>(schemes::Scheme::hybrid, hybrid_array_facts());
}
std::unique_ptr<ArrayStage> make_mkr_async_array() {
  return std::make_unique<schemes::SchemeStage>(schemes::Scheme::mkr_async,
                                                mkr_async_array_facts());
}
std::unique_ptr<ArrayStage> make_mkr_graph_array() {
  return std::make_unique<schemes::SchemeStage>(schemes::Scheme::mkr_graph,
                                                mkr_graph_array_facts());
}

}  // namespace lufact::gpu
