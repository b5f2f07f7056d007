// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "app/array/array_run.hpp"
#include "app/dense/dense_config.hpp"
#include "core/dense/dense_arrays.hpp"
#include "core/measure/clock.hpp"
#include "core/measure/phase_recorder.hpp"
#include "core/run/measured_run.hpp"

namespace lufact {

struct DenseRunSettings {
  DenseConfig config;
  bool is_peer = false;
  bool gives_pivots = true;
};

// Repetitions of one variant on one matrix: the input is restored, then the work is timed, by the
// device's clock too where there is one. The result is judged after the last one.
class DenseRun final : public MeasuredRun {
 public:
  // `probe` is null on the host. The run is loaded.
  DenseRun(DenseRunSettings settings, std::unique_ptr<ArrayRun<DenseArrays>> run,
           const Clock& clock, DeviceProbe* probe);

  Sample run_repetition(int repetition) override;
  bool can_refactor() const override { return false; }
  Sample run_refactorization(int number) override;
  void describe(RunRecord& record) const override;
  void add_refactorizations(RunRecord&) const override {}
  void release() override { run_->release(); }
  std::string phase() const override { return phases_.current_phase(); }
  const std::vector<double>& solution() const noexcept override { return no_solution_; }

  // Of the last repetition.
  const DenseArrays& arrays() const { return run_->arrays(); }

 private:
  void describe_kernels(DenseRecord& dense) const;
  void verify(RunRecord& record) const;
  void profile(DenseRecord& dense) const;

  const DenseRunSettings settings_;
  const std::unique_ptr<ArrayRun<DenseArrays>> run_;
  const Clock& clock_;
  DeviceProbe* const probe_;
  PhaseRecorder phases_;
  const std::vector<double> no_solution_;
};

}  // namespace lufact
