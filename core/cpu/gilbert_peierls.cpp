// SPDX-License-Identifier: BSD-3-Clause
#include "core/cpu/gilbert_peierls.hpp"

#include <algorithm>
#include <utility>

namespace lufact {
namespace {

std::size_t at(Offset position) noexcept { return static_cast<std::size_t>(position); }

// Whether `value` is among the rows. Compares in blocks, since a loop that leaves early is not
// vectorised.
bool contains(const Index* begin, const Index* end, Index value) noexcept {
  constexpr std::ptrdiff_t block = 64;
  for (; end - begin >= block; begin += block) {
    int hits = 0;
    for (std::ptrdiff_t k = 0; k < block; ++k) hits += begin[k] == value ? 1 : 0;
    if (hits != 0) return true;
  }
  return std::find(begin, end, value) != end;
}

}  // namespace

GilbertPeierls::GilbertPeierls(const PatternView& by_column) : by_column_(by_column) {
  const auto n = at(by_column.n_rows);
  l_begin_.reserve(n + 1);
  l_begin_.push_back(0);
  l_search_.resize(n);
  u_begin_.reserve(n + 1);
  l_rows_.reserve(2 * by_column.col_idx.size());
  u_rows_.reserve(2 * by_column.col_idx.size());
  mark_.assign(n, -1);
  pruned_.assign(n, 0);
  stack_.resize(n);
  position_.resize(n);
}

Offset GilbertPeierls::nnz() const noexcept {
  return static_cast<Offset>(l_rows_.size() + u_rows_.size()) + by_column_.n_rows;
}

void GilbertPeierls::add_column(Index k) {
  mark_[at(k)] = k;
  for (const Index row : by_column_.row(k)) {
    if (mark_[at(row)] == k) continue;
    mark_[at(row)] = k;
    if (row > k) {
      l_rows_.push_back(row);
    } else {
      search(row, k);
    }
  }
  l_search_[at(k)] = static_cast<Offset>(l_rows_.size());
  l_begin_.push_back(l_search_[at(k)]);
  u_begin_.push_back(static_cast<Offset>(u_rows_.size()));
  for (Offset q = u_begin_[at(k)]; q < u_begin_[at(k) + 1]; ++q) prune(u_rows_[at(q)], k);
}

// Depth-first from column `root` < k, which is marked: rows below k join U, rows above join L.
void GilbertPeierls::search(Index root, Index k) {
  u_rows_.push_back(root);
  Index top = 0;
  stack_[0] = root;
  position_[0] = l_begin_[at(root)];
  while (top >= 0) {
    const Index j = stack_[at(top)];
    const Offset end = l_search_[at(j)];
    Offset p = position_[at(top)];
    Index next = -1;
    for (; p < end && next < 0; ++p) {
      const Index row = l_rows_[at(p)];
      if (mark_[at(row)] == k) continue;
      mark_[at(row)] = k;
      if (row > k) {
        l_rows_.push_back(row);
      } else {
        next = row;
      }
    }
    position_[at(top)] = p;
    if (next < 0) {
      --top;
      continue;
    }
    u_rows_.push_back(next);
    ++top;
    stack_[at(top)] = next;
    position_[at(top)] = l_begin_[at(next)];
  }
}

// U(j,k) is present; if L(k,j) is too, searches of column j stop at its rows up to k.
void GilbertPeierls::prune(Index j, Index k) {
  if (pruned_[at(j)] != 0) return;
  Index* const begin = l_rows_.data() + l_begin_[at(j)];
  Index* const end = l_rows_.data() + l_search_[at(j)];
  if (!contains(begin, end, k)) return;
  Index* const cut = std::partition(begin, end, [k](Index row) { return row <= k; });
  l_search_[at(j)] = cut - l_rows_.data();
  pruned_[at(j)] = 1;
}

// Columns in ascending order are dealt out to the rows, so that each row comes out ascending.
ColumnPattern GilbertPeierls::take_rows() {
  const Index n = by_column_.n_rows;
  ColumnPattern pattern;
  pattern.rows.n_rows = pattern.rows.n_cols = n;
  auto& ptr = pattern.rows.row_ptr;
  ptr.assign(at(n) + 1, 0);
  for (const Index row : l_rows_) ++ptr[at(row) + 1];
  for (const Index row : u_rows_) ++ptr[at(row) + 1];
  for (std::size_t i = 0; i < at(n); ++i) ptr[i + 1] += ptr[i] + 1;  // 1: the diagonal
  pattern.rows.col_idx.resize(at(ptr.back()));
  pattern.diagonal.resize(at(n));
  std::vector<Offset> next(ptr.begin(), ptr.end() - 1);
  Index* const columns = pattern.rows.col_idx.data();
  for (Index k = 0; k < n; ++k) {
    pattern.diagonal[at(k)] = next[at(k)];
    columns[next[at(k)]++] = k;
    for (Offset q = u_begin_[at(k)]; q < u_begin_[at(k) + 1]; ++q) {
      columns[next[at(u_rows_[at(q)])]++] = k;
    }
    for (Offset q = l_begin_[at(k)]; q < l_begin_[at(k) + 1]; ++q) {
      columns[next[at(l_rows_[at(q)])]++] = k;
    }
  }
  l_rows_ = {};
  u_rows_ = {};
  return pattern;
}

}  // namespace lufact
