// SPDX-License-Identifier: BSD-3-Clause
#include "core/columns/elimination_forest.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "core/matrix/counting_sort.hpp"
#include "core/matrix/parallel.hpp"
#include "core/order/graph/link_subtree.hpp"

namespace lufact {
namespace {

// Calls body(i) for the rows of `first`'s ranges, a range a task.
template <class Body>
void for_rows(const std::vector<Index>& first, int threads, const Body& body) {
  parallel_for(static_cast<Offset>(first.size()) - 1, threads, [&](Offset part) {
    for (Index i = first[at(part)]; i < first[at(part) + 1]; ++i) body(i, part);
  });
}

struct Edge {
  Index vertex, later;
};

// The edges of the forest of one range of rows, in order of their later ends.
std::vector<Edge> range_forest(const EarlierNeighbours& graph, Index begin, Index end) {
  std::vector<Index> ancestor(at(graph.size()), -1);
  std::vector<Edge> edges;
  for (Index i = begin; i < end; ++i) {
    const auto joined = [&](Index root) { edges.push_back({root, i}); };
    for (const Index k : graph.lower(i)) link_subtree(k, i, ancestor.data(), joined);
    if (graph.symmetric()) continue;
    for (const Index k : graph.upper(i)) link_subtree(k, i, ancestor.data(), joined);
  }
  return edges;
}

}  // namespace

EarlierNeighbours::EarlierNeighbours(const PatternView& b, int threads) : b_(b) {
  find_lower_ends(threads);
  transpose_upper(threads);
  symmetric_ = lists_are_equal(threads);
}

std::span<const Index> EarlierNeighbours::lower(Index i) const noexcept {
  return b_.col_idx.subspan(at(b_.row_ptr[at(i)]), at(lower_end_[at(i)] - b_.row_ptr[at(i)]));
}

void EarlierNeighbours::find_lower_ends(int threads) {
  lower_end_.resize(at(b_.n_rows));
  for_rows(balanced_ranges(b_.row_ptr, threads), threads, [&](Index i, Offset) {
    const auto row = b_.row(i);
    const auto end = std::lower_bound(row.begin(), row.end(), i);
    lower_end_[at(i)] = b_.row_ptr[at(i)] + (end - row.begin());
  });
}

void EarlierNeighbours::transpose_upper(int threads) {
  const std::vector<Index> first = balanced_ranges(b_.row_ptr, threads);
  const auto for_entries = [&](const auto& body) {
    for_rows(first, threads, [&](Index k, Offset range) {
      const auto row = b_.row(k).subspan(at(lower_end_[at(k)] - b_.row_ptr[at(k)]));
      for (const Index i : row) {
        if (i != k) body(k, i, range);
      }
    });
  };
  CountingSort positions(threads, b_.n_rows);
  parallel_for(threads, threads, [&](Offset range) { positions.clear(range); });
  for_entries([&](Index, Index i, Offset range) { ++positions.counts(range)[i]; });
  upper_ptr_.resize(at(b_.n_rows) + 1);
  positions.to_positions(upper_ptr_, threads);
  upper_columns_ = UninitializedArray<Index>(upper_ptr_.back());
  for_entries(
      [&](Index k, Index i, Offset range) { upper_columns_[positions.counts(range)[i]++] = k; });
}

bool EarlierNeighbours::lists_are_equal(int threads) const {
  std::atomic<bool> equal{true};
  for_rows(balanced_ranges(b_.row_ptr, threads), threads, [&](Index i, Offset) {
    if (!equal.load(std::memory_order_relaxed)) return;
    const auto by_row = lower(i), by_column = upper(i);
    if (!std::equal(by_row.begin(), by_row.end(), by_column.begin(), by_column.end())) {
      equal.store(false, std::memory_order_relaxed);
    }
  });
  return equal.load();
}

std::vector<Index> elimination_forest(const EarlierNeighbours& graph, int threads) {
  const std::vector<Index> first = balanced_ranges(graph.matrix().row_ptr, threads);
  std::vector<std::vector<Edge>> edges(at(threads));
  parallel_for(threads, threads, [&](Offset range) {
    edges[at(range)] = range_forest(graph, first[at(range)], first[at(range) + 1]);
  });
  std::vector<Index> parent(at(graph.size()), -1), ancestor(parent);
  for (const auto& forest : edges) {
    for (const Edge& edge : forest) {
      link_subtree(edge.vertex, edge.later, ancestor.data(),
                   [&](Index root) { parent[at(root)] = edge.later; });
    }
  }
  return parent;
}

}  // namespace lufact
