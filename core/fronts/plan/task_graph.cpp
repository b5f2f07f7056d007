// SPDX-License-Identifier: BSD-3-Clause
#include <string>
#include <utility>

#include "core/fronts/front_stages.hpp"
#include "core/fronts/plan/factor_place.hpp"
#include "core/fronts/plan/front_shapes.hpp"
#include "core/fronts/plan/task_order.hpp"
#include "core/fronts/plan/tile_tasks.hpp"
#include "core/matrix/parallel.hpp"

namespace lufact {
namespace {

constexpr Offset worthwhile_entries = 20'000;  // of B
constexpr Offset entries_per_front = 20;       // entries that take as long as a small front

// Work in entries of B. Few fronts with many entries are enough for several threads as well.
Offset work_of(const FrontTree& tree) {
  return tree.entries() + entries_per_front * tree.fronts();
}

// The graph of fronts that are placed; `graph` has their shapes.
void fill_graph(const FrontTree& tree, Placement placement, int threads, PhaseRecorder& phases,
                TaskGraph& graph) {
  std::vector<FrontTask> tasks;
  {
    const auto scope = phases.scope("tasks");
    tasks = make_tile_tasks(tree, threads, graph);
  }
  const auto scope = phases.scope("order");
  order_factorization(tasks, placement.parts, threads, graph);
  const bool leave = !placement.factor_end.empty();
  std::vector<Index> end =
      order_solve(tasks, leave ? placement.parts : FrontParts{}, threads, graph);
  if (leave) graph.solve_end = std::move(end);
  graph.factor_end = std::move(placement.factor_end);
}

class TaskGraphLevelize final : public LevelizeStage {
 public:
  using Place = Placement (*)(const FrontTree&, const StageContext&, TaskGraph&);

  TaskGraphLevelize(std::string name, std::string description, Place place)
      : info_{.name = std::move(name),
              .description = std::move(description),
              .source = "core/fronts/plan",
              .side = Side::host,
              .deterministic = true,
              .takes = {product_types::front_tree},
              .gives = product_types::task_graph},
        place_(place) {}

  const StageInfo& info() const noexcept override { return info_; }

  ProductPtr run(const ProductPtr& symbolic, StageContext& context) const override {
    const auto& tree = product_cast<FrontTree>(*symbolic);
    const int threads = threads_for(work_of(tree), worthwhile_entries, context.options.threads);
    auto graph = std::make_shared<TaskGraph>();
    Placement placement;
    {
      const auto scope = context.phases.scope("shapes");
      shape_fronts(tree, threads, *graph);
      placement = place_(tree, context, *graph);
    }
    fill_graph(tree, std::move(placement), threads, context.phases, *graph);
    // How large a graph is, by which this is decided, is known once it is made.
    if (auto other = place_elsewhere(tree, *graph, context)) {
      graph = std::move(other->shapes);
      fill_graph(tree, std::move(other->placement), threads, context.phases, *graph);
    }
    return graph;
  }

 private:
  StageInfo info_;
  Place place_;
};

}  // namespace

std::unique_ptr<LevelizeStage> make_task_graph_levelize() {
  return std::make_unique<TaskGraphLevelize>(
      "task-graph", "tasks of 64 x 64 tiles, the longest chain of dependents first", place_at_once);
}

std::unique_ptr<LevelizeStage> make_task_graph_parts_levelize() {
  return std::make_unique<TaskGraphLevelize>(
      "task-graph-parts",
      "as task-graph, subtrees one after the other: as a rule less memory for contribution blocks",
      place_one_after_the_other);
}

}  // namespace lufact
