// SPDX-License-Identifier: BSD-3-Clause
#include "app/run/turns.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "app/process/interrupt.hpp"
#include "app/run/counted_repetition.hpp"
#include "app/run/variant_process.hpp"
#include "core/base/error.hpp"
#include "core/base/processors.hpp"
#include "core/measure/other_processes.hpp"
#include "core/report/cells.hpp"

namespace lufact {
namespace {

class Turns {
 public:
  Turns(std::vector<PendingRun> runs, const Input& input, WorkerPool& pool, RunProgress& progress,
        const FinishedRun& finished)
      : input_(input), progress_(progress), finished_(finished) {
    progress_.begin_input(input.name);
    for (PendingRun& run : runs) {
      progress_.expect(run_label(run.record), run.plan->measuring);
      seats_.push_back(
          {run.plan, std::make_unique<VariantProcess>(*run.plan, std::move(run.record),
                                                      InterruptGuard::flag(), pool, progress)});
    }
  }

  void refuse(const std::string& unreadable) {
    for (Seat& seat : seats_) {
      seat.begun = true;
      seat.process->fail(Outcome::error, "bad_matrix", unreadable, "read");
      end_turn(seat);
    }
  }

  void open() {
    others_.emplace(getpid(), usable_processor_set());
    for (Seat& seat : seats_) {
      if (InterruptGuard::interrupted()) return;
      const VariantPlan& plan = *seat.plan;
      seat.begun = true;
      if (plan.unsupported.empty()) {
        seat.process->start_open(input_);
      } else {
        seat.process->fail(Outcome::unsupported, plan.unsupported_code, plan.unsupported, "");
      }
    }
    for (Seat& seat : seats_) {
      if (seat.process->running()) seat.process->await_open();
      end_turn(seat);
    }
  }

  // Every variant takes its turn in every repetition that it has. One with more to warm up begins
  // earlier.
  void take() {
    int first = 0;
    for (const Seat& seat : seats_) first = std::min(first, -seat.plan->measuring.warmup);
    for (int repetition = first; running() > 0; ++repetition) {
      const bool all_settled = every_running_is_settled();
      for (Seat& seat : seats_) {
        if (!seat.process->running() || repetition < -seat.plan->measuring.warmup) continue;
        seat.process->take_turn(all_settled, running() > 1);
        end_turn(seat);
      }
    }
    for (Seat& seat : seats_) end_turn(seat);
  }

  std::vector<RunRecord> records() const {
    std::vector<RunRecord> records;
    for (const Seat& seat : seats_) {
      if (seat.told) records.push_back(seat.process->record());
    }
    return records;
  }

 private:
  struct Seat {
    const VariantPlan* plan;
    std::unique_ptr<VariantProcess> process;
    bool begun = false;  // no interrupt came before it
    bool told = false;   // it has ended, and `finished_` knows
  };

  std::ptrdiff_t running() const {
    return std::ranges::count_if(seats_, [](const Seat& seat) { return seat.process->running(); });
  }

  bool every_running_is_settled() const {
    return std::ranges::all_of(seats_, [](const Seat& seat) {
      return !seat.process->running() || seat.process->settled();
    });
  }

  void end_turn(Seat& seat) {
    if (!seat.begun || seat.process->running() || seat.told || waits_for_the_card(seat)) return;
    if (others_) {  // before what is not timed
      if (const auto use = others_->use()) seat.process->add_others_use(*use);
    }
    const auto begin = std::chrono::steady_clock::now();
    count_apart(seat);
    const std::chrono::duration<double> counting = std::chrono::steady_clock::now() - begin;
    seat.told = true;
    seat.process->judge_measurement();
    progress_.end_variant(run_label(seat.process->record()));
    finished_(seat.process->record(), seat.process->elapsed_s() + counting.count());
  }

  static bool worked(const Seat& seat) { return seat.process->record().outcome == Outcome::ok; }

  // Where the driver tells no processes apart, what others hold of the card would be counted too.
  bool waits_for_the_card(const Seat& seat) const {
    return seat.plan->counts_device_memory && worked(seat) && running() > 0;
  }

  // Repetitions that are never timed ones.
  void count_apart(Seat& seat) {
    count_sources(seat);
    if (worked(seat)) count_by_driver(seat);
  }

  // For a variant that came to its end, be its solution wrong.
  void count_sources(Seat& seat) {
    const RunRecord& record = seat.process->record();
    if (!seat.plan->counts_sources || !record.profile) return;
    seat.process->add_sources(run_source_repetition(
        *seat.plan, input_, record.input.sha256.value_or(""), InterruptGuard::flag()));
  }

  void count_by_driver(Seat& seat) {
    const volatile int* const stop = InterruptGuard::flag();
    if (seat.plan->counts_page_faults && !InterruptGuard::interrupted()) {
      seat.process->add_unified_memory(run_page_fault_repetition(*seat.plan, input_, stop));
    }
    if (seat.plan->counts_device_memory && !InterruptGuard::interrupted()) {
      seat.process->add_driver_memory(run_device_memory_repetition(*seat.plan, input_, stop));
    }
  }

  const Input& input_;
  RunProgress& progress_;
  std::vector<Seat> seats_;
  std::optional<OtherProcesses> others_;  // from the opening on
  const FinishedRun& finished_;
};

}  // namespace

std::vector<RunRecord> run_in_turns(std::vector<PendingRun> runs, const Input& input,
                                    const std::string& unreadable, WorkerPool& pool,
                                    RunProgress& progress, const FinishedRun& finished) {
  Turns turns(std::move(runs), input, pool, progress, finished);
  if (unreadable.empty()) {
    turns.open();
    turns.take();
  } else {
    turns.refuse(unreadable);
  }
  return turns.records();
}

}  // namespace lufact
