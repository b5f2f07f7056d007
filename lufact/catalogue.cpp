// SPDX-License-Identifier: BSD-3-Clause
#include "lufact/catalogue.hpp"

#include "baselines/glu3/fill2/fill2_stages.hpp"
#include "baselines/glu3/glu3_stages.hpp"
#include "core/choose/back_end_selector.hpp"
#include "core/choose/columns_or_fronts.hpp"
#include "core/choose/selected_ordering.hpp"
#include "core/choose/symbolic_forecast.hpp"
#include "core/choose/symbolic_selector.hpp"
#include "core/columns/cpu_stages.hpp"
#include "core/columns/supernodes.hpp"
#include "core/fronts/analysis/delayed_pivots.hpp"
#include "core/fronts/front_stages.hpp"
#include "core/match/scaling_stages.hpp"
#include "core/order/ordering_stages.hpp"
#include "core/systems/host_systems.hpp"
#include "core/verify/column_handlers.hpp"
#include "core/verify/front_handlers.hpp"
#include "gpu/gpu.hpp"

namespace lufact {
namespace {

template <class S>
void append(std::vector<std::unique_ptr<S>>& to, std::vector<std::unique_ptr<S>> from) {
  for (auto& stage : from) to.push_back(std::move(stage));
}

StageSelection column_stages(std::string symbolic, std::string levelize, std::string numeric,
                             DependencyRule dependency) {
  StageSelection stages;
  stages.symbolic = std::move(symbolic);
  stages.levelize = std::move(levelize);
  stages.numeric = std::move(numeric);
  stages.dependency = dependency;
  return stages;
}

// E2E's pipeline after ordering: its comparisons differ from it in the symbolic stage alone.
StageSelection e2e_stages(std::string symbolic) {
  return column_stages(std::move(symbolic), "gpu-cdp", "gpu-auto", DependencyRule::relaxed);
}

StageSelection front_stages(std::string symbolic, std::string levelize, std::string numeric) {
  StageSelection stages;
  stages.ordering = "select";
  stages.symbolic = std::move(symbolic);
  stages.levelize = std::move(levelize);
  stages.numeric = std::move(numeric);
  stages.auto_postorder = true;
  stages.family = "columns-or-fronts";
  if (stages.numeric == "select") {  // on the GPU
    stages.scaling = "gpu-mc64";
    stages.systems_numeric = "gpu-multifrontal";
  }
  return stages;
}

StageSelection oracle_stages() {
  return column_stages("cpu-gp-pruned", "cpu", "cpu", DependencyRule::exact);
}

// What a run of fronts goes on with where columns are quicker: the oracle's stages.
StageNames few_columns() {
  const StageSelection stages = oracle_stages();
  return {stages.symbolic, stages.levelize, stages.numeric, stages.auto_postorder};
}

// In the order in which `auto` prefers them.
std::vector<Mode> modes() {
  return {
      {"fast",
       "what lufact recommends: fronts on the GPU or, where that is quicker, on the CPU; "
       "columns on the CPU for a few tens of thousands of entries",
       front_stages("select", "select", "select")},
      {"fast-cpu", "the same without a GPU",
       front_stages("cpu-fronts", "subtrees", "cpu-multifrontal")},
      {"ooc", "E2E as published: every step after ordering on the GPU", e2e_stages("gpu-ooc")},
      {"ooc-naive", "E2E with one chunk size for all rows", e2e_stages("gpu-ooc-naive")},
      {"um", "E2E with its symbolic work arrays in managed memory, pages on demand",
       e2e_stages("gpu-um")},
      {"um-prefetch", "as um, pages prefetched", e2e_stages("gpu-um-prefetch")},
      {"gsofa", "as ooc, its symbolic step by GSoFa", e2e_stages("gpu-gsofa")},
      {"cpu", "the strong CPU line, the oracle, deterministic", oracle_stages()},
      {"glu3", "E2E's baseline: GLU 3.0, symbolic on all cores, numeric on the GPU",
       column_stages("cpu-glu3", "cpu", "gpu-dense", DependencyRule::relaxed)},
      {"glu3-cpu", "GLU 3.0 wholly on the CPU",
       column_stages("cpu-glu3", "cpu", "cpu-glu3", DependencyRule::relaxed)},
  };
}

}  // namespace

Catalogue make_catalogue() {
  Catalogue catalogue;
  catalogue.scaling = scaling_stages();
  append(catalogue.scaling, gpu::scaling_stages());
  catalogue.ordering = ordering_stages();
  catalogue.ordering.push_back(make_selected_ordering(gpu::dissection_steps));
  append(catalogue.ordering, gpu::ordering_stages());
  catalogue.symbolic.push_back(make_gp_pruned_symbolic());
  catalogue.symbolic.push_back(make_parallel_symbolic());
  catalogue.symbolic.push_back(make_glu3_symbolic());
  catalogue.symbolic.push_back(make_fill2_symbolic());
  catalogue.symbolic.push_back(make_cpu_fronts_symbolic());
  append(catalogue.symbolic, gpu::symbolic_stages());
  catalogue.levelize.push_back(make_cpu_levelize());
  catalogue.levelize.push_back(make_glu2_search_levelize());
  catalogue.levelize.push_back(make_glu2_plain_levelize());
  catalogue.levelize.push_back(make_task_graph_levelize());
  catalogue.levelize.push_back(make_task_graph_parts_levelize());
  catalogue.levelize.push_back(make_subtrees_levelize());
  append(catalogue.levelize, gpu::levelize_stages());
  catalogue.numeric.push_back(make_cpu_numeric());
  catalogue.numeric.push_back(make_glu3_numeric());
  catalogue.numeric.push_back(make_cpu_multifrontal_numeric());
  append(catalogue.numeric, gpu::numeric_stages());
  catalogue.selectors.push_back(make_columns_or_fronts_selector(few_columns()));
  catalogue.selectors.push_back(
      make_front_symbolic_selector({{"cpu-fronts", forecast_cpu_fronts, nullptr},
                                    {"gpu-fronts", forecast_gpu_fronts, gpu_fronts_bytes}}));
  catalogue.selectors.push_back(
      make_front_back_end_selector({{"task-graph", "gpu-multifrontal", forecast_on_gpu, true},
                                    {"subtrees", "cpu-multifrontal", forecast_on_cpu}}));
  catalogue.transfers = gpu::transfers();
  catalogue.supernode_finders.push_back(make_host_supernode_finder());
  append(catalogue.supernode_finders, gpu::supernode_finders());
  catalogue.pivot_delays.push_back(make_front_pivot_delay());
  catalogue.systems.push_back(make_host_systems());
  append(catalogue.systems, gpu::systems_stages());
  catalogue.handlers = column_product_handlers();
  append(catalogue.handlers, front_product_handlers());
  catalogue.modes = modes();
  catalogue.matching = "mc64";
  catalogue.oracle_mode = "cpu";
  catalogue.gsofa_stages = {"gpu-gsofa"};
  return catalogue;
}

}  // namespace lufact
