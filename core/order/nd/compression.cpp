// SPDX-License-Identifier: BSD-3-Clause
#include "core/order/nd/compression.hpp"

#include "core/matrix/parallel.hpp"

namespace lufact::nd {
namespace {

// The smallest neighbour with the same closed neighbourhood, or the vertex itself.
Buffer<Index> representatives(const Graph& graph, int threads) {
  const Index n = graph.n;
  Buffer<std::uint64_t> hash(n);
#pragma omp parallel for schedule(static, turn_size(n, threads)) \
    num_threads(threads) if (threads > 1)
  for (Index v = 0; v < n; ++v) {
    std::uint64_t sum = mix64(static_cast<std::uint64_t>(v));
    for (const Index u : graph.neighbours(v)) sum += mix64(static_cast<std::uint64_t>(u));
    hash[v] = sum;
  }
  Buffer<Index> representative(n);
#pragma omp parallel for schedule(static, turn_size(n, threads)) \
    num_threads(threads) if (threads > 1)
  for (Index v = 0; v < n; ++v) {
    Index smallest = v;
    for (const Index u : graph.neighbours(v)) {
      if (u < smallest && hash[u] == hash[v]) smallest = u;
    }
    representative[v] = smallest;
  }
  return representative;
}

// A vertex whose representative has another representative, as hashes equal by chance can make it,
// represents itself.
void cut_chains(const Graph& graph, Buffer<Index>& representative, Buffer<Index>& leads,
                int threads) {
#pragma omp parallel for num_threads(threads) if (threads > 1)
  for (Index v = 0; v < graph.n; ++v) {
    const Index r = representative[v];
    leads[v] = r == v || representative[r] != r ? 1 : 0;
  }
#pragma omp parallel for num_threads(threads) if (threads > 1)
  for (Index v = 0; v < graph.n; ++v) {
    if (leads[v] != 0) representative[v] = v;
  }
}

Buffer<Index> class_weights(const Graph& graph, const Buffer<Index>& class_of, Index classes) {
  Buffer<Index> weight(classes);
  std::fill(weight.begin(), weight.end(), 0);
  for (Index v = 0; v < graph.n; ++v) ++weight[class_of[v]];
  return weight;
}

Graph class_graph(const Graph& graph, const Buffer<Index>& representative,
                  const Buffer<Index>& class_of, Index classes, int threads) {
  Graph result{.n = classes,
               .begin = Buffer<Offset>(classes),
               .degree = Buffer<Index>(classes),
               .adjacent = Buffer<Index>(graph.adjacent.size()),
               .edge_weight = Buffer<Index>(graph.adjacent.size()),
               .weight = class_weights(graph, class_of, classes)};
#pragma omp parallel for schedule(static, turn_size(graph.n, threads)) \
    num_threads(threads) if (threads > 1)
  for (Index v = 0; v < graph.n; ++v) {
    if (representative[v] != v) continue;
    const Index c = class_of[v];
    Offset q = graph.begin[v];
    result.begin[c] = q;
    for (const Index u : graph.neighbours(v)) {
      if (representative[u] != u) continue;
      result.adjacent[q] = class_of[u];
      result.edge_weight[q++] = saturated(Offset{result.weight[c]} * result.weight[class_of[u]]);
    }
    result.degree[c] = static_cast<Index>(q - graph.begin[v]);
  }
  return result;
}

}  // namespace

Compression compress(const Graph& graph, int requested) {
  const int threads = threads_for(graph.n, parallel_from, requested);
  const Index n = graph.n;
  Buffer<Index> representative = representatives(graph, threads);
  Buffer<Index> number(n);
  cut_chains(graph, representative, number, threads);
  const Index classes = exclusive_scan({number.begin(), static_cast<std::size_t>(n)}, threads);
  Compression result;
  if (classes > n - n / 10) return result;
  result.class_of = Buffer<Index>(n);
#pragma omp parallel for num_threads(threads) if (threads > 1)
  for (Index v = 0; v < n; ++v) result.class_of[v] = number[representative[v]];
  result.graph = class_graph(graph, representative, result.class_of, classes, threads);
  return result;
}

}  // namespace lufact::nd
