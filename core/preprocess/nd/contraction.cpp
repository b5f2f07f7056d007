// SPDX-License-Identifier: BSD-3-Clause
#include <omp.h>

#include <vector>

#include "core/matrix/parallel.hpp"
#include "core/preprocess/nd/coarsening.hpp"

namespace lufact::nd {
namespace {

// The vertices of each cluster, ascending, and room for its edges.
struct Members {
  Buffer<Index> begin;  // count + 1
  Buffer<Index> vertices;
  Buffer<Offset> room;  // one and the degrees of the members

  std::span<const Index> of(Index c) const noexcept {
    return {vertices.begin() + begin[c], static_cast<std::size_t>(begin[c + 1] - begin[c])};
  }
};

Members members_of(const Graph& graph, const Clusters& clusters, int threads) {
  const Index n = graph.n, count = clusters.count;
  Members members{Buffer<Index>(Offset{count} + 1), Buffer<Index>(n), Buffer<Offset>(count)};
  Buffer<Index> next(Offset{count} + 1);
#pragma omp parallel num_threads(threads) if (threads > 1)
  {
#pragma omp for
    for (Index c = 0; c <= count; ++c) next[c] = 0;
#pragma omp for
    for (Index v = 0; v < n; ++v) {
      if (clusters.cluster_of[v] < 0) continue;
#pragma omp atomic
      ++next[clusters.cluster_of[v]];
    }
  }
  exclusive_scan({next.begin(), static_cast<std::size_t>(count) + 1}, threads);
#pragma omp parallel num_threads(threads) if (threads > 1)
  {
#pragma omp for
    for (Index c = 0; c <= count; ++c) members.begin[c] = next[c];
#pragma omp for
    for (Index v = 0; v < n; ++v) {
      if (clusters.cluster_of[v] < 0) continue;
      Index place;
#pragma omp atomic capture
      place = next[clusters.cluster_of[v]]++;
      members.vertices[place] = v;
    }
#pragma omp for
    for (Index c = 0; c < count; ++c) {
      std::sort(members.vertices.begin() + members.begin[c],
                members.vertices.begin() + members.begin[c + 1]);
      Offset sum = 1;
      for (const Index v : members.of(c)) sum += graph.degree[v];
      members.room[c] = sum;
    }
  }
  return members;
}

// Fills the list of cluster c, whose place has room for c itself and all edges of its members.
// `place` maps a cluster to its position in the list in hand; what it says of older lists does not
// name it there. Edges inside c are added up in front of its list, so that no branch depends on
// where an edge leads: half of them would be mispredicted.
void merge_members(const Graph& graph, const Clusters& clusters, std::span<const Index> members,
                   Index c, Graph& coarse, Buffer<Index>& place) {
  Index* const adjacent = coarse.adjacent.begin() + coarse.begin[c];
  Index* const edge_weight = coarse.edge_weight.begin() + coarse.begin[c];
  adjacent[0] = c;
  edge_weight[0] = place[c] = 0;
  Index count = 1;
  Offset weight = 0;
  for (const Index v : members) {
    weight += graph.weight_of(v);
    for (Offset p = graph.begin[v]; p < graph.end(v); ++p) {
      const Index d = clusters.cluster_of[graph.adjacent[p]];
      if (d < 0) continue;
      const Index place_before = place[d];
      const bool known = place_before < count && adjacent[place_before] == d;
      const Index k = known ? place_before : count;
      const Index before = known ? edge_weight[k] : 0;
      place[d] = k;
      adjacent[k] = d;
      edge_weight[k] = saturated(Offset{before} + graph.edge_weight_of(p));
      count += known ? 0 : 1;
    }
  }
  coarse.weight[c] = saturated(weight);
  coarse.degree[c] = count - 1;
  ++coarse.begin[c];
}

}  // namespace

Graph contract(const Graph& graph, const Clusters& clusters, int requested) {
  const int threads = team_for(graph, requested);
  Members members = members_of(graph, clusters, threads);
  const Index count = clusters.count;
  const Offset room =
      exclusive_scan({members.room.begin(), static_cast<std::size_t>(count)}, threads);
  Graph coarse{.n = count,
               .begin = std::move(members.room),
               .degree = Buffer<Index>(count),
               .weight = Buffer<Index>(count)};
  coarse.adjacent = Buffer<Index>(room);
  coarse.edge_weight = Buffer<Index>(room);
  std::vector<Buffer<Index>> places(static_cast<std::size_t>(threads));
  for (Buffer<Index>& place : places) place = Buffer<Index>(count);
#pragma omp parallel num_threads(threads) if (threads > 1)
  {
    Buffer<Index>& place = places[omp_get_thread_num()];
    std::fill(place.begin(), place.end(), 0);
#pragma omp for schedule(static, turn_size(count, threads))
    for (Index c = 0; c < count; ++c)
      merge_members(graph, clusters, members.of(c), c, coarse, place);
  }
  return coarse;
}

}  // namespace lufact::nd
