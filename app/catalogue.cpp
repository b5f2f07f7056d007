// SPDX-License-Identifier: BSD-3-Clause
#include "app/catalogue.hpp"

#include "core/cpu/cpu_stages.hpp"
#include "core/preprocess/ordering_stages.hpp"
#include "core/preprocess/scaling_stages.hpp"
#include "core/verify/column_handlers.hpp"
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

// In the order in which `auto` prefers them.
std::vector<Mode> modes() {
  return {
      {"ooc", "E2E as published: every step after ordering on the GPU",
       column_stages("gpu-ooc", "gpu-host-loop", "gpu-binary-search", DependencyRule::relaxed)},
      {"cpu", "the strong CPU line, the oracle, deterministic",
       column_stages("cpu-gp-pruned", "cpu", "cpu", DependencyRule::exact)},
  };
}

}  // namespace

Catalogue make_catalogue() {
  Catalogue catalogue;
  catalogue.scaling = scaling_stages();
  catalogue.ordering = ordering_stages();
  catalogue.symbolic.push_back(make_gp_pruned_symbolic());
  append(catalogue.symbolic, gpu::symbolic_stages());
  catalogue.levelize.push_back(make_cpu_levelize());
  append(catalogue.levelize, gpu::levelize_stages());
  catalogue.numeric.push_back(make_cpu_numeric());
  append(catalogue.numeric, gpu::numeric_stages());
  catalogue.transfers = gpu::transfers();
  catalogue.handlers = column_product_handlers();
  catalogue.modes = modes();
  return catalogue;
}

}  // namespace lufact
