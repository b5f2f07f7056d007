// SPDX-License-Identifier: BSD-3-Clause
#include "core/batch/diagonal_blocks.hpp"

#include <algorithm>
#include <map>

namespace lufact {
namespace {

// Ends of runs of rows with the same columns, no run longer than `largest`.
std::vector<Index> run_ends(const PatternView& by_row, Index largest) {
  std::vector<Index> ends;
  Index begin = 0;
  for (Index i = 1; i <= by_row.n_rows; ++i) {
    const bool goes_on = i < by_row.n_rows && i - begin < largest &&
                         std::ranges::equal(by_row.row(i), by_row.row(begin));
    if (goes_on) continue;
    ends.push_back(i);
    begin = i;
  }
  return ends;
}

// Block [begin, begin + n) by columns.
void add_block(const PermutedMatrix& matrix, Index begin, Index n, std::vector<double>& values) {
  const std::size_t first = values.size();
  values.resize(first + at(Offset{n} * n), 0.0);
  for (Index i = begin; i < begin + n; ++i) {
    for (Offset p = matrix.pattern.row_ptr[at(i)]; p < matrix.pattern.row_ptr[at(i) + 1]; ++p) {
      const Index j = matrix.pattern.col_idx[at(p)];
      if (j < begin || j >= begin + n) continue;
      values[first + at((i - begin) + Offset{j - begin} * n)] =
          matrix.row_scale[at(i)] * matrix.values[at(p)] * matrix.col_scale[at(j)];
    }
  }
}

}  // namespace

std::vector<Index> uniform_blocks(Index n, Index size) {
  std::vector<Index> begin{0};
  while (n - begin.back() >= size) begin.push_back(begin.back() + size);
  return begin;
}

std::vector<Index> supervariable_blocks(const PatternView& by_row, Index largest) {
  std::vector<Index> begin{0};
  Index end = 0;  // of the block that is put together
  for (const Index run_end : run_ends(by_row, largest)) {
    if (run_end - begin.back() > largest) begin.push_back(end);
    end = run_end;
  }
  if (end > begin.back()) begin.push_back(end);
  return begin;
}

std::vector<GivenMatrices> diagonal_blocks(const PermutedMatrix& matrix,
                                           std::span<const Index> begin) {
  std::map<Index, GivenMatrices> by_order;
  for (std::size_t b = 0; b + 1 < begin.size(); ++b) {
    const Index n = begin[b + 1] - begin[b];
    GivenMatrices& group = by_order[n];
    group.n = n;
    ++group.count;
    add_block(matrix, begin[b], n, group.values);
  }
  std::vector<GivenMatrices> groups;
  for (auto& [n, group] : by_order) groups.push_back(std::move(group));
  return groups;
}

}  // namespace lufact
