// SPDX-License-Identifier: BSD-3-Clause
#include <string>
#include <utility>

#include "core/fronts/front_stages.hpp"
#include "core/fronts/plan/front_shapes.hpp"
#include "core/fronts/plan/task_order.hpp"
#include "core/fronts/plan/tile_tasks.hpp"
#include "core/matrix/parallel.hpp"

namespace lufact {
namespace {

constexpr Offset worthwhile_entries = 20'000;  // of B
constexpr Offset entries_per_front = 20;       // entries that take as long as a small front

// The subtrees of a part may take this share of the memory of all contribution blocks, 1 in so
// many. That gives some 25 parts, whose memory is little more than the blocks of large fronts.
constexpr Offset share_of_part = 16;

// Work in entries of B. Few fronts with many entries are enough for several threads as well.
Offset work_of(const FrontTree& tree) {
  return static_cast<Offset>(tree.entry_source.size()) + entries_per_front * tree.fronts();
}

FrontParts all_at_once(TaskGraph& graph) {
  place_contributions(graph);
  return {};
}
FrontParts one_after_the_other(TaskGraph& graph) {
  place_contributions(graph);
  return place_in_parts(graph.contribution_entries / share_of_part, graph);
}

class TaskGraphLevelize final : public LevelizeStage {
 public:
  using Placement = FrontParts (*)(TaskGraph&);

  TaskGraphLevelize(std::string name, std::string description, Placement placement)
      : info_{.name = std::move(name),
              .description = std::move(description),
              .source = "core/fronts/plan",
              .side = Side::host,
              .deterministic = true,
              .takes = {product_types::front_tree},
              .gives = product_types::task_graph},
        place_(placement) {}

  const StageInfo& info() const noexcept override { return info_; }

  ProductPtr run(const ProductPtr& symbolic, StageContext& context) const override {
    const auto& tree = product_cast<FrontTree>(*symbolic);
    const int threads = threads_for(work_of(tree), worthwhile_entries, context.options.threads);
    auto graph = std::make_shared<TaskGraph>();
    FrontParts parts;
    {
      const auto scope = context.phases.scope("shapes");
      shape_fronts(tree, threads, *graph);
      parts = place_(*graph);
    }
    std::vector<FrontTask> tasks;
    {
      const auto scope = context.phases.scope("tasks");
      tasks = make_tile_tasks(tree, threads, *graph);
    }
    const auto scope = context.phases.scope("order");
    order_factorization(tasks, parts, threads, *graph);
    order_solve(tasks, threads, *graph);
    return graph;
  }

 private:
  StageInfo info_;
  Placement place_;
};

}  // namespace

std::unique_ptr<LevelizeStage> make_task_graph_levelize() {
  return std::make_unique<TaskGraphLevelize>(
      "task-graph", "tasks of 64 x 64 tiles, the longest chain of dependents first", all_at_once);
}

std::unique_ptr<LevelizeStage> make_task_graph_parts_levelize() {
  return std::make_unique<TaskGraphLevelize>(
      "task-graph-parts",
      "as task-graph, subtrees one after the other: less memory for contribution blocks",
      one_after_the_other);
}

}  // namespace lufact
