// SPDX-License-Identifier: BSD-3-Clause
#include "baselines/peers/plugin_run.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/matrix/parallel.hpp"
#include "core/pipeline/counted_phases.hpp"

namespace lufact {

PluginRun::PluginRun(PeerSolver& solver, const LinearSystem& system,
                     const PeerRunSettings& settings, const Clock& clock, PageLockedMemory memory)
    : solver_(solver),
      system_(system),
      settings_(settings),
      clock_(clock),
      steps_(solver, system.input.matrix.pattern, clock),
      values_(system.input.matrix.values.size()),
      memory_(solver.facts().on_device ? std::move(memory) : PageLockedMemory{}) {}

Sample PluginRun::run_repetition(int repetition) {
  release();
  steps_.begin_sample();
  steps_.to_layout(system_.input.matrix.values, values_);
  const auto begin = clock_.now();
  steps_.factor(values_);
  x_.resize(system_.b.size());
  steps_.solve(system_.rhs, system_.b, x_);
  const double elapsed = seconds_since(clock_, begin);
  verify(system_.input.matrix, x_, system_.b);
  return make_sample(repetition, steps_.take_phases(), elapsed, sparse_counted_phases);
}

CsrMatrix PluginRun::prepare_refactorization(int number) {
  const OneThread alone;
  CsrMatrix a = refactor_matrix(system_.input.matrix, settings_.seed, number);
  if (!arrays_) arrays_.emplace(system_, memory_);
  steps_.to_layout(a.values, arrays_->values.entries());
  std::ranges::copy(refactor_rhs(a, system_), arrays_->b.entries().begin());
  return a;
}

// What is asked for, as far as the solver can do it.
Refactoring PluginRun::possible_refactoring() const {
  const bool able = solver_.facts().on_device && solver_.works_on_device();
  return able ? settings_.refactoring : Refactoring{};
}

Sample PluginRun::run_refactorization(int number) {
  steps_.begin_sample();
  marked_.reset();
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
  if (!one_wait) return make_sample(number, steps_.take_phases(), elapsed, sparse_counted_phases);
  std::vector<PhaseTime> phases;
  if (marked_) {
    PhaseTime copies;
    copies.name = "transfer";
    copies.bytes_h2d = after.bytes_h2d - before.bytes_h2d;
    copies.bytes_d2h = after.bytes_d2h - before.bytes_d2h;
    phases = marked_->times();
    add_phases(phases, {std::move(copies)});
  }
  add_phases(phases, steps_.phases().take());
  for (PhaseTime& phase : phases) phase.peak_device_bytes.reset();
  return make_sample_of_marks(number, std::move(phases), elapsed, sparse_counted_phases);
}

void PluginRun::refactor_with_waits() {
  {
    const auto phase = steps_.phases().host_scope("transfer");
    bring_values();
  }
  {
    const auto phase = steps_.phases().host_scope("numeric");
    solver_.refactor();
  }
  {
    const auto phase = steps_.phases().host_scope("transfer");
    bring_rhs();
  }
  {
    const auto phase = steps_.phases().host_scope("solve");
    solver_.solve();
  }
  if (refactoring_.values == Side::device) return;
  const auto phase = steps_.phases().host_scope("transfer");
  solver_.get_solution(arrays_->x.entries());
}

void PluginRun::refactor_with_one_wait() {
  if (refactoring_.phases == PhaseTiming::events) marked_.emplace(*steps_.probe());
  const auto begin = [&](std::string_view name) {
    if (marked_) marked_->begin(name);
  };
  steps_.count_bytes(false);
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
  steps_.count_bytes(true);
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
  return marked ? marked_->open_phase() : steps_.current_phase();
}

void PluginRun::verify(const CsrMatrix& a, std::span<const double> x, std::span<const double> b) {
  if (settings_.verify == VerifyLevel::none) return;
  const auto phase = steps_.phases().host_scope("verify");
  const OneThread alone;
  VerificationRecord verdict = judge_solution(a, x, b, system_, settings_.threshold);
  set_peer_method(solver_.figures().refinement_steps, verdict);
  keep_worse(verification_, verdict);
}

void PluginRun::describe(RunRecord& record) const {
  steps_.describe(record);
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
