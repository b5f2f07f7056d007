// SPDX-License-Identifier: BSD-3-Clause
// One step of coarsening: clusters of vertices, and the graph of the clusters.
#pragma once
#include "core/order/graph/graph.hpp"

namespace lufact::nd {

struct Clusters {
  Index count = 0;
  Buffer<Index> cluster_of;  // -1: the vertex was left out
};

// Limits of a clustering. `left_out` holds 1 for every vertex to leave out; empty: none.
struct ClusterRules {
  std::span<const char> left_out;
  Offset largest_weight = 2;  // of a cluster
  std::uint64_t seed = 0;
};

// Stars: local maxima of a hash among the free vertices are seeds, the others join the adjacent
// seed of largest edge weight per seed weight; two rounds, then every vertex left joins a
// neighbour's star. About a fifth of the vertices remain.
Clusters star_clusters(const Graph& graph, const ClusterRules& rules, int threads);

// Three rounds of mutual best neighbours by (edge weight)^2 / (product of weights), a parallel
// heavy-edge matching; vertices left join the pair of their best neighbour. Not quite half remain.
Clusters matched_clusters(const Graph& graph, const ClusterRules& rules, int threads);

// Vertices without neighbours, packed in the order of their numbers; all others stay alone. For
// graphs of many components, which stars and matching cannot make small.
Clusters packed_isolated(const Graph& graph, const ClusterRules& rules);

// The graph of the clusters: weights of vertices and of parallel edges add up.
Graph contract(const Graph& graph, const Clusters& clusters, int threads);

}  // namespace lufact::nd
