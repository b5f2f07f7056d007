// SPDX-License-Identifier: BSD-3-Clause
#include "app/sparse/pipeline_worker.hpp"

#include <omp.h>

#include <optional>

#include "app/config/machine_json.hpp"
#include "app/sparse/sparse_worker.hpp"
#include "app/workload/device_memory.hpp"
#include "core/columns/host_vectors.hpp"
#include "core/measure/phase_board.hpp"
#include "core/run/pipeline_run.hpp"
#include "gpu/gpu.hpp"

namespace lufact {
namespace {

RunSettings run_settings(const Catalogue& catalogue, const RunConfig& config, const Chain& chain) {
  RunSettings settings;
  settings.until = config.until;
  settings.verify = config.verify;
  settings.threshold = config.effective_threshold();
  settings.record_profile = config.record_profile;
  settings.seed = config.seed;
  settings.options = stage_options(config);
  if (chain.uses_device(config.until)) {
    settings.options.threads = threads_beside_device(config.threads);
  }
  settings.options.dependency = chain.dependency;
  tell_gsofa_options(config.gsofa, catalogue, chain, settings.options);
  settings.options.gsofa.profile = config.record_profile;
  return settings;
}

// For whoever looks at the board of this process.
class ShownProgress final : public Progress {
 public:
  void report(std::string_view, Offset done, Offset total) override {
    if (total > 0) show_share_of_phase(static_cast<double>(done) / static_cast<double>(total));
  }
};

class PipelineWorker final : public SparseWorker {
 public:
  PipelineWorker(const Catalogue& catalogue, const OpenRequest& request)
      : SparseWorker(request),
        catalogue_(catalogue),
        chain_(resolve_chain(
            catalogue,
            select_stages(config_, catalogue.mode(request.variant.at("mode").get<std::string>())))),
        settings_(run_settings(catalogue, config_, chain_)) {
    omp_set_num_threads(settings_.options.threads);
    // Counters must exist before the session.
    if (request.count_page_faults) page_faults_ = gpu::count_page_faults();
  }

  void add_memory(MemoryRecord& memory) const override {
    SparseWorker::add_memory(memory);
    if (session_) add_device_memory(*session_, memory);
  }

  void judge(RunRecord& record) const override {
    SparseWorker::judge(record);
    if (!config_.record_profile) record.profile.reset();
  }

  void release() override {
    if (session_) gpu::return_memory(*session_);
    if (team_) gpu::return_memory(*team_);
  }

  // After one repetition that warms up, as for the timed ones.
  UnifiedMemoryRecord count_page_faults() override {
    run_->run_repetition(-1);
    run_->release();
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
    return unified;
  }

 private:
  void open_solver(PhaseRecorder& setup) override {
    const auto phase = setup.scope("context");
    if (chain_.uses_device(config_.until)) open_device();
    environment_.make_vectors = [this](Side side) {
      return side == Side::device ? gpu::make_vector_backend(*session_)
                                  : make_host_vector_backend(settings_.options.threads);
    };
    environment_.progress = &progress_;
  }

  void open_device() {
    session_ = gpu::open_session({config_.device, config_.device_memory_limit});
    environment_.device = session_.get();
    open_team();
    environment_.probe = &gpu::probe(*session_);
    environment_.device_room = [this] { return gpu::free_bytes(*session_); };
    environment_.page_locked_memory = [this](std::size_t bytes) {
      return gpu::page_locked_memory(config_.device, bytes);
    };
    environment_.require_resident = [this](std::uint64_t bytes) {
      gpu::require_resident(*session_, bytes, "the whole factorization");
    };
  }

  // The devices beside the first.
  void open_team() {
    std::vector<gpu::SessionOptions> others;
    for (const int number : config_.gsofa.device_numbers()) {
      if (number != config_.device) others.push_back({number, config_.device_memory_limit});
    }
    if (others.empty()) return;
    team_ = gpu::open_team(*session_, others);
    environment_.team = team_.get();
  }

  MeasuredRun& make_run() override {
    return run_.emplace(catalogue_, chain_, system_, settings_, environment_);
  }

  const Catalogue& catalogue_;
  const Chain chain_;
  const RunSettings settings_;
  ShownProgress progress_;
  std::unique_ptr<gpu::PageFaultCounters> page_faults_;
  std::shared_ptr<DeviceSession> session_;
  std::shared_ptr<DeviceTeam> team_;  // of it and others; null where there is one device
  RunEnvironment environment_{.clock = clock_};
  std::optional<PipelineRun> run_;
};

}  // namespace

std::unique_ptr<VariantWorker> make_pipeline_worker(const Catalogue& catalogue,
                                                    const OpenRequest& request) {
  return std::make_unique<PipelineWorker>(catalogue, request);
}

}  // namespace lufact
