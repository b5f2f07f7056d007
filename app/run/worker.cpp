// SPDX-License-Identifier: BSD-3-Clause
#include "app/run/worker.hpp"

#include <fmt/format.h>
#include <omp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <iostream>
#include <new>
#include <nlohmann/json.hpp>

#include "app/config/machine_json.hpp"
#include "app/config/run_config.hpp"
#include "app/input/linear_system_input.hpp"
#include "app/peers/peer_worker.hpp"
#include "app/peers/worker_run.hpp"
#include "app/process/child_process.hpp"
#include "app/run/progress.hpp"
#include "core/base/error.hpp"
#include "core/base/heap.hpp"
#include "core/columns/host_vectors.hpp"
#include "core/matrix/reader.hpp"
#include "core/report/record_json.hpp"
#include "core/run/pipeline_run.hpp"
#include "gpu/gpu.hpp"
#include "lufact/catalogue.hpp"

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

// Our stages, from `open` to the last sample.
class Variant final : public WorkerRun {
 public:
  explicit Variant(const json& request)
      : config_(run_config_from_json(request.at("config"))),
        catalogue_(make_catalogue()),
        mode_(request.at("mode").get<std::string>()),
        chain_(resolve_chain(catalogue_, select_stages(config_, catalogue_.mode(mode_)))),
        setup_(clock_) {
    settings_.until = config_.until;
    settings_.verify = config_.verify;
    settings_.threshold = config_.effective_threshold();
    settings_.record_profile = config_.record_profile;
    settings_.seed = config_.seed;
    settings_.options = stage_options(config_);
    settings_.options.dependency = chain_.dependency;
    omp_set_num_threads(settings_.options.threads);
    // Counters must exist before the session, which `open` makes.
    if (request.value("count_page_faults", false)) page_faults_ = gpu::count_page_faults();
  }

  void open(const std::string& path) override {
    {
      const auto phase = setup_.scope("context");
      open_device();
    }
    {
      const auto phase = setup_.scope("read");
      system_.input = read_matrix(path, read_options(config_));
    }
    complete_linear_system(config_, system_);
    run_ = std::make_unique<PipelineRun>(catalogue_, chain_, system_, settings_, environment_);
  }

  ordered_json opened() override { return opened_message(setup_.take(), system_.input.facts); }

  void sample(int repetition, bool last, const Answer& answer) override {
    answer(sample_message("sample", run_->run_repetition(repetition)));
    if (!last) return release();
    if (config_.solution_file) write_block(*config_.solution_file, run_->solution(), system_.rhs);
    RunRecord record;
    run_->describe(record);
    for (int k = 0; k < config_.refactor; ++k) {
      answer(sample_message("refactor_sample", run_->run_refactorization(k)));
    }
    run_->add_refactorizations(record);
    add_memory(record.memory);
    if (!config_.record_profile) record.profile.reset();
    answer({{"type", "record"}, {"record", to_json(record)}});
    release();
  }

  // After one repetition that warms up, as for the timed ones.
  void count_page_faults(const Answer& answer) override {
    run_->run_repetition(-1);
    release();
    page_faults_->restart();
    const Sample sample = run_->run_repetition(0);
    UnifiedMemoryRecord unified = page_faults_->read();
    for (const PhaseTime& phase : sample.phases) {
      if (phase.name == "symbolic") unified.symbolic_s = phase.wall_s;
    }
    if (unified.fault_service_s && unified.symbolic_s.value_or(0) > 0) {
      unified.fault_share = *unified.fault_service_s / *unified.symbolic_s;
    }
    answer({{"type", "unified_memory"}, {"record", to_json(unified)}});
    release();
  }

  RunRecord partial_record() const override {
    RunRecord record;
    record.matrix = system_.input.facts;
    add_memory(record.memory);
    return record;
  }

  std::string phase() const override {
    const std::string in_setup = setup_.current_phase();
    return in_setup.empty() && run_ ? run_->phase() : in_setup;
  }

 private:
  // Whoever has the next turn finds the card free.
  void release() {
    run_->release();
    if (session_) gpu::return_memory(*session_);
  }

  void add_memory(MemoryRecord& memory) const {
    memory.host_peak_bytes = peak_resident_bytes();
    if (!session_) return;
    const DeviceMemoryReport report = gpu::memory_report(*session_);
    memory.budget_bytes = report.budget_bytes;
    memory.device_peak_bytes = report.peak_bytes;
    memory.resident_bytes = report.resident_peak_bytes;
    memory.scratch_peak_bytes = report.scratch_peak_bytes;
    memory.managed_peak_bytes = report.managed_peak_bytes;
    memory.pinned_peak_bytes = report.pinned_peak_bytes;
  }

  void open_device() {
    if (chain_.uses_device(config_.until)) {
      session_ = gpu::open_session({config_.device, config_.device_memory_limit});
      environment_.device = session_.get();
      environment_.probe = &gpu::probe(*session_);
      environment_.device_room = [this] { return gpu::free_bytes(*session_); };
      environment_.page_locked_memory = [this](std::size_t bytes) {
        return gpu::page_locked_memory(config_.device, bytes);
      };
      environment_.require_resident = [this](std::uint64_t bytes) {
        gpu::require_resident(*session_, bytes, "the whole factorization");
      };
    }
    environment_.make_vectors = [this](Side side) {
      return side == Side::device ? gpu::make_vector_backend(*session_)
                                  : make_host_vector_backend(settings_.options.threads);
    };
    if (!config_.quiet) environment_.progress = &progress_;
  }

  RunConfig config_;
  Catalogue catalogue_;
  std::string mode_;
  Chain chain_;
  SteadyClock clock_;
  PhaseRecorder setup_;
  TerminalProgress progress_;
  std::unique_ptr<gpu::PageFaultCounters> page_faults_;
  std::shared_ptr<DeviceSession> session_;
  RunSettings settings_;
  RunEnvironment environment_{clock_, nullptr, nullptr, nullptr, {}, {}};
  LinearSystem system_;
  std::unique_ptr<PipelineRun> run_;
};

void answer_failure(const WorkerRun* run, Outcome outcome, const std::string& code,
                    const std::string& text) {
  ordered_json message{{"type", "failed"},
                       {"outcome", to_string(outcome)},
                       {"code", code},
                       {"message", text},
                       {"phase", run != nullptr ? run->phase() : std::string()},
                       {"record", nullptr}};
  if (run != nullptr) message["record"] = to_json(run->partial_record());
  send_answer(message);
}

std::unique_ptr<WorkerRun> make_run(const json& request) {
  if (request.contains("peer")) return make_peer_worker(request);
  return std::make_unique<Variant>(request);
}

void serve(const json& request, std::unique_ptr<WorkerRun>& run) {
  const std::string command = request.at("command").get<std::string>();
  if (command == "machine") {
    ordered_json message = machine_to_json(query_machine(request.at("device").get<int>()));
    message["type"] = "machine";
    send_answer(message);
  } else if (command == "peer") {
    send_answer(describe_peer(request.at("plugin").get<std::string>(),
                              request.at("open").get<bool>(), request.at("device").get<int>()));
  } else if (command == "open") {
    run = make_run(request);
    run->open(request.at("matrix").get<std::string>());
    send_answer(run->opened());
  } else if (command == "sample") {
    run->sample(request.at("repetition").get<int>(), request.at("last").get<bool>(), send_answer);
  } else if (command == "count_page_faults") {
    run->count_page_faults(send_answer);
  } else {
    throw Error(Outcome::error, "internal", "unknown worker command " + command);
  }
  send_answer({{"type", "done"}});
}

// False where the worker is of no more use.
bool serve_guarded(const json& request, std::unique_ptr<WorkerRun>& run) {
  try {
    serve(request, run);
    return true;
  } catch (const Error& error) {
    answer_failure(run.get(), error.outcome(), error.code(), error.what());
  } catch (const std::bad_alloc&) {
    answer_failure(
        run.get(), Outcome::oom_host, "host_out_of_memory",
        "the host has no memory left for this matrix; try a machine with more memory, or "
        "another --ordering, which may cause less fill-in");
  } catch (const std::exception& error) {
    answer_failure(run.get(), Outcome::error, "internal",
                   fmt::format("internal error: {}; please report it", error.what()));
  }
  return false;
}

}  // namespace

int run_worker() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // never outlive the supervisor
  keep_freed_memory();
  std::unique_ptr<WorkerRun> run;
  for (std::string line; std::getline(std::cin, line);) {
    if (!serve_guarded(json::parse(line), run)) break;
  }
  return 0;
}

}  // namespace lufact
