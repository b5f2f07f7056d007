// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/ordering/device_partition_with_separator.hpp"

#include <algorithm>
#include <utility>

#include "gpu/ordering/contraction.hpp"
#include "gpu/ordering/separator_search.hpp"

namespace lufact::gpu {
namespace {

class DeviceMultilevel {
 public:
  DeviceMultilevel(DeviceSession& session, const nd::Graph& graph, const nd::PartitionRules& rules,
                   int threads, PhaseRecorder& phases, const OrderThresholds& thresholds)
      : session_(session),
        given_(graph),
        rules_(rules),
        plan_(rules.parts, rules.seed, nd::total_weight(graph, threads)),
        threads_(threads),
        phases_(phases),
        few_vertices_(std::max(plan_.target(), static_cast<Index>(thresholds.device_vertices) - 1)),
        longest_list_(static_cast<Index>(thresholds.device_list_edges)) {}

  bool is_worthwhile() const { return given_.n > few_vertices_; }

  DevicePartitionWithSeparator run(DeviceGraph on_device) && {
    finest_ = std::move(on_device);
    if (finest_.n == 0) {
      const auto phase = phases_.scope("upload");
      finest_ = upload(session_, given_, threads_);
    }
    DevicePartitionWithSeparator result;
    {
      const auto phase = phases_.scope("coarsen");
      for (Index n = graph().n; n > few_vertices_ && coarsen(); n = graph().n) {
        result.levels.push_back(n);
      }
    }
    DevicePartition partition = first_partition();
    result.on_host = graph().n;
    {
      const auto phase = phases_.scope("refine");
      while (!levels_.empty()) refine_next(partition);
    }
    result.separator_on_host = nd::largest_degree(given_, threads_) > longest_list_;
    result.cut = result.separator_on_host ? separated_on_host(partition) : separated(partition);
    return result;
  }

 private:
  struct Level {
    DeviceClusters clusters;  // of the next finer graph
    DeviceGraph graph;
  };
  const DeviceGraph& graph() const noexcept {
    return levels_.empty() ? finest_ : levels_.back().graph;
  }

  // False where the graph would hardly become smaller; the host then goes on.
  bool coarsen() {
    const std::size_t depth = levels_.size();
    const nd::ClusterRules rules = plan_.rules(depth);
    DeviceClusters clusters =
        find_clusters(session_, graph(),
                      {.stars = plan_.wants_stars(graph().n),
                       .hub_degree = depth == 0 ? rules_.hub_degree : graph().n,
                       .largest_weight = rules.largest_weight,
                       .seed = rules.seed});
    if (depth > 0 && plan_.hardly_smaller(clusters.count, graph().n)) return false;
    DeviceGraph coarse = contract(session_, graph(), clusters);
    levels_.push_back({std::move(clusters), std::move(coarse)});
    return true;
  }

  // The partition of the coarsest graph on the device.
  DevicePartition first_partition() {
    nd::Graph coarsest;
    {
      const auto phase = phases_.scope("download");
      coarsest = download(session_, graph());
    }
    const nd::Partition partition = nd::multilevel_partition(coarsest, plan_, levels_.size(),
                                                             rules_.hub_degree, threads_, phases_);
    const auto phase = phases_.scope("upload");
    return upload(session_, partition);
  }

  // Projects the partition to the next finer graph and refines it.
  void refine_next(DevicePartition& partition) {
    const Level coarse = std::move(levels_.back());
    levels_.pop_back();
    partition = project_and_refine(session_, graph(), coarse.clusters.cluster_of.data(), partition);
  }

  nd::PartitionWithSeparator separated(DevicePartition& partition) {
    nd::PartitionWithSeparator cut;
    {
      const auto phase = phases_.scope("separator");
      cut.separator = find_separator(session_, finest_, rules_.hub_degree, partition);
    }
    const auto phase = phases_.scope("download");
    cut.partition = download(session_, partition);
    return cut;
  }

  nd::PartitionWithSeparator separated_on_host(const DevicePartition& partition) {
    nd::PartitionWithSeparator cut;
    {
      const auto phase = phases_.scope("download");
      cut.partition = download(session_, partition);
    }
    const auto phase = phases_.scope("separator");
    cut.separator = nd::find_separator(given_, rules_.hub_degree, cut.partition, threads_);
    return cut;
  }

  DeviceSession& session_;
  const nd::Graph& given_;
  const nd::PartitionRules& rules_;
  nd::CoarseningPlan plan_;
  int threads_;
  PhaseRecorder& phases_;
  Index few_vertices_, longest_list_;
  DeviceGraph finest_;
  std::vector<Level> levels_;
};

}  // namespace

DevicePartitionWithSeparator partition_with_separator(DeviceSession& session,
                                                      const nd::Graph& graph, DeviceGraph on_device,
                                                      const nd::PartitionRules& rules, int threads,
                                                      PhaseRecorder& phases,
                                                      const OrderThresholds& thresholds) {
  if (rules.parts > 1) {
    DeviceMultilevel multilevel(session, graph, rules, threads, phases, thresholds);
    if (multilevel.is_worthwhile()) return std::move(multilevel).run(std::move(on_device));
  }
  return {.cut = nd::partition_with_separator(graph, rules, threads, phases),
          .levels = {},
          .on_host = graph.n};
}

}  // namespace lufact::gpu
