// SPDX-License-Identifier: BSD-3-Clause
#include "baselines/peers/plugin_steps.hpp"

#include <algorithm>
#include <limits>

namespace lufact {

// Counts the bytes that the plug-in says it copied, and passes marks on to it. Its calls end with
// an idle device unless it runs ahead, so that there is nothing to synchronise; it tells no peaks
// by phase. Phases that wait are phases of the host, which set no marks.
class PluginSteps::Probe final : public DeviceProbe {
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

void set_peer_method(std::optional<int> refinement_steps, VerificationRecord& verdict) {
  verdict.refinement_steps = refinement_steps;
  verdict.method = "peer";
  if (refinement_steps == 0) {
    verdict.backward_error_before_refinement = verdict.backward_error;
  } else {
    verdict.method += "+own refinement";
  }
}

PluginSteps::PluginSteps(PeerSolver& solver, const CsrPattern& pattern, const Clock& clock)
    : solver_(solver),
      pattern_(pattern),
      probe_(solver.facts().on_device ? std::make_unique<Probe>(solver) : nullptr),
      phases_(clock, probe_.get()) {
  if (solver.facts().layout == PeerLayout::by_column) {
    by_column_ = transpose_with_source(pattern.view());
  }
}

PluginSteps::~PluginSteps() = default;

DeviceProbe* PluginSteps::probe() noexcept {
  return probe_.get();
}

void PluginSteps::count_bytes(bool counts) {
  if (probe_) probe_->count(counts);
}

void PluginSteps::to_layout(std::span<const double> values, std::span<double> to) const {
  if (takes_rows()) {
    std::ranges::copy(values, to.begin());
    return;
  }
  for (std::size_t q = 0; q < to.size(); ++q) {
    to[q] = values[static_cast<std::size_t>(by_column_.source[q])];
  }
}

void PluginSteps::factor(std::span<const double> values) {
  const CsrPattern& pattern = takes_rows() ? pattern_ : by_column_.pattern;
  {
    const auto phase = phases_.host_scope("transfer");
    solver_.set_pattern(pattern.n_rows, pattern.row_ptr, pattern.col_idx);
    solver_.set_values(values);
  }
  {
    const auto phase = phases_.host_scope("order");
    if (!solver_.order()) fused_.push_back("order");
  }
  {
    const auto phase = phases_.host_scope("symbolic");
    if (!solver_.symbolic()) fused_.push_back("symbolic");
  }
  const auto phase = phases_.host_scope("numeric");
  solver_.factor();
}

void PluginSteps::refactor(std::span<const double> values) {
  {
    const auto phase = phases_.host_scope("transfer");
    solver_.set_values(values);
  }
  const auto phase = phases_.host_scope("numeric");
  solver_.refactor();
}

void PluginSteps::solve(Index columns, std::span<const double> b, std::span<double> x) {
  std::ranges::fill(x, std::numeric_limits<double>::quiet_NaN());
  {
    const auto phase = phases_.host_scope("transfer");
    solver_.set_rhs(columns, b);
  }
  {
    const auto phase = phases_.host_scope("solve");
    solver_.solve();
  }
  const auto phase = phases_.host_scope("transfer");
  solver_.get_solution(x);
}

void PluginSteps::begin_sample() {
  phases_.take();
  fused_.clear();
}

std::vector<PhaseTime> PluginSteps::take_phases() {
  std::vector<PhaseTime> phases = phases_.take();
  std::erase_if(phases, [&](const PhaseTime& phase) {
    return std::find(fused_.begin(), fused_.end(), phase.name) != fused_.end();
  });
  for (PhaseTime& phase : phases) phase.peak_device_bytes.reset();
  return phases;
}

void PluginSteps::describe(RunRecord& record) const {
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
  const auto nnz = static_cast<double>(pattern_.nnz());
  if (figures.nnz_lu && *figures.nnz_lu > 0 && nnz > 0) {
    const auto nnz_lu = static_cast<double>(*figures.nnz_lu);
    factors.fill_ratio = nnz_lu / nnz;
    if (figures.flops) factors.flops_per_nnz = *figures.flops / nnz_lu;
  }
  record.memory.device_peak_bytes = figures.device_peak_bytes;
}

}  // namespace lufact
