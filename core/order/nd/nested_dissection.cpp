// SPDX-License-Identifier: BSD-3-Clause
#include "core/order/nd/nested_dissection.hpp"

#include <algorithm>
#include <utility>

#include "core/matrix/parallel.hpp"
#include "core/order/nd/compression.hpp"
#include "core/order/nd/degree_reduction.hpp"
#include "core/order/nd/separator_order.hpp"

namespace lufact::nd {
namespace {

constexpr Index leaf_size = 2000, least_leaf_size = 250;
constexpr Index least_part_size = 50;
constexpr Index usual_parts = 32;
constexpr Index last_from_degree = 200;  // hubs in no part come last above this degree

// Parts of about leaf_size vertices; smaller ones to give every thread some, as n allows.
Index parts_for(Index n, Index fineness) {
  const Index wanted = std::max(n / leaf_size, std::min(usual_parts, n / least_leaf_size));
  const Offset finer = std::min<Offset>(Offset{wanted} * fineness, n / least_part_size);
  Index parts = 1;
  while (2 * parts <= std::min<Offset>(finer, most_parts)) parts *= 2;
  return parts;
}

// Degree above which a vertex is a hub, whose edges say nothing about where to cut.
Index hub_degree_of(const Graph& graph, int threads) {
  const Offset average = graph.n == 0 ? 0 : total_degree(graph, threads) / graph.n;
  return saturated(std::max<Offset>(5 * average, 30));
}

Buffer<Role> roles(const Graph& graph, const Parts& part, const Separator& separator, int threads) {
  Buffer<Role> role(graph.n);
#pragma omp parallel for num_threads(threads) if (graph.n >= parallel_from)
  for (Index v = 0; v < graph.n; ++v) {
    const bool last = part[v] < 0 && graph.degree[v] > last_from_degree;
    if (separator.inside[v] == 0) {
      role[v] = Role::leaf;
    } else {
      role[v] = last ? Role::last : Role::separator;
    }
  }
  return role;
}

std::vector<Index> last_by_degree(const Graph& graph, const Separator& separator,
                                  const Buffer<Role>& role) {
  std::vector<Index> last;
  for (const Index v : separator.vertices) {
    if (role[v] == Role::last) last.push_back(v);
  }
  std::stable_sort(last.begin(), last.end(),
                   [&](Index a, Index b) { return graph.degree[a] < graph.degree[b]; });
  return last;
}

Dissection dissect_graph(const Graph& graph, int threads, PhaseRecorder& phases,
                         const DissectionRules& rules, DissectionSteps& steps) {
  Dissection result;
  const Index parts = parts_for(graph.n, rules.fineness);
  const PartitionWithSeparator cut = steps.partition_with_separator(
      graph, {.parts = parts, .hub_degree = hub_degree_of(graph, threads), .seed = rules.seed},
      threads, phases);
  const Parts& part = cut.partition.part;
  const Separator& separator = cut.separator;
  const Buffer<Role> role = roles(graph, part, separator, threads);
  result.last = last_by_degree(graph, separator, role);
  Leaves leaves;
  {
    const auto phase = phases.scope("leaves");
    leaves = order_leaves(graph, part, parts, role, threads, rules.path);
  }
  const auto phase = phases.scope("tail");
  SeparatorOrders orders = order_separator(graph, part, leaves, threads, rules.path);
  result.leaves = std::move(leaves.order);
  result.part_begin = std::move(leaves.part_begin);
  result.by_degree = std::move(orders.by_degree.order);
  result.by_level = std::move(orders.by_level.order);
  result.cost_by_degree = sum(leaves.cost, orders.by_degree.cost);
  result.cost_by_level = sum(leaves.cost, orders.by_level.cost);
  return result;
}

std::vector<std::vector<Index>*> orders_of(Dissection& dissection) {
  return {&dissection.leaves, &dissection.by_degree, &dissection.by_level, &dissection.last};
}

// Classes of vertices replaced by their members.
void expand(const Compression& compression, Dissection& dissection) {
  const auto classes = static_cast<std::size_t>(compression.graph.n);
  std::vector<Index> begin(classes + 1, 0), members(compression.class_of.size());
  for (const Index c : compression.class_of) ++begin[c + 1];
  for (std::size_t c = 0; c < classes; ++c) begin[c + 1] += begin[c];
  std::vector<Index> next(begin.begin(), begin.end() - 1);
  for (Offset v = 0; v < compression.class_of.size(); ++v) {
    members[next[compression.class_of[v]]++] = static_cast<Index>(v);
  }
  const auto expanded = [&](std::span<const Index> order) {
    std::vector<Index> result;
    for (const Index c : order) {
      result.insert(result.end(), members.begin() + begin[c], members.begin() + begin[c + 1]);
    }
    return result;
  };
  Index before = 0, added = 0;  // members ahead of a part
  for (Index& part : dissection.part_begin) {
    for (; before < part; ++before) {
      const Index c = dissection.leaves[before];
      added += begin[c + 1] - begin[c];
    }
    part = added;
  }
  for (std::vector<Index>* order : orders_of(dissection)) *order = expanded(*order);
}

// In each part, first those of `first`, whose parts are `home`, then its leaves.
void merge_parts(const std::vector<Index>& first, const Buffer<Index>& home,
                 Dissection& dissection) {
  const Index parts = dissection.parts();
  std::vector<Index> begin(static_cast<std::size_t>(parts) + 1, 0);
  for (const Index part : home) ++begin[part + 1];
  for (Index p = 0; p < parts; ++p) {
    begin[p + 1] += begin[p] + dissection.part_begin[p + 1] - dissection.part_begin[p];
  }
  std::vector<Index> merged(static_cast<std::size_t>(begin.back())), next(begin);
  for (std::size_t k = 0; k < first.size(); ++k) {
    merged[next[home[static_cast<Offset>(k)]]++] = first[k];
  }
  for (Index p = 0; p < parts; ++p) {
    std::copy(dissection.leaves.begin() + dissection.part_begin[p],
              dissection.leaves.begin() + dissection.part_begin[p + 1], merged.begin() + next[p]);
  }
  dissection.leaves = std::move(merged);
  dissection.part_begin = std::move(begin);
}

// Puts the vertices eliminated by reduce_degrees before the leaves of the parts that may hold them.
void put_first(const DegreeReduction& low, int threads, Dissection& dissection) {
  if (low.order.empty()) return;
  Buffer<Index> part_of(low.graph.n);
  std::fill(part_of.begin(), part_of.end(), -1);
  const Index parts = dissection.parts();
  [[maybe_unused]] const int team = threads_for(low.graph.n, 4 * parallel_from, threads);
#pragma omp parallel for num_threads(team) if (team > 1)
  for (Index p = 0; p < parts; ++p) {
    for (Index k = dissection.part_begin[p]; k < dissection.part_begin[p + 1]; ++k) {
      Index& leaf = dissection.leaves[k];
      part_of[leaf] = p;
      leaf = low.kept[leaf];
    }
  }
  const Buffer<Index> home = parts_of_low_degrees(low, part_of, parts, threads);
  for (std::vector<Index>* order :
       {&dissection.by_degree, &dissection.by_level, &dissection.last}) {
    for (Index& v : *order) v = low.kept[v];
  }
  merge_parts(low.order, home, dissection);
  for (OrderingCost* cost : {&dissection.cost_by_degree, &dissection.cost_by_level}) {
    const PathCost above = cost->path;
    *cost = sum(*cost, low.cost);
    cost->path = {above.flops + low.cost.path.flops, above.columns + low.cost.path.columns,
                  above.seconds + low.cost.path.seconds};
  }
}

std::shared_ptr<const Graph> formed_graph(const PatternView& a, int threads, PhaseRecorder& phases,
                                          DissectionSteps& steps) {
  const auto phase = phases.scope("graph");
  return std::make_shared<const Graph>(steps.form_graph(a, threads));
}

DegreeReduction reduced(const Graph& graph, int threads, PhaseRecorder& phases,
                        const ColumnPathRates& rates) {
  const auto phase = phases.scope("low-degree");
  return reduce_degrees(graph, threads, rates);
}

Compression compressed(const Graph& graph, int threads, PhaseRecorder& phases) {
  const auto phase = phases.scope("compress");
  return compress(graph, threads);
}

}  // namespace

Graph DissectionSteps::form_graph(const PatternView& a, int threads) {
  return graph_of(a, threads);
}

PartitionWithSeparator DissectionSteps::partition_with_separator(const Graph& graph,
                                                                 const PartitionRules& rules,
                                                                 int threads,
                                                                 PhaseRecorder& phases) {
  return nd::partition_with_separator(graph, rules, threads, phases);
}

Dissection dissect(const PatternView& a, int requested, PhaseRecorder& phases,
                   const DissectionRules& rules) {
  DissectionSteps steps;
  return dissect(a, requested, phases, rules, steps);
}

Dissection dissect(const PatternView& a, int requested, PhaseRecorder& phases,
                   const DissectionRules& rules, DissectionSteps& steps) {
  const int threads = thread_count(requested);
  const std::shared_ptr<const Graph> whole = formed_graph(a, threads, phases, steps);
  const DegreeReduction low = reduced(*whole, threads, phases, rules.path);
  const Graph& graph = low.order.empty() ? *whole : low.graph;
  const Compression compression = compressed(graph, threads, phases);
  const bool merged = !compression.class_of.empty();
  Dissection result =
      dissect_graph(merged ? compression.graph : graph, threads, phases, rules, steps);
  result.graph = whole;
  const auto phase = phases.scope("expand");
  if (merged) expand(compression, result);
  put_first(low, threads, result);
  return result;
}

}  // namespace lufact::nd
