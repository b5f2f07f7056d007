// SPDX-License-Identifier: BSD-3-Clause
#include <omp.h>

#include <vector>

#include "core/matrix/parallel.hpp"
#include "core/order/nd/coarsening.hpp"

namespace lufact::nd {
namespace {

// The vertices of each cluster, ascending, and room for its edges.
struct Members {
  Buffer<Index> begin;  // count + 1
  Buffer<Index> vertices;
  Buffer<Offset> room;  // the degrees of the members

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
      Offset sum = 0;
      for (const Index v : members.of(c)) sum += graph.degree[v];
      members.room[c] = sum;
    }
  }
  return members;
}

// Fills the list of cluster c, which has room for all edges of c's members. `between` holds the
// weight of the edges to each cluster, 0 before and after. The list is only written in the loop and
// read after the loop, so that no load waits for a store whose address depends on earlier results.
void merge_members(const Graph& graph, const Clusters& clusters, std::span<const Index> members,
                   Index c, Graph& coarse, Buffer<Index>& between) {
  Index* const adjacent = coarse.adjacent.begin() + coarse.begin[c];
  Index* const edge_weight = coarse.edge_weight.begin() + coarse.begin[c];
  between[c] = 1;  // as if it were in the list
  Index count = 0;
  Offset weight = 0;
  for (const Index v : members) {
    weight += graph.weight_of(v);
    for (Offset p = graph.begin[v]; p < graph.end(v); ++p) {
      const Index d = clusters.cluster_of[graph.adjacent[p]];
      if (d < 0) continue;
      const Index before = between[d];
      between[d] = saturated(Offset{before} + graph.edge_weight_of(p));
      adjacent[count] = d;
      count += before == 0 ? 1 : 0;
    }
  }
  between[c] = 0;
  for (Index k = 0; k < count; ++k) {
    edge_weight[k] = between[adjacent[k]];
    between[adjacent[k]] = 0;
  }
  coarse.weight[c] = saturated(weight);
  coarse.degree[c] = count;
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
  std::vector<Buffer<Index>> weights(static_cast<std::size_t>(threads));
  for (Buffer<Index>& between : weights) between = Buffer<Index>(count);
#pragma omp parallel num_threads(threads) if (threads > 1)
  {
    Buffer<Index>& between = weights[omp_get_thread_num()];
    std::fill(between.begin(), between.end(), 0);
#pragma omp for schedule(static, turn_size(count, threads))
    for (Index c = 0; c < count; ++c)
      merge_members(graph, clusters, members.of(c), c, coarse, between);
  }
  return coarse;
}

}  // namespace lufact::nd
