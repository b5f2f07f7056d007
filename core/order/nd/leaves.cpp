// SPDX-License-Identifier: BSD-3-Clause
#include "core/order/nd/leaves.hpp"

#include <omp.h>

#include <numeric>
#include <utility>

#include "core/matrix/parallel.hpp"

namespace lufact::nd {
namespace {

// The leaf vertices of each part, and the separator vertices as one part more; all ascend.
struct PartLists {
  std::vector<Index> begin;  // parts + 2
  std::vector<Index> vertices;
  Places places;

  Index parts() const noexcept { return static_cast<Index>(begin.size()) - 2; }
  std::span<const Index> of(Index part) const noexcept {
    return {vertices.data() + begin[part], static_cast<std::size_t>(begin[part + 1] - begin[part])};
  }
};

// Each chunk of vertices is counted by part; prefix sums give each chunk its place in each part.
PartLists list_parts(const Parts& part, Index parts, const Buffer<Role>& role, int threads) {
  const Offset n = part.size(), lists_count = Offset{parts} + 1;
  PartLists lists{std::vector<Index>(static_cast<std::size_t>(parts) + 2, 0), {}, Places(n)};
  std::vector<Index> counts(static_cast<std::size_t>(threads * lists_count), 0);
  const auto each_listed = [&](int chunk, const auto& body) {
    Index* const count = counts.data() + lists_count * chunk;
    for (Offset v = n * chunk / threads; v < n * (chunk + 1) / threads; ++v) {
      if (role[v] == Role::last) continue;
      const Index list = role[v] == Role::leaf ? part[v] : parts;
      body(v, list, count[list]);
    }
  };
#pragma omp parallel for schedule(static, 1) num_threads(threads) if (threads > 1)
  for (int chunk = 0; chunk < threads; ++chunk) {
    each_listed(chunk, [](Offset, Index, Index& count) { ++count; });
  }
  for (Offset k = 0; k < lists_count; ++k) {
    Index next = lists.begin[k];
    for (int chunk = 0; chunk < threads; ++chunk) {
      next += std::exchange(counts[lists_count * chunk + k], next);
    }
    lists.begin[k + 1] = next;
  }
  lists.vertices.resize(static_cast<std::size_t>(lists.begin.back()));
#pragma omp parallel for schedule(static, 1) num_threads(threads) if (threads > 1)
  for (int chunk = 0; chunk < threads; ++chunk) {
    for (Offset v = n * chunk / threads; v < n * (chunk + 1) / threads; ++v) {
      if (role[v] == Role::last) lists.places.set_last(v);
    }
    each_listed(chunk, [&](Offset v, Index list, Index& next) {
      const Index place = next - lists.begin[list];
      if (list < parts) {
        lists.places.set_leaf(v, place);
      } else {
        lists.places.set_separator(v, place);
      }
      lists.vertices[next++] = static_cast<Index>(v);
    });
  }
  return lists;
}

std::vector<Index> largest_first(const PartLists& lists) {
  std::vector<Index> parts(static_cast<std::size_t>(lists.parts()));
  std::iota(parts.begin(), parts.end(), 0);
  std::stable_sort(parts.begin(), parts.end(),
                   [&](Index a, Index b) { return lists.of(a).size() > lists.of(b).size(); });
  return parts;
}

// The elements of one part on the separator.
struct PartResult {
  RemainingElements elements;
  std::vector<Index> halo;  // places in the separator
  OrderingCost cost;
};

// A thread's workspace.
class LeafOrdering {
 public:
  explicit LeafOrdering(const ColumnPathRates& rates) : degree_(rates) {}

  // Writes the part's vertices in order.
  PartResult run(const Graph& graph, const PartLists& lists, Index part, std::span<Index> order) {
    const std::span<const Index> vertices = lists.of(part);
    halo_place_.resize(lists.of(lists.parts()).size(), -1);
    PartResult result;
    fill_interior(graph, lists.places, vertices, result.halo);
    fill_halo(graph, lists, result.halo);
    degree_.run();
    degree_.write_order(order);
    for (Index& v : order) v = vertices[v];
    result.elements = degree_.remaining();
    result.cost = degree_.cost();
    for (const Index s : result.halo) halo_place_[s] = -1;
    return result;
  }

 private:
  struct HaloEdge {
    Index interior, halo;
  };

  // Fills the lists of the part's vertices. Collects the separator vertices met, the halo.
  void fill_interior(const Graph& graph, const Places& places, std::span<const Index> vertices,
                     std::vector<Index>& halo) {
    QuotientGraph& q = degree_.graph();
    const auto interior = static_cast<Index>(vertices.size());
    Offset edges = 0;
    for (const Index v : vertices) {
      edges += graph.degree[v];
      // Lists of a part are anywhere in memory: fetches overlap instead of following one another.
      __builtin_prefetch(graph.adjacent.begin() + graph.begin[v]);
    }
    q.reset(interior, 0, 0, 2 * edges);
    halo_edges_.clear();
    Index end = 0;
    for (Index i = 0; i < interior; ++i) {
      q.begin[i] = end;
      q.weight[i] = graph.weight_of(vertices[i]);
      for (const Index u : graph.neighbours(vertices[i])) {
        const Index code = places.code(u);
        if (code == Places::nothing) continue;
        if (code >= 0) {
          q.list[end++] = code;
          continue;
        }
        Index& place = halo_place_[~code];
        if (place < 0) {
          place = static_cast<Index>(halo.size());
          halo.push_back(~code);
        }
        halo_edges_.push_back({i, place});
        q.list[end++] = interior + place;
      }
      q.length[i] = end - q.begin[i];
    }
    entries_ = end;
  }

  // Fills the lists of the halo, which name vertices of the part alone.
  void fill_halo(const Graph& graph, const PartLists& lists, std::span<const Index> halo) {
    QuotientGraph& q = degree_.graph();
    const Index interior = q.interior;
    q.add_halo(static_cast<Index>(halo.size()), entries_ + static_cast<Offset>(halo_edges_.size()));
    for (const HaloEdge& edge : halo_edges_) ++q.length[interior + edge.halo];
    const std::span<const Index> separator = lists.of(lists.parts());
    Index end = entries_;
    for (Index i = interior; i < q.variables; ++i) {
      q.begin[i] = end;
      q.weight[i] = graph.weight_of(separator[halo[i - interior]]);
      end += std::exchange(q.length[i], 0);
    }
    for (const HaloEdge& edge : halo_edges_) {
      const Index i = interior + edge.halo;
      q.list[q.begin[i] + q.length[i]++] = edge.interior;
    }
  }

  std::vector<Index> halo_place_;  // of separator vertices, by place; -1: not in this halo
  std::vector<HaloEdge> halo_edges_;
  MinimumDegree degree_;
  Index entries_ = 0;  // of the lists of the part's vertices
};

void append(const PartResult& part, Leaves& leaves) {
  leaves.cost = sum(leaves.cost, part.cost);
  for (const Index place : part.elements.halo) leaves.covered.push_back(part.halo[place]);
  const Offset base = leaves.begin.back();
  for (Index e = 0; e < part.elements.count(); ++e) {
    leaves.begin.push_back(base + part.elements.begin[e + 1]);
    leaves.path.push_back(part.elements.path[e]);
  }
}

}  // namespace

Leaves order_leaves(const Graph& graph, const Parts& part, Index parts, const Buffer<Role>& role,
                    int requested, const ColumnPathRates& rates) {
  const int threads = threads_for(graph.n, parallel_from, requested);
  PartLists lists = list_parts(part, parts, role, threads);
  std::vector<LeafOrdering> workspaces(static_cast<std::size_t>(threads), LeafOrdering(rates));
  Leaves leaves;
  leaves.order.resize(static_cast<std::size_t>(lists.begin[parts]));
  std::vector<PartResult> results(static_cast<std::size_t>(parts));
  const std::vector<Index> sequence = largest_first(lists);
  parallel_for(parts, threads, [&](Offset k) {
    const Index p = sequence[k];
    const std::span<Index> order(leaves.order.data() + lists.begin[p], lists.of(p).size());
    if (order.empty()) return;
    results[p] = workspaces[omp_get_thread_num()].run(graph, lists, p, order);
  });
  std::size_t elements = 0, covered = 0;
  for (const PartResult& result : results) {
    elements += result.elements.path.size();
    covered += result.elements.halo.size();
  }
  leaves.begin.reserve(elements + 1);
  leaves.path.reserve(elements);
  leaves.covered.reserve(covered);
  for (const PartResult& result : results) append(result, leaves);
  const std::span<const Index> separator = lists.of(parts);
  leaves.separator.assign(separator.begin(), separator.end());
  leaves.places = std::move(lists.places);
  lists.begin.pop_back();
  leaves.part_begin = std::move(lists.begin);
  return leaves;
}

}  // namespace lufact::nd
