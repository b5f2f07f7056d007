// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "baselines/peers/plugin_steps.hpp"
#include "core/pipeline/linear_system.hpp"
#include "core/pipeline/options.hpp"
#include "core/pipeline/refactoring.hpp"
#include "core/run/marked_phases.hpp"
#include "core/run/measured_run.hpp"
#include "core/run/repetition.hpp"

namespace lufact {

struct PeerRunSettings {
  VerifyLevel verify = VerifyLevel::residual;
  double threshold = 1e-12;  // of the backward error
  std::uint64_t seed = 1;
  // Where the solver is on a device and can; otherwise values are on the host, and every phase ends
  // with a wait.
  Refactoring refactoring{};
};

// Runs a solver behind a plug-in. The solution is judged as the
// library leaves it: refinement is what its own settings make it do, ours is not applied, since it
// would be timed as the peer's and its residuals would pass between host and device.
class PluginRun final : public MeasuredRun {
 public:
  // All references must outlive the object. The layout that the solver wants is made here, untimed.
  // Arrays of refactorizations are in `memory` where the solver is on a device.
  PluginRun(PeerSolver& solver, const LinearSystem& system, const PeerRunSettings& settings,
            const Clock& clock, PageLockedMemory memory = {});

  Sample run_repetition(int repetition) override;
  Sample run_refactorization(int number) override;
  void describe(RunRecord& record) const override;
  void add_refactorizations(RunRecord& record) const override;
  void release() override;
  std::string phase() const override;
  const std::vector<double>& solution() const noexcept override { return x_; }

 private:
  // Fills the arrays; returns the matrix.
  CsrMatrix prepare_refactorization(int number);
  Refactoring possible_refactoring() const;
  void refactor_with_waits();
  void refactor_with_one_wait();
  void bring_values();
  void bring_rhs();
  void verify(const CsrMatrix& a, std::span<const double> x, std::span<const double> b);

  PeerSolver& solver_;
  const LinearSystem& system_;
  const PeerRunSettings& settings_;
  const Clock& clock_;
  PluginSteps steps_;
  std::vector<double> values_;  // of the pattern that the solver was given
  std::vector<double> x_;
  PageLockedMemory memory_;  // empty for a peer on the host
  std::optional<RefactorArrays> arrays_;
  Refactoring refactoring_;                         // that of the last refactorization
  std::optional<MarkedPhases> marked_;              // of a refactorization with one wait
  std::optional<VerificationRecord> verification_;  // the worst repetition so far
};

}  // namespace lufact
