// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <atomic>
#include <optional>
#include <string>

#include "app/config/run_config.hpp"
#include "app/workload/variant_worker.hpp"
#include "core/measure/clock.hpp"
#include "core/pipeline/linear_system.hpp"

namespace lufact {

// What our stages and a foreign solver share: a matrix file that is read, right-hand sides, a
// verdict. Those that derive make the run.
class SparseWorker : public VariantWorker {
 public:
  void open(PhaseRecorder& setup) final;
  MeasuredRun* run() final { return run_; }
  void describe_input(RunRecord& record) const final;
  void add_memory(MemoryRecord& memory) const override;
  void write_results() const final;
  void judge(RunRecord& record) const override;
  // After one repetition that warms up, as for the timed ones, so that what libraries load and keep
  // is not counted.
  std::optional<DriverMemoryRecord> count_device_memory(bool refactors) final;

 protected:
  // `request.variant` holds "config".
  explicit SparseWorker(const OpenRequest& request);
  // Before the matrix is read: a device or a library, in a phase of its own.
  virtual void open_solver(PhaseRecorder& setup) = 0;
  // Belongs to the class that derives, whose parts it uses.
  virtual MeasuredRun& make_run() = 0;
  virtual bool uses_device() const { return false; }

  const RunConfig config_;
  const SteadyClock clock_;
  LinearSystem system_;

 private:
  void run_once(int repetition, bool refactors);

  const std::string path_;
  MeasuredRun* run_ = nullptr;
  std::atomic<bool> refactoring_{false};  // read by the thread that watches memory
};

}  // namespace lufact
