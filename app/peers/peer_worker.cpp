// SPDX-License-Identifier: BSD-3-Clause
#include "app/peers/peer_worker.hpp"

#include <fmt/format.h>
#include <omp.h>

#include "app/config/json_optional.hpp"
#include "app/config/machine_json.hpp"
#include "app/config/peer_names.hpp"
#include "app/config/run_config.hpp"
#include "app/input/linear_system_input.hpp"
#include "app/peers/external_run.hpp"
#include "baselines/peers/known_peers.hpp"
#include "baselines/peers/peer_plugin.hpp"
#include "baselines/peers/plugin_run.hpp"
#include "core/matrix/reader.hpp"
#include "core/report/record_json.hpp"
#include "gpu/gpu.hpp"

namespace lufact {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

PeerSolver::Options solver_options(const std::string& variant, int threads, int device) {
  return {variant, effective_threads(threads), device};
}

class PeerWorker final : public WorkerRun {
 public:
  explicit PeerWorker(const json& request)
      : config_(run_config_from_json(request.at("config"))),
        name_(request.at("peer").get<std::string>()),
        folder_(request.value("folder", std::string())),
        settings_{config_.verify, config_.effective_threshold(), config_.seed},
        setup_(clock_) {
    omp_set_num_threads(effective_threads(config_.threads));
  }

  void open(const std::string& matrix) override {
    const auto command = external_command(name_);
    if (!command) open_plugin();
    {
      const auto phase = setup_.host_scope("read");
      system_.input = read_matrix(matrix, read_options(config_));
    }
    complete_linear_system(config_, system_);
    if (command) {
      run_ = std::make_unique<ExternalRun>(*command, folder_, system_, config_, clock_);
    } else {
      run_ = std::make_unique<PluginRun>(*solver_, system_, settings_, clock_,
                                         [device = config_.device](std::size_t bytes) {
                                           return gpu::page_locked_memory(device, bytes);
                                         });
    }
  }

  ordered_json opened() override { return opened_message(setup_.take(), system_.input.facts); }

  void sample(int repetition, bool last, const Answer& answer) override {
    const auto sample = run_->run_repetition(repetition);
    if (sample) answer(sample_message("sample", *sample));
    if (!last) {
      run_->release();
      return;
    }
    if (config_.solution_file && !run_->solution().empty()) {
      write_block(*config_.solution_file, run_->solution(), system_.rhs);
    }
    RunRecord record;
    record.pipeline.peer = name_;
    record.memory.host_peak_bytes = peak_resident_bytes();
    run_->describe(record);
    refactor(record, answer);
    answer({{"type", "record"}, {"record", to_json(record)}});
    run_->release();
  }

  void count_page_faults(const Answer&) override {
    throw Error(Outcome::unsupported, "no_page_faults", "page faults of a peer are not counted");
  }

  RunRecord partial_record() const override {
    RunRecord record;
    record.matrix = system_.input.facts;
    record.memory.host_peak_bytes = peak_resident_bytes();
    return record;
  }

  std::string phase() const override {
    const std::string in_setup = setup_.current_phase();
    return in_setup.empty() && run_ ? run_->phase() : in_setup;
  }

 private:
  void open_plugin() {
    const auto phase = setup_.host_scope("init");
    const PeerName name = parse_peer_name(name_);
    plugin_.emplace(name.plugin);
    solver_.emplace(*plugin_, solver_options(name.variant, config_.threads, config_.device));
    solver_->facts();
  }

  void refactor(RunRecord& record, const Answer& answer) {
    if (config_.refactor > 0 && !run_->can_refactor()) {
      record.warnings.push_back(
          {"no_refactorization", "an external program is not asked to refactor"});
      return;
    }
    for (int k = 0; k < config_.refactor; ++k) {
      answer(sample_message("refactor_sample", run_->run_refactorization(k)));
    }
    run_->add_refactorizations(record);
  }

  RunConfig config_;
  std::string name_;
  std::string folder_;  // for the files of an external program
  PeerRunSettings settings_;
  SteadyClock clock_;
  PhaseRecorder setup_;
  std::optional<PeerPlugin> plugin_;
  std::optional<PeerSolver> solver_;
  LinearSystem system_;
  std::unique_ptr<PeerRun> run_;
};

}  // namespace

std::unique_ptr<WorkerRun> make_peer_worker(const json& request) {
  return std::make_unique<PeerWorker>(request);
}

ordered_json describe_peer(const std::string& plugin, bool open, int device) {
  ordered_json answer{{"type", "peer"},
                      {"loaded", false},
                      {"description", nullptr},
                      {"library", nullptr},
                      {"version", nullptr},
                      {"on_device", nullptr},
                      {"variants", json::array()},
                      {"reason", nullptr}};
  try {
    const PeerPlugin loaded(plugin);
    answer["loaded"] = true;
    answer["description"] = loaded.api().description;
    for (std::uint32_t k = 0; k < loaded.api().variant_count; ++k) {
      const lufact_peer_text& variant = loaded.api().variants[k];
      answer["variants"].push_back({{"name", variant.name}, {"description", variant.value}});
    }
    if (!open) return answer;
    const PeerSolver solver(loaded, solver_options("", 0, device));
    const PeerFacts facts = solver.facts();
    answer["library"] = or_null(facts.record.library);
    answer["version"] = or_null(facts.record.version);
    answer["on_device"] = facts.on_device;
  } catch (const Error& error) {
    answer["reason"] = error.what();
  }
  return answer;
}

}  // namespace lufact
