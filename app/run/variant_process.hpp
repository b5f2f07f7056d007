// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "app/process/child_process.hpp"
#include "app/process/scratch_folder.hpp"
#include "app/run/counted_repetition.hpp"
#include "app/run/run_progress.hpp"
#include "app/run/stopping_rule.hpp"
#include "app/run/worker_pool.hpp"
#include "app/workload/input.hpp"
#include "app/workload/variant_plan.hpp"
#include "core/measure/other_processes.hpp"
#include "core/pipeline/record.hpp"

namespace lufact {

// One variant on one input: the record that grows and the worker process that fills it. A worker
// that dies, hangs past its time or outgrows its memory ends its own record only; what it had
// streamed stays.
class VariantProcess {
 public:
  // `record` is what was known before. `stop` turns nonzero when the user interrupts.
  // Pool and progress must outlive it.
  VariantProcess(const VariantPlan& plan, RunRecord record, const volatile int* stop,
                 WorkerPool& pool, RunProgress& progress);

  bool running() const noexcept { return child_ != nullptr; }
  // Starts the worker, which opens the input; await_open() waits for that, so that several variants
  // open side by side.
  void start_open(const Input& input);
  void await_open();
  // The next repetition. Those that warm up come first: measured, not recorded. Where time and
  // noise decide which one is the last, they do so for all that take turns: `all_settled`.
  // `after_others`: other processes had the machine since the last repetition. A short repetition
  // is slower then than one among its like, so that one that is not recorded goes before it.
  void take_turn(bool all_settled, bool after_others);
  bool settled() const;
  // Once it has ended: adds what its samples say of their own worth.
  void judge_measurement();
  // Ends the record without a worker: unsupported, or an input that cannot be read.
  void fail(Outcome outcome, const std::string& code, const std::string& message,
            const std::string& phase);
  // What others did meanwhile, as the supervisor saw it.
  void add_others_use(const OthersUse& use);
  void add_unified_memory(UnifiedMemoryRecord unified) { record_.unified_memory = unified; }
  void add_driver_memory(std::optional<DriverMemoryRecord> driver) {
    record_.memory.driver = std::move(driver);
  }
  // To a profile that is there. Where they are missing a warning says why.
  void add_sources(CountedSources counted);
  const RunRecord& record() const noexcept { return record_; }
  // What its requests have taken so far, the turns of others left out.
  double elapsed_s() const noexcept { return used_.count(); }

 private:
  Taken taken() const;
  bool warms_up_for_turn() const;
  // False where the variant has ended by it.
  bool sample(int repetition, bool last);
  bool make_folder();
  bool request(const nlohmann::json& message);
  void send(const nlohmann::json& message);
  bool take_answers();
  bool read_answers();
  void take_answer(const nlohmann::json& message);
  void take_failure(const nlohmann::json& message);
  void take_record(RunRecord told);
  void take_pipeline(std::optional<PipelineRecord> told);
  void lose_child(ChildProcess::Wait why);
  void take_input(const RunRecord& told);

  const VariantPlan& plan_;
  RunRecord record_;
  const volatile int* stop_;
  WorkerPool& pool_;
  RunProgress& progress_;
  // Files of a worker that has such outlive it, so that they go where it is killed.
  std::optional<ScratchFolder> folder_;
  std::unique_ptr<ChildProcess> child_;
  std::chrono::duration<double> used_{0};
  int repetition_;                      // the next one; negative: it warms up
  int asked_ = 0;                       // the repetition that the worker was asked for
  std::optional<double> last_total_s_;  // of a repetition, recorded or not
  bool done_ = false;
  bool ranks_run_ = false;  // the first of them has said so
};

}  // namespace lufact
