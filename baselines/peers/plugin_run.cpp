// SPDX-License-Identifier: BSD-3-Clause
#include "baselines/peers/plugin_run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/matrix/parallel.hpp"
#include "core/pipeline/counted_phases.hpp"

namespace lufact {

// Counts the bytes that the plug-in says it copied. Its calls end with an idle device, so that
// there is nothing to synchronise and no mark to set; it tells no peaks by phase.
class PluginRun::Probe final : public DeviceProbe {
 public:
  explicit Probe(const PeerSolver& solver) : solver_(solver) {}
  void synchronize() override {}
  Mark mark() override { return 0; }
  double seconds_between(Mark, Mark) override { return 0; }
  void release_marks() override {}
  TransferCounters counters() const override {
    const PeerFigures figures = solver_.figures();
    return {figures.bytes_h2d, figures.bytes_d2h, 0};
  }
  void reset_interval_peak() override {}
  std::uint64_t interval_peak_bytes() const override { return 0; }
  void range_push(std::string_view) override {}
  void range_pop() override {}

 private:
  const PeerSolver& solver_;
};

PluginRun::PluginRun(PeerSolver& solver, const LinearSystem& system,
                     const PeerRunSettings& settings, const Clock& clock, PageLockedMemory memory)
    : solver_(solver),
      system_(system),
      settings_(settings),
      clock_(clock),
      probe_(solver.facts().on_device ? std::make_unique<Probe>(solver) : nullptr),
      phases_(clock, probe_.get()),
      values_(system.input.matrix.values.size()),
      memory_(solver.facts().on_device ? std::move(memory) : PageLockedMemory{}) {
  if (solver.facts().layout == PeerLayout::by_column) {
    by_column_ = transpose_with_source(system.input.matrix.pattern.view());
  }
}

PluginRun::~PluginRun() = default;

void PluginRun::to_layout(std::span<const double> values, std::span<double> to) const {
  if (by_column_.source.empty()) {
    std::ranges::copy(values, to.begin());
    return;
  }
  for (std::size_t q = 0; q < to.size(); ++q) {
    to[q] = values[static_cast<std::size_t>(by_column_.source[q])];
  }
}

Sample PluginRun::run_repetition(int repetition) {
  release();
  phases_.take();
  fused_.clear();
  to_layout(system_.input.matrix.values, values_);
  const bool by_column = !by_column_.source.empty();
  const CsrPattern& pattern = by_column ? by_column_.pattern : system_.input.matrix.pattern;
  const auto begin = clock_.now();
  {
    const auto phase = phases_.host_scope("transfer");
    solver_.set_pattern(pattern.n_rows, pattern.row_ptr, pattern.col_idx);
    solver_.set_values(values_);
  }
  {
    const auto phase = phases_.host_scope("order");
    if (!solver_.order()) fused_.push_back("order");
  }
  {
    const auto phase = phases_.host_scope("symbolic");
    if (!solver_.symbolic()) fused_.push_back("symbolic");
  }
  {
    const auto phase = phases_.host_scope("numeric");
    solver_.factor();
  }
  x_.resize(system_.b.size());
  solve(system_.b, x_);
  const double elapsed = seconds_since(clock_, begin);
  verify(system_.input.matrix, x_, system_.b);
  return make_sample(repetition, take_phases(), elapsed, sparse_counted_phases);
}

CsrMatrix PluginRun::prepare_refactorization(int number) {
  const OneThread alone;
  CsrMatrix a = refactor_matrix(system_.input.matrix, settings_.seed, number);
  if (!arrays_) arrays_.emplace(system_, memory_);
  to_layout(a.values, arrays_->values.entries());
  std::ranges::copy(refactor_rhs(a, system_), arrays_->b.entries().begin());
  return a;
}

Sample PluginRun::run_refactorization(int number) {
  phases_.take();
  fused_.clear();
  const CsrMatrix a = prepare_refactorization(number);
  const auto begin = clock_.now();
  {
    const auto phase = phases_.host_scope("transfer");
    solver_.set_values(arrays_->values.entries());
  }
  {
    const auto phase = phases_.host_scope("numeric");
    solver_.refactor();
  }
  solve(arrays_->b.entries(), arrays_->x.entries());
  const double elapsed = seconds_since(clock_, begin);
  verify(a, arrays_->x.entries(), arrays_->b.entries());
  return make_sample(number, take_phases(), elapsed, sparse_counted_phases);
}

void PluginRun::solve(std::span<const double> b, std::span<double> x) {
  // What a solver leaves untouched cannot pass for a solution.
  std::ranges::fill(x, std::numeric_limits<double>::quiet_NaN());
  {
    const auto phase = phases_.host_scope("transfer");
    solver_.set_rhs(system_.rhs, b);
  }
  {
    const auto phase = phases_.host_scope("solve");
    solver_.solve();
  }
  const auto phase = phases_.host_scope("transfer");
  solver_.get_solution(x);
}

void PluginRun::verify(const CsrMatrix& a, std::span<const double> x, std::span<const double> b) {
  if (settings_.verify == VerifyLevel::none) return;
  const auto phase = phases_.host_scope("verify");
  const OneThread alone;
  VerificationRecord verdict = judge_solution(a, x, b, system_, settings_.threshold);
  verdict.refinement_steps = solver_.figures().refinement_steps;
  verdict.method = "peer";
  if (verdict.refinement_steps == 0) {
    verdict.backward_error_before_refinement = verdict.backward_error;
  } else {
    verdict.method += "+own refinement";
  }
  keep_worse(verification_, verdict);
}

std::vector<PhaseTime> PluginRun::take_phases() {
  std::vector<PhaseTime> phases = phases_.take();
  std::erase_if(phases, [&](const PhaseTime& phase) {
    return std::find(fused_.begin(), fused_.end(), phase.name) != fused_.end();
  });
  for (PhaseTime& phase : phases) phase.peak_device_bytes.reset();
  return phases;
}

void PluginRun::describe(RunRecord& record) const {
  const PeerFacts facts = solver_.facts();
  const PeerFigures figures = solver_.figures();
  PipelineRecord& pipeline = record.pipeline.emplace();
  pipeline.scaling = facts.scaling;
  pipeline.ordering = facts.ordering;
  pipeline.symbolic = facts.symbolic;
  pipeline.numeric = facts.numeric;
  pipeline.solve = facts.solve;
  pipeline.precision = "double";
  record.peer = facts.record;
  record.warnings.insert(record.warnings.end(), facts.warnings.begin(), facts.warnings.end());
  record.peer->perturbed_pivots = figures.perturbed_pivots;
  record.peer->nnz_lu = figures.nnz_lu;
  FactorsRecord& factors = record.factors.emplace();
  factors.nnz_l = figures.nnz_l;
  factors.nnz_u = figures.nnz_u;
  factors.supernodes = figures.supernodes;
  factors.flops = figures.flops;
  const auto nnz = static_cast<double>(system_.input.matrix.pattern.nnz());
  if (figures.nnz_lu && *figures.nnz_lu > 0 && nnz > 0) {
    const auto nnz_lu = static_cast<double>(*figures.nnz_lu);
    factors.fill_ratio = nnz_lu / nnz;
    if (figures.flops) factors.flops_per_nnz = *figures.flops / nnz_lu;
  }
  record.memory.device_peak_bytes = figures.device_peak_bytes;
  record.verification = verification_;
  if (settings_.verify == VerifyLevel::none) {
    mark_unverified(record, "run with --verify residual to trust this");
  }
}

void PluginRun::add_refactorizations(RunRecord& record) const {
  if (arrays_) arrays_->report(record);
  if (settings_.verify != VerifyLevel::none) record.verification = verification_;
}

void PluginRun::release() {
  solver_.clear();
  arrays_.reset();
}

}  // namespace lufact
