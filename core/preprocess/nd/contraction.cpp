// SPDX-License-Identifier: BSD-3-Clause
#include <omp.h>

#include <vector>

#include "core/matrix/parallel.hpp"
#include "core/preprocess/nd/coarsening.hpp"

namespace lufact::nd {
namespace {

// The vertices of each cluster, ascending.
struct Members {
  Buffer<Index> begin;  // count + 1
  Buffer<Index> vertices;
};

Members members_of(const Clusters& clusters, int threads) {
  const Offset n = clusters.cluster_of.size();
  const Index count = clusters.count;
  Members members{Buffer<Index>(Offset{count} + 1), Buffer<Index>(n)};
  Buffer<Index> next(Offset{count} + 1);
#pragma omp parallel for num_threads(threads) if (threads > 1)
  for (Index c = 0; c <= count; ++c) next[c] = 0;
#pragma omp parallel for num_threads(threads) if (threads > 1)
  for (Offset v = 0; v < n; ++v) {
    if (clusters.cluster_of[v] < 0) continue;
#pragma omp atomic
    ++next[clusters.cluster_of[v]];
  }
  exclusive_scan({next.begin(), static_cast<std::size_t>(count) + 1}, threads);
  std::copy(next.begin(), next.end(), members.begin.begin());
#pragma omp parallel for num_threads(threads) if (threads > 1)
  for (Offset v = 0; v < n; ++v) {
    if (clusters.cluster_of[v] < 0) continue;
    Index place;
#pragma omp atomic capture
    place = next[clusters.cluster_of[v]]++;
    members.vertices[place] = static_cast<Index>(v);
  }
#pragma omp parallel for num_threads(threads) if (threads > 1)
  for (Index c = 0; c < count; ++c) {
    if (members.begin[c + 1] - members.begin[c] < 2) continue;
    std::sort(members.vertices.begin() + members.begin[c],
              members.vertices.begin() + members.begin[c + 1]);
  }
  return members;
}

// Fills the list of cluster c, whose place has room for all edges of its members. `place` maps a
// cluster to its position in the list in hand; what it says of older lists is told apart by that.
void merge_members(const Graph& graph, const Clusters& clusters, std::span<const Index> members,
                   Index c, Graph& coarse, Buffer<Offset>& place) {
  const Offset first = coarse.begin[c];
  Offset last = first, weight = 0;
  for (const Index v : members) {
    weight += graph.weight_of(v);
    for (Offset p = graph.begin[v]; p < graph.end(v); ++p) {
      const Index d = clusters.cluster_of[graph.adjacent[p]];
      if (d < 0 || d == c) continue;
      const Offset known = place[d];
      if (known >= first && known < last && coarse.adjacent[known] == d) {
        coarse.edge_weight[known] =
            saturated(Offset{coarse.edge_weight[known]} + graph.edge_weight_of(p));
      } else {
        place[d] = last;
        coarse.adjacent[last] = d;
        coarse.edge_weight[last++] = graph.edge_weight_of(p);
      }
    }
  }
  coarse.weight[c] = saturated(weight);
  coarse.degree[c] = static_cast<Index>(last - first);
}

}  // namespace

Graph contract(const Graph& graph, const Clusters& clusters, int requested) {
  const int threads = threads_for(graph.n, parallel_from, requested);
  const Members members = members_of(clusters, threads);
  const Index count = clusters.count;
  const auto of = [&](Index c) {
    return std::span<const Index>(
        members.vertices.begin() + members.begin[c],
        static_cast<std::size_t>(members.begin[c + 1] - members.begin[c]));
  };
  Graph coarse{.n = count,
               .begin = Buffer<Offset>(count),
               .degree = Buffer<Index>(count),
               .weight = Buffer<Index>(count)};
#pragma omp parallel for num_threads(threads) if (threads > 1)
  for (Index c = 0; c < count; ++c) {
    Offset sum = 0;
    for (const Index v : of(c)) sum += graph.degree[v];
    coarse.begin[c] = sum;
  }
  const Offset room =
      exclusive_scan({coarse.begin.begin(), static_cast<std::size_t>(count)}, threads);
  coarse.adjacent = Buffer<Index>(room);
  coarse.edge_weight = Buffer<Index>(room);
  std::vector<Buffer<Offset>> places(static_cast<std::size_t>(threads));
  for (Buffer<Offset>& place : places) place = Buffer<Offset>(count);
#pragma omp parallel num_threads(threads) if (threads > 1)
  {
    Buffer<Offset>& place = places[omp_get_thread_num()];
    std::fill(place.begin(), place.end(), -1);
#pragma omp for schedule(dynamic, 512)
    for (Index c = 0; c < count; ++c) merge_members(graph, clusters, of(c), c, coarse, place);
  }
  return coarse;
}

}  // namespace lufact::nd
