// SPDX-License-Identifier: BSD-3-Clause
#include "app/run/worker.hpp"

#include <fmt/format.h>
#include <omp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <functional>
#include <iostream>
#include <new>
#include <nlohmann/json.hpp>

#include "app/config/machine_json.hpp"
#include "app/peers/peer_description.hpp"
#include "app/process/child_process.hpp"
#include "app/run/messages.hpp"
#include "core/base/error.hpp"
#include "core/base/heap.hpp"
#include "core/base/processors.hpp"
#include "core/distribution/rank_exchange.hpp"
#include "core/measure/clock.hpp"
#include "core/measure/core_pace.hpp"
#include "core/measure/host_counters.hpp"
#include "core/measure/host_state.hpp"
#include "core/measure/phase_board.hpp"
#include "core/report/record_json.hpp"

namespace lufact {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

// One variant, from `open` to the last sample.
class Worker {
 public:
  Worker(const Workload& workload, const json& request, const AnswerStream& answers,
         RankGroup* ranks, const cpu_set_t& processors)
      : answers_(answers),
        processors_(processors),
        refactor_(request.at("refactor").get<int>()),
        variant_(workload.make_worker(open_request(request, ranks))),
        setup_(clock_) {}

  void open() {
    variant_->open(setup_);
    host_state_ = read_host_state(omp_get_max_threads());
    RunRecord record;
    variant_->describe_input(record);
    record.host_state = host_state_;
    answers_.send(opened_message(setup_.take(), record));
  }

  void sample(int repetition, bool last) {
    const Sample sample = watched([&] { return variant_->run()->run_repetition(repetition); });
    if (!sample.phases.empty()) answers_.send(sample_message("sample", sample));
    if (last) finish();
    variant_->run()->release();
    variant_->release();
  }

  void count_page_faults() { answer_count(to_json(variant_->count_page_faults())); }

  void count_device_memory() {
    const bool refactors = refactor_ > 0 && variant_->run()->can_refactor();
    const auto counted = variant_->count_device_memory(refactors);
    answer_count(counted ? to_json(*counted) : ordered_json(nullptr));
  }

  void count_sources() { answer_count(to_json(variant_->count_sources())); }

  // What is known however the run ended, and where it is.
  RunRecord partial_record() const {
    RunRecord record;
    variant_->describe_input(record);
    variant_->add_memory(record.memory);
    return record;
  }
  std::string phase() const {
    const std::string in_setup = setup_.current_phase();
    return in_setup.empty() && variant_->run() != nullptr ? variant_->run()->phase() : in_setup;
  }

 private:
  void answer_count(const ordered_json& record) const {
    answers_.send({{"type", "counted"}, {"record", record}});
    variant_->run()->release();
    variant_->release();
  }

  // A sample with what the host did meanwhile.
  Sample watched(const std::function<Sample()>& take) const {
    const HostCounters before = read_host_counters(processors_);
    const CorePace core_before = measure_core_pace();
    Sample sample = take();
    const CorePace core_after = measure_core_pace();
    sample.host = use_between(before, read_host_counters(processors_));
    sample.host->core_before = core_before;
    sample.host->core_after = core_after;
    return sample;
  }

  void finish() {
    variant_->write_results();
    RunRecord record;
    record.host_state = host_state_;
    record.host_state->load_after = load_average();
    variant_->describe_input(record);
    variant_->run()->describe(record);
    refactor(record);
    variant_->add_memory(record.memory);
    variant_->judge(record);
    answers_.send({{"type", "record"}, {"record", to_json(record)}});
  }

  void refactor(RunRecord& record) {
    MeasuredRun& run = *variant_->run();
    if (refactor_ > 0 && !run.can_refactor()) {
      record.warnings.push_back(
          {"no_refactorization", "an external program is not asked to refactor"});
      return;
    }
    for (int k = 0; k < refactor_; ++k) {
      answers_.send(
          sample_message("refactor_sample", watched([&] { return run.run_refactorization(k); })));
    }
    run.add_refactorizations(record);
  }

  const AnswerStream& answers_;
  cpu_set_t processors_;
  int refactor_;
  std::unique_ptr<VariantWorker> variant_;
  SteadyClock clock_;
  PhaseRecorder setup_;
  HostState host_state_;
};

// Serves one request after the other.
class Server {
 public:
  // `ranks` is null for a worker that is alone, which its supervisor watches: it has no `limit`.
  Server(const Workloads& workloads, const AnswerStream& answers, RankLink* ranks, HostLimit limit)
      : workloads_(workloads), answers_(answers), ranks_(ranks), limit_(std::move(limit)) {}

  // Until standard input ends. False where the last request failed.
  bool serve_all() {
    for (std::string line; std::getline(std::cin, line);) {
      if (!serve_guarded(json::parse(line))) return false;
    }
    return true;
  }

 private:
  // False where the worker is of no more use.
  bool serve_guarded(const json& request) {
    try {
      serve(request);
      return true;
    } catch (const Error& error) {
      answer_failure(error.outcome(), error.code(), error.what());
    } catch (const UsageError& error) {  // what nobody could tell before the variant was there
      answer_failure(Outcome::unsupported, "not_taken", error.what());
    } catch (const std::bad_alloc&) {
      answer_failure(Outcome::oom_host, "host_out_of_memory",
                     "the host has no memory left for this run; try a machine with more memory, "
                     "or what needs less: fewer matrices or right-hand sides, an --ordering with "
                     "less fill-in");
    } catch (const std::exception& error) {
      answer_failure(Outcome::error, "internal",
                     fmt::format("internal error: {}; please report it", error.what()));
    }
    return false;
  }

  void answer_failure(Outcome outcome, const std::string& code, const std::string& text) const {
    ordered_json message =
        failed_message(outcome, code, text, worker_ != nullptr ? worker_->phase() : std::string());
    if (worker_ != nullptr) message["record"] = to_json(worker_->partial_record());
    answers_.send(message);
  }

  void serve(const json& request) {
    const std::string command = request.at("command").get<std::string>();
    if (command == "machine") {
      ordered_json message = machine_to_json(query_machine(request.at("device").get<int>()));
      message["type"] = "machine";
      answers_.send(message);
    } else if (command == "peer") {
      answers_.send(
          describe_peer(request.at("arrays").get<bool>() ? PeerKind::array : PeerKind::solver,
                        request.at("plugin").get<std::string>(), request.at("open").get<bool>(),
                        request.at("device").get<int>()));
    } else if (command == "open") {
      open(request);
    } else if (command == "sample") {
      attended([&] {
        worker_->sample(request.at("repetition").get<int>(), request.at("last").get<bool>());
      });
    } else if (command == "count_page_faults") {
      worker_->count_page_faults();
    } else if (command == "count_device_memory") {
      worker_->count_device_memory();
    } else if (command == "count_sources") {
      attended([&] { worker_->count_sources(); });
    } else {
      throw Error(Outcome::error, "internal", "unknown worker command " + command);
    }
    answers_.send({{"type", "done"}});
  }

  // Other ranks, where there are some, take part.
  void attended(const std::function<void()>& repetition) {
    if (ranks_ != nullptr) tell_to_attend(*ranks_);
    repetition();
    if (ranks_ != nullptr) tell_to_release(*ranks_);
  }

  void open(const json& request) {
    worker_.reset();  // of another input
    if (ranks_ != nullptr) {
      limit_(host_limit_of(request));
      check_ranks(request, *ranks_);
      tell_to_open(*ranks_, request);
    }
    worker_ = std::make_unique<Worker>(
        workload_named(workloads_, request.at("workload").get<std::string>()), request, answers_,
        ranks_, processors_);
    worker_->open();
    if (ranks_ != nullptr) collect_reports(*ranks_);
  }

  const Workloads& workloads_;
  const AnswerStream& answers_;
  RankLink* ranks_;
  HostLimit limit_;
  // Before a foreign library may bind this thread.
  const cpu_set_t processors_ = usable_processor_set();
  std::unique_ptr<Worker> worker_;
};

}  // namespace

int run_worker(const Workloads& workloads) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // never outlive the supervisor
  auto board = PhaseBoard::inherited(board_descriptor);
  if (board) show_phases_on(&*board);
  keep_freed_memory();
  const AnswerStream answers(answer_descriptor, AnswerStream::Form::lines);
  Server(workloads, answers, nullptr, {}).serve_all();
  return 0;
}

void serve_as_first_rank(const Workloads& workloads, RankLink& ranks, const AnswerStream& answers,
                         const HostLimit& limit) {
  Server server(workloads, answers, &ranks, limit);
  // What a failed run holds stays: to close it may mean to wait for work of other ranks.
  if (!server.serve_all()) ranks.abort();
}

}  // namespace lufact
