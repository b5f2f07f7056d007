// SPDX-License-Identifier: BSD-3-Clause
#include "core/fronts/analysis/postordered_pattern.hpp"

#include <algorithm>
#include <utility>

#include "core/columns/elimination_forest.hpp"
#include "core/matrix/parallel.hpp"
#include "core/order/graph/elimination_tree.hpp"

namespace lufact {
PostorderedPattern::PostorderedPattern(const PermutedMatrix& b, int threads) : b_(b) {
  checked_index(b.pattern.nnz(), "the number of entries of B");
  if (!b.forest.empty() || b.pattern.n_rows == 0) return;
  const EarlierNeighbours graph(b.pattern.view(), threads);
  const std::vector<Index> parent = elimination_forest(graph, threads);
  label_ = postorder(parent);
  std::vector<Index> position(label_.size());
  for (std::size_t k = 0; k < label_.size(); ++k) {
    position[at(label_[k])] = static_cast<Index>(k);
  }
  forest_.resize(parent.size());
  for (std::size_t k = 0; k < label_.size(); ++k) {
    const Index above = parent[at(label_[k])];
    forest_[k] = above < 0 ? -1 : position[at(above)];
  }
  move_rows(position, threads);
}

void PostorderedPattern::move_rows(const std::vector<Index>& position, int threads) {
  const CsrPattern& from = b_.pattern;
  moved_.n_rows = moved_.n_cols = from.n_rows;
  moved_.row_ptr.reserve(from.row_ptr.size());
  for (const Index label : label_) {
    moved_.row_ptr.push_back(moved_.row_ptr.back() + static_cast<Offset>(from.row(label).size()));
  }
  moved_.col_idx.resize(from.col_idx.size());
  source_.resize(from.col_idx.size());
  constexpr Index rows_per_part = 1024;
  const Offset parts = (Offset{from.n_rows} + rows_per_part - 1) / rows_per_part;
  parallel_for(parts, threads, [&](Offset part) {
    std::vector<std::pair<Index, Index>> entries;  // column and position among B's entries
    const Offset end = std::min<Offset>((part + 1) * rows_per_part, from.n_rows);
    for (Offset k = part * rows_per_part; k < end; ++k) {
      Offset p = from.row_ptr[at(label_[at(k)])];
      entries.clear();
      for (const Index label : from.row(label_[at(k)])) {
        entries.emplace_back(position[at(label)], static_cast<Index>(p++));
      }
      std::sort(entries.begin(), entries.end());
      Offset to = moved_.row_ptr[at(k)];
      for (const auto& [column, source] : entries) {
        moved_.col_idx[at(to)] = column;
        source_[at(to++)] = source;
      }
    }
  });
}

}  // namespace lufact
