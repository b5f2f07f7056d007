// SPDX-License-Identifier: BSD-3-Clause
#include "core/order/graph/graph.hpp"

#include <vector>

#include "core/matrix/parallel.hpp"

namespace lufact::nd {
namespace {

template <class T>
T scan(std::span<T> values, int threads) {
  const auto n = static_cast<Offset>(values.size());
  const int parts = threads_for(n, 4 * parallel_from, threads);
  std::vector<T> sums(static_cast<std::size_t>(parts) + 1, 0);
  const auto bound = [&](int part) { return n * part / parts; };
#pragma omp parallel for num_threads(parts) if (parts > 1)
  for (int part = 0; part < parts; ++part) {
    T sum = 0;
    for (Offset k = bound(part); k < bound(part + 1); ++k) sum += values[k];
    sums[part + 1] = sum;
  }
  for (int part = 0; part < parts; ++part) sums[part + 1] += sums[part];
#pragma omp parallel for num_threads(parts) if (parts > 1)
  for (int part = 0; part < parts; ++part) {
    T sum = sums[part];
    for (Offset k = bound(part); k < bound(part + 1); ++k) {
      const T value = values[k];
      values[k] = sum;
      sum += value;
    }
  }
  return sums.back();
}

template <class T>
Buffer<T> copied(const Buffer<T>& from, int threads) {
  Buffer<T> to(from.size());
#pragma omp parallel for num_threads(threads) if (from.size() >= 16 * parallel_from)
  for (Offset k = 0; k < from.size(); ++k) to[k] = from[k];
  return to;
}

// x'Ay - y'Ax for random x and y.
bool is_structurally_symmetric(const PatternView& a, int threads) {
  const Index n = a.n_rows;
  struct Pair {
    std::uint64_t x, y;
  };
  Buffer<Pair> random(n);
  std::uint64_t difference = 0;
#pragma omp parallel for num_threads(threads) if (threads > 1)
  for (Index v = 0; v < n; ++v) random[v] = {hash64(1, v), hash64(2, v)};
#pragma omp parallel for schedule(static, turn_size(n, threads)) num_threads(threads) \
    reduction(+ : difference) if (threads > 1)
  for (Index i = 0; i < n; ++i) {
    Pair sum{0, 0};
    for (const Index j : a.row(i)) {
      sum.x += random[j].x;
      sum.y += random[j].y;
    }
    difference += random[i].x * sum.y - random[i].y * sum.x;
  }
  return difference == 0;
}

// The transposed pattern: each part of the rows counts its entries by column, prefix sums give it
// its place in each column. No atomics, and lists ascend.
struct Transpose {
  Buffer<Offset> begin;  // n + 1
  Buffer<Index> rows;

  std::span<const Index> column(Index j) const noexcept {
    return {rows.begin() + begin[j], static_cast<std::size_t>(begin[j + 1] - begin[j])};
  }
};

Transpose transposed(const PatternView& a, int threads) {
  const Index n = a.n_rows;
  Transpose result{Buffer<Offset>(Offset{n} + 1), Buffer<Index>(a.nnz())};
  Buffer<Index> counts(Offset{n} * threads);
  const auto bound = [&](int part) { return static_cast<Index>(Offset{n} * part / threads); };
#pragma omp parallel for schedule(static, 1) num_threads(threads) if (threads > 1)
  for (int part = 0; part < threads; ++part) {
    Index* const count = counts.begin() + Offset{n} * part;
    std::fill(count, count + n, 0);
    for (Index i = bound(part); i < bound(part + 1); ++i) {
      for (const Index j : a.row(i)) ++count[j];
    }
  }
#pragma omp parallel for num_threads(threads) if (threads > 1)
  for (Index j = 0; j < n; ++j) {
    Index sum = 0;
    for (int part = 0; part < threads; ++part) {
      Index& count = counts[Offset{n} * part + j];
      const Index before = sum;
      sum += count;
      count = before;
    }
    result.begin[j] = sum;
  }
  result.begin[n] = 0;
  exclusive_scan({result.begin.begin(), static_cast<std::size_t>(n) + 1}, threads);
#pragma omp parallel for schedule(static, 1) num_threads(threads) if (threads > 1)
  for (int part = 0; part < threads; ++part) {
    Index* const place = counts.begin() + Offset{n} * part;
    for (Index i = bound(part); i < bound(part + 1); ++i) {
      for (const Index j : a.row(i)) result.rows[result.begin[j] + place[j]++] = i;
    }
  }
  return result;
}

// Calls take(u) for every u other than v in either list, ascending, once each.
template <class Take>
void merge(std::span<const Index> row, std::span<const Index> column, Index v, const Take& take) {
  auto r = row.begin();
  auto c = column.begin();
  while (r != row.end() || c != column.end()) {
    const bool from_row = c == column.end() || (r != row.end() && *r <= *c);
    const Index u = from_row ? *r : *c;
    if (r != row.end() && *r == u) ++r;
    if (c != column.end() && *c == u) ++c;
    if (u != v) take(u);
  }
}

// A graph whose list of v is what lists(v, take) gives to `take`, called twice.
template <class Lists>
Graph build(Index n, int threads, const Lists& lists) {
  Graph graph{.n = n, .begin = Buffer<Offset>(n), .degree = Buffer<Index>(n)};
#pragma omp parallel for schedule(static, turn_size(n, threads)) \
    num_threads(threads) if (threads > 1)
  for (Index v = 0; v < n; ++v) {
    Index count = 0;
    lists(v, [&count](Index) { ++count; });
    graph.begin[v] = graph.degree[v] = count;
  }
  const Offset total = exclusive_scan({graph.begin.begin(), static_cast<std::size_t>(n)}, threads);
  graph.adjacent = Buffer<Index>(total);
#pragma omp parallel for schedule(static, turn_size(n, threads)) \
    num_threads(threads) if (threads > 1)
  for (Index v = 0; v < n; ++v) {
    Index* out = graph.adjacent.begin() + graph.begin[v];
    lists(v, [&out](Index u) { *out++ = u; });
  }
  return graph;
}

}  // namespace

Offset exclusive_scan(std::span<Offset> values, int threads) {
  return scan(values, threads);
}

Index exclusive_scan(std::span<Index> values, int threads) {
  return scan(values, threads);
}

Offset total_degree(const Graph& graph, int threads) {
  Offset sum = 0;
#pragma omp parallel for num_threads(threads) reduction(+ : sum) if (graph.n >= parallel_from)
  for (Index v = 0; v < graph.n; ++v) sum += graph.degree[v];
  return sum;
}

Offset total_weight(const Graph& graph, int threads) {
  if (graph.weight.empty()) return graph.n;
  Offset sum = 0;
#pragma omp parallel for num_threads(threads) reduction(+ : sum) if (graph.n >= parallel_from)
  for (Index v = 0; v < graph.n; ++v) sum += graph.weight[v];
  return sum;
}

Index largest_degree(const Graph& graph, int threads) {
  Index largest = 0;
#pragma omp parallel for num_threads(threads) reduction(max : largest) if (graph.n >= parallel_from)
  for (Index v = 0; v < graph.n; ++v) largest = std::max(largest, graph.degree[v]);
  return largest;
}

int team_for(const Graph& graph, int threads) {
  constexpr Offset worthwhile_edges = parallel_from / 2;
  if (graph.n >= parallel_from) return threads;
  return threads_for(total_degree(graph, 1), worthwhile_edges, threads);
}

Graph copy_of(const Graph& graph, int threads) {
  return {.n = graph.n,
          .begin = copied(graph.begin, threads),
          .degree = copied(graph.degree, threads),
          .adjacent = copied(graph.adjacent, threads),
          .edge_weight = copied(graph.edge_weight, threads),
          .weight = copied(graph.weight, threads)};
}

// Rows and entries of a pattern that more than one thread turns into a graph.
constexpr Offset worthwhile_entries = 8 * parallel_from;

Graph graph_of_symmetric(const PatternView& a, int requested) {
  const int threads = threads_for(a.n_rows + a.nnz(), worthwhile_entries, requested);
  return build(a.n_rows, threads, [&a](Index v, const auto& take) {
    for (const Index u : a.row(v)) {
      if (u != v) take(u);
    }
  });
}

Graph graph_of(const PatternView& a, int requested) {
  const int threads = threads_for(a.n_rows + a.nnz(), worthwhile_entries, requested);
  if (is_structurally_symmetric(a, threads)) return graph_of_symmetric(a, requested);
  const Transpose columns = transposed(a, threads);
  return build(a.n_rows, threads,
               [&](Index v, const auto& take) { merge(a.row(v), columns.column(v), v, take); });
}

}  // namespace lufact::nd
