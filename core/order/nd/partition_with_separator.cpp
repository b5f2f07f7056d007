// SPDX-License-Identifier: BSD-3-Clause
#include "core/order/nd/partition_with_separator.hpp"

#include <utility>
#include <vector>

#include "core/order/graph/graph.hpp"

namespace lufact::nd {
namespace {

class Multilevel {
 public:
  Multilevel(const Graph& graph, const CoarseningPlan& plan, std::size_t depth, Index hub_degree,
             int threads)
      : given_(graph), plan_(plan), depth_(depth), threads_(threads) {
    if (depth == 0) mark_hubs(hub_degree);
  }

  Partition partition(PhaseRecorder& phases) && {
    {
      const auto phase = phases.scope("coarsen");
      while (graph().n > plan_.target() && coarsen()) {
      }
    }
    Partition parts = first_partition(phases);
    const auto phase = phases.scope("refine");
    const RefinementRules rules{.parts = plan_.parts()};
    while (!levels_.empty()) {
      refine(graph(), rules, parts, threads_);
      parts = projected(parts, levels_.back().clusters.cluster_of, threads_);
      levels_.pop_back();
    }
    refine(given_, rules, parts, threads_);
    return parts;
  }

 private:
  struct Level {
    Clusters clusters;  // of the graph before
    Graph graph;
  };
  void mark_hubs(Index hub_degree) {
    hubs_ = Buffer<char>(given_.n);
#pragma omp parallel for num_threads(threads_) if (given_.n >= parallel_from)
    for (Index v = 0; v < given_.n; ++v) hubs_[v] = given_.degree[v] > hub_degree ? 1 : 0;
  }
  Partition first_partition(PhaseRecorder& phases) const {
    const auto phase = phases.scope("bisect");
    return initial_partition(graph(), plan_.parts(), plan_.seed(), threads_);
  }
  const Graph& graph() const noexcept {
    return levels_.empty() ? given_ : levels_.back().graph;
  }

  // False where the graph would hardly become smaller.
  bool coarsen() {
    const std::size_t depth = depth_ + levels_.size();
    ClusterRules rules = plan_.rules(depth);
    if (depth == 0) rules.left_out = {hubs_.begin(), static_cast<std::size_t>(given_.n)};
    Clusters clusters = plan_.wants_stars(graph().n) ? star_clusters(graph(), rules, threads_)
                                                     : matched_clusters(graph(), rules, threads_);
    if (depth > 0 && plan_.hardly_smaller(clusters.count, graph().n)) {
      clusters = packed_isolated(graph(), rules);
      if (plan_.hardly_smaller(clusters.count, graph().n)) return false;
    }
    Graph coarse = contract(graph(), clusters, threads_);
    levels_.push_back({std::move(clusters), std::move(coarse)});
    return true;
  }

  const Graph& given_;
  const CoarseningPlan& plan_;
  std::size_t depth_;
  int threads_;
  Buffer<char> hubs_;  // of the finest graph
  std::vector<Level> levels_;
};

Partition partition(const Graph& graph, const PartitionRules& rules, int threads,
                    PhaseRecorder& phases) {
  if (rules.parts > 1) {
    const CoarseningPlan plan(rules.parts, rules.seed, total_weight(graph, threads));
    return multilevel_partition(graph, plan, 0, rules.hub_degree, threads, phases);
  }
  Partition one{1, Parts(graph.n), Buffer<char>(graph.n)};
  std::fill(one.part.begin(), one.part.end(), 0);
  std::fill(one.near_cut.begin(), one.near_cut.end(), 0);
  return one;
}

}  // namespace

Partition multilevel_partition(const Graph& graph, const CoarseningPlan& plan, std::size_t depth,
                               Index hub_degree, int threads, PhaseRecorder& phases) {
  return Multilevel(graph, plan, depth, hub_degree, threads).partition(phases);
}

PartitionWithSeparator partition_with_separator(const Graph& graph, const PartitionRules& rules,
                                                int threads, PhaseRecorder& phases) {
  Partition parts = partition(graph, rules, threads, phases);
  const auto phase = phases.scope("separator");
  Separator separator = find_separator(graph, rules.hub_degree, parts, threads);
  return {std::move(parts), std::move(separator)};
}

}  // namespace lufact::nd
