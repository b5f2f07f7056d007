// SPDX-License-Identifier: BSD-3-Clause
#include "app/sparse/pipeline_worker.hpp"

#include <omp.h>

#include <memory>

#include "app/input/systems_file.hpp"
#include "app/sparse/pipeline_setup.hpp"
#include "app/sparse/sparse_worker.hpp"
#include "app/workload/device_memory.hpp"
#include "core/columns/host_vectors.hpp"
#include "core/measure/phase_board.hpp"
#include "core/run/pipeline_run.hpp"
#include "core/run/systems_run.hpp"
#include "gpu/gpu.hpp"

namespace lufact {
namespace {

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
        chain_(chain_of(catalogue, config_, request)),
        settings_(run_settings(catalogue, config_, chain_, request)) {
    environment_.ranks = request.ranks;
    omp_set_num_threads(settings_.options.threads);
    // Counters must exist before the session.
    if (request.count_page_faults) page_faults_ = gpu::count_page_faults();
  }

  void add_memory(MemoryRecord& memory) const override {
    SparseWorker::add_memory(memory);
    if (devices_.session() != nullptr) add_device_memory(*devices_.session(), memory);
  }

  void judge(RunRecord& record) const override {
    SparseWorker::judge(record);
    if (!config_.record_profile) record.profile.reset();
  }

  void release() override { devices_.return_memory(); }

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

  GsofaSources count_sources() override {
    PipelineRun search(catalogue_, chain_, system_, settings_, environment_);
    search.run_repetition(0);
    return search.sources();
  }

 private:
  void open_solver(PhaseRecorder& setup) override {
    const auto phase = setup.scope("context");
    if (chain_.uses_device(config_.until)) open_device();
    environment_.make_vectors = [this](Side side) {
      return side == Side::device ? gpu::make_vector_backend(*environment_.device)
                                  : make_host_vector_backend(settings_.options.threads);
    };
    environment_.progress = &progress_;
  }

  void open_device() {
    devices_.open(config_, chain_, environment_.ranks);
    environment_.device = devices_.session();
    environment_.team = devices_.team();
    environment_.probe = &gpu::probe(*environment_.device);
    environment_.device_room = [this] { return gpu::free_bytes(*environment_.device); };
    environment_.page_locked_memory = [this](std::size_t bytes) {
      return gpu::page_locked_memory(devices_.first(), bytes);
    };
    environment_.require_resident = [this](std::uint64_t bytes) {
      gpu::require_resident(*environment_.device, bytes, "the whole factorization");
    };
  }

  bool uses_device() const override { return devices_.session() != nullptr; }

  MeasuredRun& make_run() override {
    if (config_.systems) {
      run_ = std::make_unique<SystemsRun>(catalogue_, chain_, system_, settings_, environment_,
                                          systems_input(config_, system_));
    } else {
      run_ = std::make_unique<PipelineRun>(catalogue_, chain_, system_, settings_, environment_);
    }
    return *run_;
  }

  const Catalogue& catalogue_;
  const Chain chain_;
  const RunSettings settings_;
  ShownProgress progress_;
  std::unique_ptr<gpu::PageFaultCounters> page_faults_;
  RunDevices devices_;
  RunEnvironment environment_{.clock = clock_};
  std::unique_ptr<MeasuredRun> run_;
};

}  // namespace

std::unique_ptr<VariantWorker> make_pipeline_worker(const Catalogue& catalogue,
                                                    const OpenRequest& request) {
  return std::make_unique<PipelineWorker>(catalogue, request);
}

}  // namespace lufact
