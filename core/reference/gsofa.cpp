// SPDX-License-Identifier: BSD-3-Clause
#include "core/reference/gsofa.hpp"

#include <algorithm>

namespace lufact::reference {
namespace {

class Search {
 public:
  explicit Search(const CsrPattern& b) : b_(b), fill_(at(b.n_rows), -1), queued_(at(b.n_rows), -1) {
    result_.pattern.rows.n_rows = result_.pattern.rows.n_cols = b.n_rows;
  }

  GsofaSearch run() {
    for (Index src = 0; src < b_.n_rows; ++src) {
      search(src);
      append_row(src);
    }
    return std::move(result_);
  }

 private:
  void search(Index src) {
    max_id_.assign(at(b_.n_rows), b_.n_rows);  // line 2: |V|
    filled_.clear();
    std::vector<Index> frontier_queue;
    for (const Index v : b_.row(src)) {  // lines 3 to 6
      fill_[at(v)] = src;
      filled_.push_back(v);
      max_id_[at(v)] = 0;
      if (v < src) enqueue(src, v, frontier_queue);
    }
    Index iterations = 0;
    for (; !frontier_queue.empty(); ++iterations) {  // lines 7 to 18
      GsofaCounts& counts = result_.counts;
      counts.longest_queue =
          std::max(counts.longest_queue, static_cast<Offset>(frontier_queue.size()));
      std::vector<Index> new_frontier_queue;
      for (const Index frontier : frontier_queue) expand(src, frontier, new_frontier_queue);
      frontier_queue.swap(new_frontier_queue);
    }
    result_.counts.iterations += iterations;
    result_.counts.most_iterations = std::max(result_.counts.most_iterations, iterations);
  }

  void expand(Index src, Index frontier, std::vector<Index>& new_frontier_queue) {
    const Index new_max_id = std::max(frontier, max_id_[at(frontier)]);
    for (const Index neighbor : b_.row(frontier)) {
      ++result_.counts.edges;
      if (neighbor < src) {
        if (max_id_[at(neighbor)] <= new_max_id) continue;  // line 10
        max_id_[at(neighbor)] = new_max_id;
      }
      if (neighbor > new_max_id) {                 // line 11: Theorem 1
        if (fill_[at(neighbor)] == src) continue;  // lines 12 to 14
        fill_[at(neighbor)] = src;
        filled_.push_back(neighbor);
        ++result_.counts.new_fill;
      }
      if (neighbor < src) enqueue(src, neighbor, new_frontier_queue);  // line 15
    }
  }

  void enqueue(Index src, Index v, std::vector<Index>& queue) {
    ++result_.counts.enqueued;
    if (queued_[at(v)] == src) ++result_.counts.enqueued_again;
    queued_[at(v)] = src;
    queue.push_back(v);
  }

  void append_row(Index src) {
    std::ranges::sort(filled_);
    ColumnPattern& pattern = result_.pattern;
    const auto diagonal = std::ranges::lower_bound(filled_, src);
    pattern.diagonal.push_back(pattern.rows.nnz() + (diagonal - filled_.begin()));
    pattern.rows.col_idx.insert(pattern.rows.col_idx.end(), filled_.begin(), filled_.end());
    pattern.rows.row_ptr.push_back(static_cast<Offset>(pattern.rows.col_idx.size()));
  }

  const CsrPattern& b_;
  GsofaSearch result_;
  std::vector<Index> max_id_, fill_, queued_;  // queued_: the last source that enqueued the vertex
  std::vector<Index> filled_;                  // the row of the source
};

}  // namespace

GsofaSearch gsofa(const CsrPattern& b) {
  return Search(b).run();
}

}  // namespace lufact::reference
