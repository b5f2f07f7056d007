// SPDX-License-Identifier: BSD-3-Clause
#include "core/reference/symbolic.hpp"

#include <algorithm>
#include <set>

namespace lufact::reference {
namespace {

ColumnPattern empty_pattern(Index n) {
  ColumnPattern result;
  result.rows.n_rows = result.rows.n_cols = n;
  return result;
}

// Appends row i, whose columns ascend and include i.
void append_row(ColumnPattern& pattern, Index i, const std::vector<Index>& columns) {
  const auto diagonal = std::lower_bound(columns.begin(), columns.end(), i);
  pattern.diagonal.push_back(pattern.rows.nnz() + (diagonal - columns.begin()));
  pattern.rows.col_idx.insert(pattern.rows.col_idx.end(), columns.begin(), columns.end());
  pattern.rows.row_ptr.push_back(static_cast<Offset>(pattern.rows.col_idx.size()));
}

// Lines 2 to 27 of E2E Algorithm 1. `fill` carries the tags from row to row.
std::vector<Index> fill2_row(const CsrPattern& b, Index src, std::vector<Index>& fill) {
  std::vector<Index> filled;
  fill[at(src)] = src;
  for (const Index v : b.row(src)) {
    fill[at(v)] = src;
    filled.push_back(v);
  }
  for (Index threshold = 0; threshold < src; ++threshold) {
    if (fill[at(threshold)] != src) continue;
    std::vector<Index> frontier_queue{threshold};
    while (!frontier_queue.empty()) {
      std::vector<Index> new_frontier_queue;
      for (const Index frontier : frontier_queue) {
        for (const Index neighbor : b.row(frontier)) {
          if (fill[at(neighbor)] >= src) continue;
          fill[at(neighbor)] = src;
          (neighbor > threshold ? filled : new_frontier_queue).push_back(neighbor);
        }
      }
      frontier_queue.swap(new_frontier_queue);
    }
  }
  std::sort(filled.begin(), filled.end());
  return filled;
}

}  // namespace

ColumnPattern fill2(const CsrPattern& b) {
  ColumnPattern result = empty_pattern(b.n_rows);
  std::vector<Index> fill(at(b.n_rows), -1);
  for (Index src = 0; src < b.n_rows; ++src) append_row(result, src, fill2_row(b, src, fill));
  return result;
}

ColumnPattern row_merge(const CsrPattern& b) {
  ColumnPattern result = empty_pattern(b.n_rows);
  for (Index t = 0; t < b.n_rows; ++t) {
    const auto own = b.row(t);
    std::set<Index> merged(own.begin(), own.end());
    // Entries inserted while walking lie right of k, so that the walk meets them in turn.
    for (auto k = merged.begin(); k != merged.end() && *k < t; ++k) {
      for (const Index c : result.rows.row(*k)) {
        if (c > *k) merged.insert(c);
      }
    }
    append_row(result, t, {merged.begin(), merged.end()});
  }
  return result;
}

}  // namespace lufact::reference
