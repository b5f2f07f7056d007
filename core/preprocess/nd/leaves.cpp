// SPDX-License-Identifier: BSD-3-Clause
#include "core/preprocess/nd/leaves.hpp"

#include <omp.h>

#include <numeric>
#include <utility>

#include "core/matrix/parallel.hpp"

namespace lufact::nd {
namespace {

// The leaf vertices of each part, ascending, and the place of each in its part.
struct PartLists {
  std::vector<Index> begin;  // parts + 1
  std::vector<Index> vertices;
  Buffer<Index> place;

  Index size(Index part) const noexcept { return begin[part + 1] - begin[part]; }
};

// Each chunk of vertices counts them by part, prefix sums give it its place in each part.
PartLists list_parts(const Parts& part, Index parts, const Buffer<Role>& role, int threads) {
  const Offset n = part.size();
  PartLists lists{std::vector<Index>(static_cast<std::size_t>(parts) + 1, 0), {}, Buffer<Index>(n)};
  std::vector<Index> counts(static_cast<std::size_t>(threads) * static_cast<std::size_t>(parts), 0);
  const auto each_leaf = [&](int chunk, const auto& body) {
    Index* const count = counts.data() + Offset{parts} * chunk;
    for (Offset v = n * chunk / threads; v < n * (chunk + 1) / threads; ++v) {
      if (role[v] == Role::leaf) body(v, count[part[v]]);
    }
  };
#pragma omp parallel for schedule(static, 1) num_threads(threads) if (threads > 1)
  for (int chunk = 0; chunk < threads; ++chunk) {
    each_leaf(chunk, [](Offset, Index& count) { ++count; });
  }
  for (Index k = 0; k < parts; ++k) {
    Index next = lists.begin[k];
    for (int chunk = 0; chunk < threads; ++chunk) {
      next += std::exchange(counts[Offset{parts} * chunk + k], next);
    }
    lists.begin[k + 1] = next;
  }
  lists.vertices.resize(static_cast<std::size_t>(lists.begin.back()));
#pragma omp parallel for schedule(static, 1) num_threads(threads) if (threads > 1)
  for (int chunk = 0; chunk < threads; ++chunk) {
    each_leaf(chunk, [&](Offset v, Index& next) {
      lists.place[v] = next - lists.begin[part[v]];
      lists.vertices[next++] = static_cast<Index>(v);
    });
  }
  return lists;
}

std::vector<Index> largest_first(const PartLists& lists) {
  std::vector<Index> parts(lists.begin.size() - 1);
  std::iota(parts.begin(), parts.end(), 0);
  std::stable_sort(parts.begin(), parts.end(),
                   [&](Index a, Index b) { return lists.size(a) > lists.size(b); });
  return parts;
}

// What a part leaves on the separator.
struct PartResult {
  RemainingElements elements;
  std::vector<Index> halo;  // vertices
  OrderingCost cost;
};

// A thread's workspace.
class LeafOrdering {
 public:
  void prepare(const Graph& graph, const PartLists& lists, const Buffer<Role>& role) {
    graph_ = &graph;
    lists_ = &lists;
    role_ = &role;
    halo_place_ = Buffer<Index>(graph.n);
    std::fill(halo_place_.begin(), halo_place_.end(), -1);
  }

  // Writes the part's vertices in order.
  PartResult run(Index part, std::span<Index> order) {
    const std::span<const Index> vertices(lists_->vertices.data() + lists_->begin[part],
                                          order.size());
    PartResult result;
    result.halo = collect_halo(vertices);
    fill_graph(vertices, result.halo);
    degree_.run();
    degree_.write_order(order);
    for (Index& v : order) v = vertices[v];
    result.elements = degree_.remaining();
    result.cost = degree_.cost();
    for (const Index v : result.halo) halo_place_[v] = -1;
    return result;
  }

 private:
  std::vector<Index> collect_halo(std::span<const Index> vertices) {
    std::vector<Index> halo;
    entries_ = 0;
    for (const Index v : vertices) {
      for (const Index u : graph_->neighbours(v)) {
        if ((*role_)[u] == Role::last) continue;
        ++entries_;
        if ((*role_)[u] != Role::separator) continue;
        ++entries_;
        if (halo_place_[u] >= 0) continue;
        halo_place_[u] = static_cast<Index>(halo.size());
        halo.push_back(u);
      }
    }
    return halo;
  }

  void fill_graph(std::span<const Index> vertices, std::span<const Index> halo) {
    QuotientGraph& q = degree_.graph();
    const auto interior = static_cast<Index>(vertices.size());
    q.reset(interior, static_cast<Index>(halo.size()), 0, entries_);
    Index end = 0;
    for (Index i = 0; i < interior; ++i) {
      q.begin[i] = end;
      q.weight[i] = graph_->weight_of(vertices[i]);
      for (const Index u : graph_->neighbours(vertices[i])) {
        if ((*role_)[u] == Role::last) continue;
        const bool inside = (*role_)[u] == Role::leaf;
        const Index other = inside ? lists_->place[u] : interior + halo_place_[u];
        q.list[end++] = other;
        if (!inside) ++q.length[other];
      }
      q.length[i] = end - q.begin[i];
    }
    for (Index i = interior; i < q.variables; ++i) {
      q.begin[i] = end;
      q.weight[i] = graph_->weight_of(halo[i - interior]);
      end += std::exchange(q.length[i], 0);
    }
    for (Index i = 0; i < interior; ++i) {
      for (Index p = q.begin[i]; p < q.begin[i] + q.length[i]; ++p) {
        const Index other = q.list[p];
        if (other >= interior) q.list[q.begin[other] + q.length[other]++] = i;
      }
    }
  }

  const Graph* graph_ = nullptr;
  const PartLists* lists_ = nullptr;
  const Buffer<Role>* role_ = nullptr;
  Buffer<Index> halo_place_;
  MinimumDegree degree_;
  Offset entries_ = 0;
};

void append(const PartResult& part, Leaves& leaves) {
  leaves.cost = sum(leaves.cost, part.cost);
  for (const Index place : part.elements.halo) leaves.vertices.push_back(part.halo[place]);
  const Offset base = leaves.begin.back();
  for (Index e = 0; e < part.elements.count(); ++e) {
    leaves.begin.push_back(base + part.elements.begin[e + 1]);
    leaves.path.push_back(part.elements.path[e]);
  }
}

}  // namespace

Leaves order_leaves(const Graph& graph, const Parts& part, Index parts, const Buffer<Role>& role,
                    int requested) {
  const int threads = threads_for(graph.n, parallel_from, requested);
  PartLists lists = list_parts(part, parts, role, threads);
  std::vector<LeafOrdering> workspaces(static_cast<std::size_t>(threads));
  parallel_for(threads, threads, [&](Offset k) { workspaces[k].prepare(graph, lists, role); });
  Leaves leaves;
  leaves.order.resize(lists.vertices.size());
  std::vector<PartResult> results(static_cast<std::size_t>(parts));
  const std::vector<Index> sequence = largest_first(lists);
  parallel_for(parts, threads, [&](Offset k) {
    const Index p = sequence[k];
    if (lists.size(p) == 0) return;
    const std::span<Index> order(leaves.order.data() + lists.begin[p],
                                 static_cast<std::size_t>(lists.size(p)));
    results[p] = workspaces[omp_get_thread_num()].run(p, order);
  });
  for (const PartResult& result : results) append(result, leaves);
  leaves.part_begin = std::move(lists.begin);
  return leaves;
}

}  // namespace lufact::nd
