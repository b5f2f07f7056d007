// SPDX-License-Identifier: BSD-3-Clause
#include <limits>

#include "gpu/components/carver.hpp"
#include "gpu/components/grid_scan.cuh"
#include "gpu/ordering/contraction.hpp"
#include "gpu/ordering/vertex_groups.cuh"

namespace lufact::gpu {
namespace {

using Sum = unsigned long long;

constexpr Index free_slot = -1;
constexpr Sum no_place = std::numeric_limits<Sum>::max();

// Members and edges of all clusters before a given one.
struct ClusterSizes {
  Offset members, edges;
};
__device__ ClusterSizes operator+(const ClusterSizes& a, const ClusterSizes& b) {
  return {a.members + b.members, a.edges + b.edges};
}

// The edges of all members of a cluster, in the order of members and lists, have consecutive
// places; the cluster's table has two slots for each.
struct ContractionArrays {
  // By cluster. Counters and sums begin as zeros.
  Index *members = nullptr, *first_member = nullptr, *next_member = nullptr;
  Sum *edges = nullptr, *weight_sum = nullptr;
  // By vertex.
  Index* member = nullptr;        // grouped by cluster
  Offset* first_place = nullptr;  // of its edges
  // By place: the slot of the edge there, or -1 where it leads out of all clusters.
  Offset* slot = nullptr;
  // By slot: a neighbour of the cluster, the first place that names it, the edges' weight.
  Index* key = nullptr;
  Sum *first = nullptr, *weight = nullptr;
  ClusterSizes* partial = nullptr;  // one entry a block
  Sum* edges_left = nullptr;        // a single one, zero
};

struct CoarseRef {
  Index n = 0;
  Offset* begin = nullptr;
  Index *degree = nullptr, *adjacent = nullptr, *edge_weight = nullptr, *weight = nullptr;
};

class Contraction {
 public:
  __device__ Contraction(const GraphRef& graph, const Index* cluster_of, const CoarseRef& coarse,
                         const ContractionArrays& arrays)
      : graph_(graph), cluster_of_(cluster_of), coarse_(coarse), arrays_(arrays) {}

  __device__ void count(Index v) const {
    const Index c = cluster_of_[v];
    if (c < 0) return;
    atomicAdd(&arrays_.members[c], 1);
    atomicAdd(&arrays_.edges[c], static_cast<Sum>(graph_.degree[v]));
    atomicAdd(&arrays_.weight_sum[c], static_cast<Sum>(weight_of(graph_, v)));
  }

  __device__ ClusterSizes sizes(Offset c) const {
    return {arrays_.members[c], static_cast<Offset>(arrays_.edges[c])};
  }
  __device__ void place(Offset c, const ClusterSizes& up_to) const {
    const ClusterSizes own = sizes(c);
    arrays_.first_member[c] = static_cast<Index>(up_to.members - own.members);
    arrays_.next_member[c] = arrays_.first_member[c];
    coarse_.begin[c] = up_to.edges - own.edges;
    coarse_.weight[c] = nd::saturated(static_cast<Offset>(arrays_.weight_sum[c]));
  }

  // In any order.
  __device__ void list_member(Index v) const {
    const Index c = cluster_of_[v];
    if (c >= 0) arrays_.member[atomicAdd(&arrays_.next_member[c], 1)] = v;
  }

  // After the edges of the members of smaller number.
  __device__ void place_edges(Index v) const {
    const Index c = cluster_of_[v];
    if (c < 0) return;
    Offset place = coarse_.begin[c];
    const Index first = arrays_.first_member[c], count = arrays_.members[c];
    for (Index k = first; k < first + count; ++k) {
      const Index u = arrays_.member[k];
      if (u < v) place += graph_.degree[u];
    }
    arrays_.first_place[v] = place;
  }

  // The edge at p of v's list.
  __device__ void enter_edge(Index v, Offset p) const {
    const Index c = cluster_of_[v], d = cluster_of_[graph_.adjacent[p]];
    const Offset place = arrays_.first_place[v] + (p - graph_.begin[v]);
    if (d < 0 || d == c) {
      arrays_.slot[place] = -1;
      return;
    }
    const Offset slot = slot_of(c, d);
    arrays_.slot[place] = slot;
    atomicMin(&arrays_.first[slot], static_cast<Sum>(place));
    atomicAdd(&arrays_.weight[slot], static_cast<Sum>(edge_weight_of(graph_, p)));
  }

  // Writes the cluster's list: the edges that are the first to name their neighbour. By a warp.
  __device__ void write_list(Index c) const {
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    const unsigned before = (1u << lane) - 1;
    const Offset begin = coarse_.begin[c], end = begin + static_cast<Offset>(arrays_.edges[c]);
    Offset next = begin;
    for (Offset chunk = begin; chunk < end; chunk += warp_size) {
      const Offset place = chunk + lane;
      const Offset slot = place < end ? arrays_.slot[place] : -1;
      const bool is_first = slot >= 0 && arrays_.first[slot] == static_cast<Sum>(place);
      const unsigned firsts = __ballot_sync(full_warp, is_first);
      if (is_first) {
        const Offset q = next + __popc(firsts & before);
        coarse_.adjacent[q] = arrays_.key[slot];
        coarse_.edge_weight[q] = nd::saturated(static_cast<Offset>(arrays_.weight[slot]));
      }
      next += __popc(firsts);
    }
    if (lane != 0) return;
    coarse_.degree[c] = static_cast<Index>(next - begin);
    atomicAdd(arrays_.edges_left, static_cast<Sum>(next - begin));
  }

 private:
  // The slot of neighbour d in c's table, which is at most half full.
  __device__ Offset slot_of(Index c, Index d) const {
    const Offset begin = 2 * coarse_.begin[c];
    const auto slots = 2 * static_cast<Offset>(arrays_.edges[c]);
    Offset slot = static_cast<Offset>(mix64(static_cast<std::uint64_t>(d)) %
                                      static_cast<std::uint64_t>(slots));
    for (;;) {
      const Index found = atomicCAS(&arrays_.key[begin + slot], free_slot, d);
      if (found == free_slot || found == d) return begin + slot;
      slot = slot + 1 < slots ? slot + 1 : 0;
    }
  }

  const GraphRef& graph_;
  const Index* cluster_of_;
  const CoarseRef& coarse_;
  const ContractionArrays& arrays_;
};

__global__ void __launch_bounds__(grid_threads, grid_blocks_per_multiprocessor)
    contract_graph(const __grid_constant__ GraphRef graph, Offset edges, const Index* cluster_of,
                   const __grid_constant__ CoarseRef coarse,
                   const __grid_constant__ ContractionArrays arrays) {
  __shared__ GridScanStorage<ClusterSizes> storage;
  const Grid grid;
  const Contraction contraction(graph, cluster_of, coarse, arrays);
  const auto each_vertex = [&](const auto& body) {
    grid.for_each(graph.n, [&](Offset v) { body(static_cast<Index>(v)); });
  };
  grid.for_each(2 * edges, [&](Offset slot) {
    arrays.key[slot] = free_slot;
    arrays.first[slot] = no_place;
    arrays.weight[slot] = 0;
  });
  each_vertex([&](Index v) { contraction.count(v); });
  grid.sync();
  grid_scan(
      grid, storage, arrays.partial, coarse.n, ClusterSizes{0, 0}, Plus{},
      [&](Offset c) { return contraction.sizes(c); },
      [&](Offset c, const ClusterSizes& up_to) { contraction.place(c, up_to); });
  grid.sync();
  each_vertex([&](Index v) { contraction.list_member(v); });
  grid.sync();
  each_vertex([&](Index v) { contraction.place_edges(v); });
  grid.sync();
  VertexGroups(grid, graph.n)
      .for_each(
          [&](Index v) { return cluster_of[v] < 0 ? VertexGroups::skipped : graph.degree[v]; },
          [&](const auto& group, Index v) {
            group.for_each(graph.begin[v], graph.begin[v] + graph.degree[v],
                           [&](Offset p) { contraction.enter_edge(v, p); });
          });
  grid.sync();
  grid.for_each_warp(coarse.n, [&](Offset c) { contraction.write_list(static_cast<Index>(c)); });
}

}  // namespace

DeviceGraph contract(DeviceSession& session, const DeviceGraph& graph,
                     const DeviceClusters& clusters) {
  const Index n = graph.n, count = clusters.count;
  const Offset edges = graph.edges;
  constexpr MemoryRole role = MemoryRole::scratch;
  DeviceGraph coarse{.n = count,
                     .begin = {session, role, count, "the lists of a coarse graph"},
                     .degree = {session, role, count, "the degrees of a coarse graph"},
                     .adjacent = {session, role, edges, "the edges of a coarse graph"},
                     .edge_weight = {session, role, edges, "the edges' weights of a coarse graph"},
                     .weight = {session, role, count, "the weights of a coarse graph"}};
  // Gaps between the lists may be copied with the lists.
  coarse.adjacent.fill_bytes(0);
  coarse.edge_weight.fill_bytes(0);
  // Counters: the edges that are left, then edges and weights of clusters, then their members.
  Buffer<Sum> counters(session, role, 1 + 3 * Offset{count}, "sizes of clusters");
  counters.fill_bytes(0);
  ContractionArrays arrays;
  arrays.edges_left = counters.data();
  arrays.edges = arrays.edges_left + 1;
  arrays.weight_sum = arrays.edges + count;
  arrays.members = reinterpret_cast<Index*>(arrays.weight_sum + count);
  const Buffer<std::byte> block = carve(session, "tables of the edges of clusters", [&](Carver& c) {
    arrays.first_member = c.take<Index>(count);
    arrays.next_member = c.take<Index>(count);
    arrays.member = c.take<Index>(n);
    arrays.first_place = c.take<Offset>(n);
    arrays.slot = c.take<Offset>(edges);
    arrays.key = c.take<Index>(2 * edges);
    arrays.first = c.take<Sum>(2 * edges);
    arrays.weight = c.take<Sum>(2 * edges);
    arrays.partial = c.take<ClusterSizes>(most_grid_blocks(session));
  });
  launch_over_vertices(
      session, n, contract_graph, graph.ref(), edges, clusters.cluster_of.data(),
      CoarseRef{count, coarse.begin.data(), coarse.degree.data(), coarse.adjacent.data(),
                coarse.edge_weight.data(), coarse.weight.data()},
      arrays);
  coarse.edges = static_cast<Offset>(read_value(session, arrays.edges_left));
  return coarse;
}

}  // namespace lufact::gpu
