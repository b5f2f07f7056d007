// SPDX-License-Identifier: BSD-3-Clause
#include "app/sparse/pipeline_assistant.hpp"

#include <omp.h>

#include "app/sparse/pipeline_setup.hpp"
#include "core/measure/clock.hpp"

namespace lufact {
namespace {

class PipelineAssistant final : public RankAssistant {
 public:
  PipelineAssistant(const Catalogue& catalogue, const OpenRequest& request)
      : config_(run_config_from_json(request.variant.at("config"))),
        chain_(chain_of(catalogue, config_, request)),
        settings_(run_settings(catalogue, config_, chain_, request)),
        ranks_(*request.ranks) {
    omp_set_num_threads(settings_.options.threads);
    if (chain_.uses_device(config_.until)) devices_.open(config_, chain_, &ranks_);
  }

  void assist() override {
    PhaseRecorder phases(clock_);
    StageNotes notes;
    StageContext context{.phases = phases,
                         .options = settings_.options,
                         .notes = notes,
                         .device = devices_.session(),
                         .team = devices_.team(),
                         .ranks = &ranks_,
                         .check_resident = {}};
    chain_.tail.symbolic->assist(context);
  }

  void release() override { devices_.return_memory(); }

 private:
  const RunConfig config_;
  const Chain chain_;
  const RunSettings settings_;
  RankGroup& ranks_;
  const SteadyClock clock_;
  RunDevices devices_;
};

}  // namespace

std::unique_ptr<RankAssistant> make_pipeline_assistant(const Catalogue& catalogue,
                                                       const OpenRequest& request) {
  return std::make_unique<PipelineAssistant>(catalogue, request);
}

}  // namespace lufact
