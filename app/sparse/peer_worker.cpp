// SPDX-License-Identifier: BSD-3-Clause
#include "app/sparse/peer_worker.hpp"

#include <memory>
#include <optional>
#include <string>

#include "app/config/peer_names.hpp"
#include "app/input/systems_file.hpp"
#include "app/peers/external_run.hpp"
#include "app/peers/peer_description.hpp"
#include "app/programs/peer_program.hpp"
#include "app/sparse/sparse_worker.hpp"
#include "baselines/peers/known_peers.hpp"
#include "baselines/peers/peer_plugin.hpp"
#include "baselines/peers/plugin_run.hpp"
#include "baselines/peers/plugin_systems_run.hpp"
#include "core/base/error.hpp"
#include "gpu/gpu.hpp"

namespace lufact {
namespace {

class PeerWorker : public SparseWorker {
 public:
  explicit PeerWorker(const OpenRequest& request)
      : SparseWorker(request), name_(request.variant.at("peer").get<std::string>()) {}

  void judge(RunRecord& record) const override {
    record.pipeline->peer = name_;
    SparseWorker::judge(record);
  }

 protected:
  const std::string name_;
};

class PluginWorker final : public PeerWorker {
 public:
  explicit PluginWorker(const OpenRequest& request)
      : PeerWorker(request),
        settings_{config_.verify, config_.effective_threshold(), config_.seed,
                  config_.refactoring} {}

 private:
  void open_solver(PhaseRecorder& setup) override {
    const auto phase = setup.host_scope("init");
    const PeerName name = parse_peer_name(name_);
    plugin_.emplace(name.plugin);
    solver_.emplace(*plugin_, solver_options(name.variant, config_.threads, config_.device));
    solver_->facts();
    solver_->transpose(config_.transpose);
  }

  bool uses_device() const override { return solver_->facts().on_device; }

  MeasuredRun& make_run() override {
    const PageLockedMemory memory = [device = config_.device](std::size_t bytes) {
      return gpu::page_locked_memory(device, bytes);
    };
    if (config_.systems) {
      run_ = std::make_unique<PluginSystemsRun>(*solver_, system_, settings_, clock_,
                                                systems_input(config_, system_), memory);
    } else {
      run_ = std::make_unique<PluginRun>(*solver_, system_, settings_, clock_, memory);
    }
    return *run_;
  }

  const PeerRunSettings settings_;
  std::optional<PeerPlugin> plugin_;
  std::optional<PeerSolver> solver_;
  std::unique_ptr<MeasuredRun> run_;
};

// A command of the user's, or a program that lufact has for a foreign library.
class ProgramWorker final : public PeerWorker {
 public:
  explicit ProgramWorker(const OpenRequest& request)
      : PeerWorker(request),
        folder_(request.folder),
        program_config_(program_config(name_, config_)) {}

 private:
  void open_solver(PhaseRecorder&) override {
    if (config_.transpose) {
      throw Error(Outcome::unsupported, "no_transposed_solve",
                  "a program is asked to solve A X = B and knows of no transpose");
    }
    const auto command = external_command(name_);
    command_ = command ? *command : program_command(name_, config_, order_file());
  }

  MeasuredRun& make_run() override {
    return run_.emplace(command_, folder_, system_, program_config_, clock_);
  }

  std::string order_file() const {
    return config_.written_permutation.value_or(folder_ + "/order.txt");
  }

  const std::string folder_;
  const RunConfig program_config_;
  std::string command_;
  std::optional<ExternalRun> run_;
};

}  // namespace

std::unique_ptr<VariantWorker> make_peer_worker(const OpenRequest& request) {
  const auto name = request.variant.at("peer").get<std::string>();
  if (external_command(name) || is_peer_program(name)) {
    return std::make_unique<ProgramWorker>(request);
  }
  return std::make_unique<PluginWorker>(request);
}

}  // namespace lufact
