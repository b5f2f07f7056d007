// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>
#include <vector>

#include "baselines/peers/peer_run.hpp"
#include "baselines/peers/peer_solver.hpp"
#include "core/measure/phase_recorder.hpp"
#include "core/pipeline/linear_system.hpp"

namespace lufact {

// Runs a solver behind a plug-in. Its phases bear the names of ours; a phase that the library fuses
// with another one is left out, and the record says with which. The solution is judged as the
// library leaves it: refinement is what its own settings make it do, ours is not applied, since it
// would be timed as the peer's and its residuals would pass between host and device.
class PluginRun final : public PeerRun {
 public:
  // All arguments must outlive the object. The layout that the solver wants is made here, untimed.
  PluginRun(PeerSolver& solver, const LinearSystem& system, const PeerRunSettings& settings,
            const Clock& clock);
  ~PluginRun() override;

  std::optional<Sample> run_repetition(int repetition) override;
  bool can_refactor() const override { return true; }
  Sample run_refactorization(int number) override;
  void describe(RunRecord& record) const override;
  void add_refactorizations(RunRecord& record) const override;
  void release() override;
  std::string phase() const override { return phases_.current_phase(); }
  const std::vector<double>& solution() const noexcept override { return x_; }

 private:
  class Probe;

  std::vector<double> in_layout(const std::vector<double>& values) const;
  void solve(const std::vector<double>& b);
  void verify(const CsrMatrix& a, const std::vector<double>& b);
  std::vector<PhaseTime> take_phases();

  PeerSolver& solver_;
  const LinearSystem& system_;
  const PeerRunSettings& settings_;
  const Clock& clock_;
  std::unique_ptr<Probe> probe_;  // null for a peer on the host
  PhaseRecorder phases_;
  TransposedPattern by_column_;  // empty for a peer that takes rows
  std::vector<double> values_;   // of the pattern that the solver was given
  std::vector<double> b_;        // of the last refactorization
  std::vector<double> x_;
  std::vector<std::string> fused_;                  // phases of this repetition that were none
  std::optional<VerificationRecord> verification_;  // the worst repetition so far
};

}  // namespace lufact
