// SPDX-License-Identifier: BSD-3-Clause
#include "core/fronts/front_shapes.hpp"
#include "core/fronts/front_stages.hpp"
#include "core/fronts/task_order.hpp"
#include "core/fronts/tile_tasks.hpp"
#include "core/matrix/parallel.hpp"

namespace lufact {
namespace {

constexpr Index worthwhile_fronts = 1'000;

class TaskGraphLevelize final : public LevelizeStage {
 public:
  const StageInfo& info() const noexcept override { return info_; }

  ProductPtr run(const ProductPtr& symbolic, StageContext& context) const override {
    const auto& tree = product_cast<FrontTree>(*symbolic);
    const int threads = threads_for(tree.fronts(), worthwhile_fronts, context.options.threads);
    auto graph = std::make_shared<TaskGraph>();
    {
      const auto scope = context.phases.scope("shapes");
      shape_fronts(tree, *graph);
      place_contributions(*graph);
    }
    std::vector<FrontTask> tasks;
    {
      const auto scope = context.phases.scope("tasks");
      tasks = make_tile_tasks(tree, threads, *graph);
    }
    const auto scope = context.phases.scope("order");
    order_factorization(tasks, *graph);
    order_solve(tasks, *graph);
    return graph;
  }

 private:
  StageInfo info_{.name = "task-graph",
                  .description = "tasks of 64 x 64 tiles, the longest chain of dependents first",
                  .side = Side::host,
                  .deterministic = true,
                  .takes = {product_types::front_tree},
                  .gives = product_types::task_graph};
};

}  // namespace

std::unique_ptr<LevelizeStage> make_task_graph_levelize() {
  return std::make_unique<TaskGraphLevelize>();
}

}  // namespace lufact
