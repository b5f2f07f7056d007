// SPDX-License-Identifier: BSD-3-Clause
// The chain of mode `fast` with stand-ins for its device stages, so that all its selectors choose
// by their own forecasts and no device is needed.
#pragma once
#include <memory>
#include <vector>

#include "core/choose/back_end_selector.hpp"
#include "core/choose/columns_or_fronts.hpp"
#include "core/choose/selected_ordering.hpp"
#include "core/choose/symbolic_forecast.hpp"
#include "core/choose/symbolic_selector.hpp"
#include "core/choose/test/fronts_elsewhere.hpp"
#include "core/columns/cpu_stages.hpp"
#include "core/columns/host_vectors.hpp"
#include "core/fronts/front_stages.hpp"
#include "core/match/scaling_stages.hpp"
#include "core/run/pipeline_run.hpp"
#include "core/verify/column_handlers.hpp"
#include "core/verify/front_handlers.hpp"

namespace lufact::test {

// A stage of the host under another name.
class RenamedLevelize final : public LevelizeStage {
 public:
  RenamedLevelize(std::unique_ptr<LevelizeStage> stage, const std::string& name)
      : stage_(std::move(stage)), info_(stage_->info()) {
    info_.name = name;
  }
  const StageInfo& info() const noexcept override { return info_; }
  ProductPtr run(const ProductPtr& symbolic, StageContext& context) const override {
    return stage_->run(symbolic, context);
  }

 private:
  std::unique_ptr<LevelizeStage> stage_;
  StageInfo info_;
};

class RenamedNumeric final : public NumericStage {
 public:
  RenamedNumeric(std::unique_ptr<NumericStage> stage, const std::string& name)
      : stage_(std::move(stage)), info_(stage_->info()) {
    info_.name = name;
  }
  const StageInfo& info() const noexcept override { return info_; }
  std::shared_ptr<Factors> run(const ProductPtr& matrix, const ProductPtr& symbolic,
                               const ProductPtr& schedule, StageContext& context) const override {
    return stage_->run(matrix, symbolic, schedule, context);
  }
  std::uint64_t resident_bytes(Index, Offset, Offset, Index, Precision) const override { return 0; }

 private:
  std::unique_ptr<NumericStage> stage_;
  StageInfo info_;
};

inline Catalogue front_family(Copies& copies) {
  Catalogue catalogue;
  catalogue.scaling = scaling_stages();
  catalogue.ordering.push_back(make_selected_ordering());
  catalogue.symbolic.push_back(make_gp_pruned_symbolic());
  catalogue.symbolic.push_back(make_cpu_fronts_symbolic());
  catalogue.symbolic.push_back(std::make_unique<FrontsElsewhere>("gpu-fronts"));
  catalogue.levelize.push_back(make_cpu_levelize());
  catalogue.levelize.push_back(make_subtrees_levelize());
  catalogue.levelize.push_back(
      std::make_unique<RenamedLevelize>(make_subtrees_levelize(), "task-graph"));
  catalogue.numeric.push_back(make_cpu_numeric());
  catalogue.numeric.push_back(make_cpu_multifrontal_numeric());
  catalogue.numeric.push_back(
      std::make_unique<RenamedNumeric>(make_cpu_multifrontal_numeric(), "gpu-multifrontal"));
  catalogue.handlers = front_product_handlers();
  for (auto& handler : column_product_handlers()) catalogue.handlers.push_back(std::move(handler));
  add_transfers(catalogue, copies);
  catalogue.selectors.push_back(make_columns_or_fronts_selector(
      {.symbolic = "cpu-gp-pruned", .levelize = "cpu", .numeric = "cpu", .postorder = false}));
  catalogue.selectors.push_back(
      make_front_symbolic_selector({{"cpu-fronts", forecast_cpu_fronts, nullptr},
                                    {"gpu-fronts", forecast_gpu_fronts, gpu_fronts_bytes}}));
  catalogue.selectors.push_back(
      make_front_back_end_selector({{"task-graph", "gpu-multifrontal", forecast_on_gpu},
                                    {"subtrees", "cpu-multifrontal", forecast_on_cpu}}));
  return catalogue;
}

inline StageSelection front_family_stages() {
  StageSelection stages;
  stages.ordering = "select";
  stages.symbolic = stages.levelize = stages.numeric = "select";
  stages.auto_postorder = true;
  stages.family = "columns-or-fronts";
  return stages;
}

// All that one repetition chooses for `matrix`, on a machine with a device of 64 GiB.
inline std::vector<Choice> choices_of_fronts(const CsrMatrix& matrix, const RunSettings& settings) {
  Copies copies;
  const Catalogue catalogue = front_family(copies);
  const Chain chain = resolve_chain(catalogue, front_family_stages());
  LinearSystem system;
  system.input.matrix = matrix;
  const SteadyClock clock;
  RunEnvironment environment{.clock = clock,
                             .make_vectors = [](Side) { return make_host_vector_backend(1); }};
  environment.device_room = [] { return std::uint64_t{1} << 36; };
  PipelineRun run(catalogue, chain, system, settings, environment);
  run.run_repetition(0);
  RunRecord record;
  run.describe(record);
  return record.pipeline->choices;
}

}  // namespace lufact::test
