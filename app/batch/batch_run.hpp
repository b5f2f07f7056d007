// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "app/batch/batch_config.hpp"
#include "app/batch/group_run.hpp"
#include "core/measure/clock.hpp"
#include "core/measure/phase_recorder.hpp"
#include "core/run/measured_run.hpp"

namespace lufact {

struct BatchRunSettings {
  BatchConfig config;
  bool only_copies = false;  // the yardstick: nothing is computed
  bool is_peer = false;
  bool gives_pivots = true;
};

// Repetitions of one variant on all groups of a batch: the input is restored, then the work is
// timed, by the device's clock too where there is one. Results are judged after the last one.
class BatchRun final : public MeasuredRun {
 public:
  // `probe` is null on the host. The groups are loaded.
  BatchRun(BatchRunSettings settings, std::vector<std::unique_ptr<GroupRun>> groups,
           const Clock& clock, DeviceProbe* probe);

  Sample run_repetition(int repetition) override;
  bool can_refactor() const override { return false; }
  Sample run_refactorization(int number) override;
  void describe(RunRecord& record) const override;
  void add_refactorizations(RunRecord&) const override {}
  void release() override;
  std::string phase() const override { return phases_.current_phase(); }
  const std::vector<double>& solution() const noexcept override { return no_solution_; }

  const std::vector<std::unique_ptr<GroupRun>>& groups() const noexcept { return groups_; }

 private:
  void copy(void (GroupRun::*step)());
  void describe_kernels(RunRecord& record) const;
  void describe_results(RunRecord& record) const;
  void verify(RunRecord& record) const;
  void verify_copies(VerificationRecord& verification) const;
  void verify_results(RunRecord& record, VerificationRecord& verification) const;
  BatchCheck check_group(GroupRun& group) const;
  double threshold_of(const ArrayProblem& problem) const;

  const BatchRunSettings settings_;
  const std::vector<std::unique_ptr<GroupRun>> groups_;
  const Clock& clock_;
  PhaseRecorder phases_;
  const bool on_device_;
  const std::vector<double> no_solution_;
};

}  // namespace lufact
