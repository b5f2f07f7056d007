// SPDX-License-Identifier: BSD-3-Clause
#include "baselines/peers/plugin_systems_run.hpp"

#include <algorithm>
#include <utility>

#include "core/matrix/parallel.hpp"
#include "core/pipeline/counted_phases.hpp"

namespace lufact {

// One thread of ours, since others' are timed (OneThread).
PluginSystemsRun::PluginSystemsRun(PeerSolver& solver, const LinearSystem& system,
                                   const PeerRunSettings& settings, const Clock& clock,
                                   SystemsInput input, PageLockedMemory memory)
    : solver_(solver),
      system_(system),
      settings_(settings),
      clock_(clock),
      steps_(solver, system.input.matrix.pattern, clock),
      systems_(system, std::move(input), 1,
               solver.facts().on_device ? std::move(memory) : PageLockedMemory{}) {
  solver_.set_systems(systems_.count());
}

std::span<const double> PluginSystemsRun::values_in_layout() {
  const auto all = systems_.values().entries();
  if (steps_.takes_rows()) return all;
  by_layout_.resize(all.size());
  const std::size_t entries = system_.input.matrix.values.size();
  for (std::size_t first = 0; first < all.size(); first += entries) {
    steps_.to_layout(all.subspan(first, entries), std::span(by_layout_).subspan(first, entries));
  }
  return by_layout_;
}

Sample PluginSystemsRun::run_repetition(int repetition) {
  release();
  systems_.fill(0);
  return take_sample(repetition, true);
}

Sample PluginSystemsRun::run_refactorization(int number) {
  systems_.fill(number + 1);
  return take_sample(number, false);
}

Sample PluginSystemsRun::take_sample(int number, bool afresh) {
  steps_.begin_sample();
  const auto values = values_in_layout();
  const auto begin = clock_.now();
  afresh ? steps_.factor(values) : steps_.refactor(values);
  steps_.solve(systems_.count(), systems_.b().entries(), systems_.x().entries());
  const double elapsed = seconds_since(clock_, begin);
  verify();
  return make_sample(number, steps_.take_phases(), elapsed, sparse_counted_phases);
}

void PluginSystemsRun::verify() {
  const auto x = systems_.x().entries();
  x_.assign(x.begin(), x.end());
  if (settings_.verify == VerifyLevel::none) return;
  const auto phase = steps_.phases().host_scope("verify");
  const OneThread alone;
  const std::optional<int> steps = solver_.figures().refinement_steps;
  const Offset failed =
      systems_.judge(settings_.threshold,
                     [&](Index, VerificationRecord& verdict) { set_peer_method(steps, verdict); });
  failed_ = std::max(failed_, failed);
}

// All systems at once; what the solver has for each of them is not known but for the arrays that it
// is handed.
void PluginSystemsRun::describe(RunRecord& record) const {
  steps_.describe(record);
  const auto n = static_cast<std::uint64_t>(system_.input.matrix.pattern.n_rows);
  SystemsRecord& systems = record.systems.emplace();
  systems.chunk = systems_.count();
  systems.bytes_per_system =
      (system_.input.matrix.values.size() + 2 * n) * static_cast<std::uint64_t>(sizeof(double));
  add_verdict(record);
  if (settings_.verify == VerifyLevel::none) {
    mark_unverified(record, "run with --verify residual to trust this");
  }
}

void PluginSystemsRun::add_refactorizations(RunRecord& record) const {
  if (settings_.verify != VerifyLevel::none) add_verdict(record);
}

void PluginSystemsRun::add_verdict(RunRecord& record) const {
  systems_.describe(*record.systems);
  record.systems->failed = failed_;
  record.verification = systems_.worst();
}

}  // namespace lufact
