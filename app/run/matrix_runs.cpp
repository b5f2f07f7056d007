// SPDX-License-Identifier: BSD-3-Clause
#include "app/run/matrix_runs.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "app/process/interrupt.hpp"
#include "app/run/page_fault_repetition.hpp"
#include "app/run/variant_process.hpp"
#include "core/base/error.hpp"
#include "core/matrix/reader.hpp"

namespace lufact {
namespace {

class Turns {
 public:
  Turns(std::vector<PendingRun> runs, const FinishedRun& finished) : finished_(finished) {
    for (PendingRun& run : runs) {
      seats_.push_back(
          {run.plan, std::make_unique<VariantProcess>(run.plan->config, std::move(run.record),
                                                      InterruptGuard::flag())});
    }
  }

  void refuse(const std::string& unreadable) {
    for (Seat& seat : seats_) {
      seat.process->fail(Outcome::error, "bad_matrix", unreadable, "read");
      end_turn(seat);
    }
  }

  void open(const std::string& path) {
    for (Seat& seat : seats_) {
      if (InterruptGuard::interrupted()) return;
      const VariantPlan& plan = *seat.plan;
      if (plan.support.ok) {
        seat.process->start_open(path);
      } else {
        seat.process->fail(Outcome::unsupported, "no_device", plan.support.reason, "");
      }
    }
    for (Seat& seat : seats_) {
      if (seat.process->running()) seat.process->await_open();
      end_turn(seat);
    }
  }

  // Every variant takes its turn in every repetition that it has.
  void take() {
    int first = 0, end = 0;
    for (const Seat& seat : seats_) {
      first = std::min(first, -seat.plan->config.warmup);
      end = std::max(end, seat.plan->config.repetitions);
    }
    for (int repetition = first; repetition < end; ++repetition) {
      for (Seat& seat : seats_) {
        if (seat.process->running() && repetition >= -seat.plan->config.warmup) {
          seat.process->sample(repetition, repetition + 1 == seat.plan->config.repetitions);
          end_turn(seat);
        }
      }
    }
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
    bool told = false;  // it has ended, and `finished_` knows
  };

  void end_turn(Seat& seat) {
    if (seat.process->running() || seat.told) return;
    const auto begin = std::chrono::steady_clock::now();
    count_page_faults(seat);
    const std::chrono::duration<double> counting = std::chrono::steady_clock::now() - begin;
    seat.told = true;
    finished_(seat.process->record(), seat.process->elapsed_s() + counting.count());
  }

  // A repetition that is never a timed one, for a variant that worked and uses the device.
  void count_page_faults(Seat& seat) {
    const RunConfig& config = seat.plan->config;
    const RunRecord& record = seat.process->record();
    if (!config.count_page_faults || InterruptGuard::interrupted() || record.outcome != Outcome::ok)
      return;
    if (record.pipeline.peer || !seat.plan->chain.uses_device(config.until)) return;
    seat.process->add_unified_memory(
        run_page_fault_repetition(config, record.mode, record.matrix.path, InterruptGuard::flag()));
  }

  std::vector<Seat> seats_;
  const FinishedRun& finished_;
};

}  // namespace

std::vector<RunRecord> run_in_turns(std::vector<PendingRun> runs, const std::string& path,
                                    const std::string& unreadable, const FinishedRun& finished) {
  Turns turns(std::move(runs), finished);
  if (unreadable.empty()) {
    turns.open(path);
    turns.take();
  } else {
    turns.refuse(unreadable);
  }
  return turns.records();
}

MatrixHash hash_matrix(const std::string& path) {
  try {
    return {sha256_of_file(path), ""};
  } catch (const Error& error) {
    return {"", error.what()};
  }
}

}  // namespace lufact
