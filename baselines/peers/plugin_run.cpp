// SPDX-License-Identifier: BSD-3-Clause
#include "baselines/peers/plugin_run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/matrix/parallel.hpp"
#include "core/pipeline/counted_phases.hpp"

namespace lufact {

// Counts the bytes that the plug-in says it copied, and passes marks on to it. Its calls end with
// an idle device unless it runs ahead, so that there is nothing to synchronise; it tells no peaks
// by phase. Phases that wait are phases of the host, which set no marks.
class PluginRun::Probe final : public DeviceProbe {
 public:
  explicit Probe(PeerSolver& solver) : solver_(solver) {}
  void synchronize() override {}
  Mark mark() override {
    solver_.mark(used_);
    return used_++;
  }
  double seconds_between(Mark begin, Mark end) override {
    return solver_.seconds_between(begin, end);
  }
  void release_marks() override { used_ = 0; }
  // Asking a solver for its figures may wait for its work.
  void count(bool counts) { counts_ = counts; }
  TransferCounters counters() const override {
    if (!counts_) return {};
    const PeerFigures figures = solver_.figures();
    return {figures.bytes_h2d, figures.bytes_d2h, 0};
  }
  void reset_interval_peak() override {}
  std::uint64_t interval_peak_bytes() const override { return 0; }
  void range_push(std::string_view) override {}
  void range_pop() override {}

 private:
  PeerSolver& solver_;
  int used_ = 0;  // marks
  bool counts_ = true;
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

// What is asked for, as far as the solver can do it.
Refactoring PluginRun::possible_refactoring() const {
  const bool able = solver_.facts().on_device && solver_.works_on_device();
  return able ? settings_.refactoring : Refactoring{};
}

Sample PluginRun::run_refactorization(int number) {
  phases_.take();
  marked_.reset();
  fused_.clear();
  const CsrMatrix a = prepare_refactorization(number);
  refactoring_ = possible_refactoring();
  const bool there = refactoring_.values == Side::device;
  const bool one_wait = refactoring_.phases != PhaseTiming::waits;
  // What a solver leaves untouched cannot pass for a solution.
  std::ranges::fill(arrays_->x.entries(), std::numeric_limits<double>::quiet_NaN());
  if (there) {
    solver_.put_on_device(arrays_->values.entries(), system_.rhs, arrays_->b.entries());
  }
  const PeerFigures before = solver_.figures();
  const auto begin = clock_.now();
  one_wait ? refactor_with_one_wait() : refactor_with_waits();
  const double elapsed = seconds_since(clock_, begin);
  const PeerFigures after = solver_.figures();
  if (there) solver_.get_solution(arrays_->x.entries());
  verify(a, arrays_->x.entries(), arrays_->b.entries());
  if (!one_wait) return make_sample(number, take_phases(), elapsed, sparse_counted_phases);
  std::vector<PhaseTime> phases;
  if (marked_) {
    PhaseTime copies;
    copies.name = "transfer";
    copies.bytes_h2d = after.bytes_h2d - before.bytes_h2d;
    copies.bytes_d2h = after.bytes_d2h - before.bytes_d2h;
    phases = marked_->times();
    add_phases(phases, {std::move(copies)});
  }
  add_phases(phases, phases_.take());
  for (PhaseTime& phase : phases) phase.peak_device_bytes.reset();
  return make_sample_of_marks(number, std::move(phases), elapsed, sparse_counted_phases);
}

void PluginRun::refactor_with_waits() {
  {
    const auto phase = phases_.host_scope("transfer");
    bring_values();
  }
  {
    const auto phase = phases_.host_scope("numeric");
    solver_.refactor();
  }
  {
    const auto phase = phases_.host_scope("transfer");
    bring_rhs();
  }
  {
    const auto phase = phases_.host_scope("solve");
    solver_.solve();
  }
  if (refactoring_.values == Side::device) return;
  const auto phase = phases_.host_scope("transfer");
  solver_.get_solution(arrays_->x.entries());
}

void PluginRun::refactor_with_one_wait() {
  if (refactoring_.phases == PhaseTiming::events) marked_.emplace(*probe_);
  const auto begin = [&](std::string_view name) {
    if (marked_) marked_->begin(name);
  };
  probe_->count(false);
  solver_.run_ahead(true);
  begin("transfer");
  bring_values();
  bring_rhs();
  begin("numeric");
  solver_.refactor();
  begin("solve");
  solver_.solve();
  if (refactoring_.values == Side::host) {
    begin("transfer");
    solver_.get_solution(arrays_->x.entries());
  }
  if (marked_) marked_->end();
  solver_.wait();
  solver_.run_ahead(false);
  probe_->count(true);
}

// Arrays on the device are all taken at once.
void PluginRun::bring_values() {
  if (refactoring_.values == Side::device) {
    solver_.use_device_arrays();
  } else {
    solver_.set_values(arrays_->values.entries());
  }
}

void PluginRun::bring_rhs() {
  if (refactoring_.values == Side::host) solver_.set_rhs(system_.rhs, arrays_->b.entries());
}

std::string PluginRun::phase() const {
  const bool marked = marked_ && !marked_->open_phase().empty();
  return marked ? marked_->open_phase() : phases_.current_phase();
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
  if (arrays_) {
    arrays_->report(record);
    record.refactoring = record_of(refactoring_);
  }
  if (settings_.verify != VerifyLevel::none) record.verification = verification_;
}

void PluginRun::release() {
  solver_.clear();
  arrays_.reset();
}

}  // namespace lufact
