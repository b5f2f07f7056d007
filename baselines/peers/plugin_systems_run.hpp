// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <string>
#include <vector>

#include "baselines/peers/plugin_run.hpp"
#include "baselines/peers/plugin_steps.hpp"
#include "core/run/many_systems.hpp"
#include "core/run/measured_run.hpp"

namespace lufact {

// Many systems with one pattern by a solver behind a plug-in that takes them together: the same
// systems, phases and verdicts as ours. Every solution is judged as the library leaves it.
class PluginSystemsRun final : public MeasuredRun {
 public:
  // The references must outlive the object. Arrays are in `memory` where the solver is on a device.
  // Throws Error{unsupported, "one_system"} where it takes one system at a time.
  PluginSystemsRun(PeerSolver& solver, const LinearSystem& system, const PeerRunSettings& settings,
                   const Clock& clock, SystemsInput input, PageLockedMemory memory = {});

  Sample run_repetition(int repetition) override;
  Sample run_refactorization(int number) override;
  void describe(RunRecord& record) const override;
  void add_refactorizations(RunRecord& record) const override;
  void release() override { solver_.clear(); }
  std::string phase() const override { return steps_.current_phase(); }
  // Of all systems, one after another.
  const std::vector<double>& solution() const noexcept override { return x_; }

 private:
  std::span<const double> values_in_layout();
  Sample take_sample(int number, bool afresh);
  void verify();
  void add_verdict(RunRecord& record) const;

  PeerSolver& solver_;
  const LinearSystem& system_;
  const PeerRunSettings& settings_;
  const Clock& clock_;
  PluginSteps steps_;
  ManySystems systems_;
  std::vector<double> by_layout_;  // values of all systems for a peer that takes columns
  std::vector<double> x_;
  Offset failed_ = 0;  // in the worst sample
};

}  // namespace lufact
