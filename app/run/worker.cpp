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
#include "core/measure/clock.hpp"
#include "core/measure/host_counters.hpp"
#include "core/measure/host_state.hpp"
#include "core/measure/phase_board.hpp"
#include "core/report/record_json.hpp"

namespace lufact {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

void send_answer(const ordered_json& message) {
  const std::string line = dump_json(message) + "\n";
  std::size_t sent = 0;
  while (sent < line.size()) {
    const ssize_t wrote = write(answer_descriptor, line.data() + sent, line.size() - sent);
    if (wrote < 0) _exit(1);  // the supervisor is gone
    sent += static_cast<std::size_t>(wrote);
  }
}

// One variant, from `open` to the last sample.
class Worker {
 public:
  Worker(const Workload& workload, const json& request)
      : refactor_(request.at("refactor").get<int>()),
        variant_(workload.make_worker(open_request(request))),
        setup_(clock_) {}

  void open() {
    variant_->open(setup_);
    host_state_ = read_host_state(omp_get_max_threads());
    RunRecord record;
    variant_->describe_input(record);
    record.host_state = host_state_;
    send_answer(opened_message(setup_.take(), record));
  }

  void sample(int repetition, bool last) {
    const Sample sample = watched([&] { return variant_->run()->run_repetition(repetition); });
    if (!sample.phases.empty()) send_answer(sample_message("sample", sample));
    if (last) finish();
    variant_->run()->release();
    variant_->release();
  }

  void count_page_faults() {
    send_answer({{"type", "unified_memory"}, {"record", to_json(variant_->count_page_faults())}});
    variant_->run()->release();
    variant_->release();
  }

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
  // A sample with what the host did meanwhile.
  static Sample watched(const std::function<Sample()>& take) {
    const HostCounters before = read_host_counters();
    Sample sample = take();
    sample.host = use_between(before, read_host_counters());
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
    send_answer({{"type", "record"}, {"record", to_json(record)}});
  }

  void refactor(RunRecord& record) {
    MeasuredRun& run = *variant_->run();
    if (refactor_ > 0 && !run.can_refactor()) {
      record.warnings.push_back(
          {"no_refactorization", "an external program is not asked to refactor"});
      return;
    }
    for (int k = 0; k < refactor_; ++k) {
      send_answer(
          sample_message("refactor_sample", watched([&] { return run.run_refactorization(k); })));
    }
    run.add_refactorizations(record);
  }

  int refactor_;
  std::unique_ptr<VariantWorker> variant_;
  SteadyClock clock_;
  PhaseRecorder setup_;
  HostState host_state_;
};

void answer_failure(const Worker* worker, Outcome outcome, const std::string& code,
                    const std::string& text) {
  ordered_json message{{"type", "failed"},
                       {"outcome", to_string(outcome)},
                       {"code", code},
                       {"message", text},
                       {"phase", worker != nullptr ? worker->phase() : std::string()},
                       {"record", nullptr}};
  if (worker != nullptr) message["record"] = to_json(worker->partial_record());
  send_answer(message);
}

// Serves one request after the other.
class Server {
 public:
  explicit Server(const Workloads& workloads) : workloads_(workloads) {}

  // False where the worker is of no more use.
  bool serve_guarded(const json& request) {
    try {
      serve(request);
      return true;
    } catch (const Error& error) {
      answer_failure(worker_.get(), error.outcome(), error.code(), error.what());
    } catch (const UsageError& error) {  // what nobody could tell before the variant was there
      answer_failure(worker_.get(), Outcome::unsupported, "not_taken", error.what());
    } catch (const std::bad_alloc&) {
      answer_failure(worker_.get(), Outcome::oom_host, "host_out_of_memory",
                     "the host has no memory left for this run; try a machine with more memory, "
                     "or what needs less: fewer matrices or right-hand sides, an --ordering with "
                     "less fill-in");
    } catch (const std::exception& error) {
      answer_failure(worker_.get(), Outcome::error, "internal",
                     fmt::format("internal error: {}; please report it", error.what()));
    }
    return false;
  }

 private:
  void serve(const json& request) {
    const std::string command = request.at("command").get<std::string>();
    if (command == "machine") {
      ordered_json message = machine_to_json(query_machine(request.at("device").get<int>()));
      message["type"] = "machine";
      send_answer(message);
    } else if (command == "peer") {
      send_answer(
          describe_peer(request.at("arrays").get<bool>() ? PeerKind::array : PeerKind::solver,
                        request.at("plugin").get<std::string>(), request.at("open").get<bool>(),
                        request.at("device").get<int>()));
    } else if (command == "open") {
      worker_.reset();  // of another input
      worker_ = std::make_unique<Worker>(
          workload_named(workloads_, request.at("workload").get<std::string>()), request);
      worker_->open();
    } else if (command == "sample") {
      worker_->sample(request.at("repetition").get<int>(), request.at("last").get<bool>());
    } else if (command == "count_page_faults") {
      worker_->count_page_faults();
    } else {
      throw Error(Outcome::error, "internal", "unknown worker command " + command);
    }
    send_answer({{"type", "done"}});
  }

  const Workloads& workloads_;
  std::unique_ptr<Worker> worker_;
};

}  // namespace

int run_worker(const Workloads& workloads) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // never outlive the supervisor
  auto board = PhaseBoard::inherited(board_descriptor);
  if (board) show_phases_on(&*board);
  keep_freed_memory();
  Server server(workloads);
  for (std::string line; std::getline(std::cin, line);) {
    if (!server.serve_guarded(json::parse(line))) break;
  }
  return 0;
}

}  // namespace lufact
