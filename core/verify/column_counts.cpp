// SPDX-License-Identifier: BSD-3-Clause
#include "core/verify/column_counts.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <span>
#include <vector>

#include "core/base/sha256.hpp"

namespace lufact {
namespace {

static_assert(std::endian::native == std::endian::little, "the hashes are of little-endian arrays");

// Entries of each column of L.
std::vector<Offset> count_columns_of_l(const ColumnPattern& pattern) {
  std::vector<Offset> count(at(pattern.rows.n_rows), 0);
  for (Index t = 0; t < pattern.rows.n_rows; ++t) {
    for (Offset p = pattern.rows.row_ptr[at(t)]; p < pattern.diagonal[at(t)]; ++p) {
      ++count[at(pattern.rows.col_idx[at(p)])];
    }
  }
  return count;
}

// One sweep over the rows: when row t is met, every column before t has its level, and so has t
// itself after its row of L; then its row of U passes the level on.
Offset count_levels(const ColumnPattern& pattern, const std::vector<Offset>& l_count,
                    DependencyRule rule) {
  const CsrPattern& rows = pattern.rows;
  std::vector<Index> level_of(at(rows.n_rows), 0);
  Index levels = 0;
  for (Index t = 0; t < rows.n_rows; ++t) {
    Index& level = level_of[at(t)];
    for (Offset p = rows.row_ptr[at(t)]; p < pattern.diagonal[at(t)]; ++p) {
      const Index i = rows.col_idx[at(p)];
      const bool waits = rule == DependencyRule::relaxed ||
                         (rule == DependencyRule::exact && rows.row(i).back() > t);
      if (waits) level = std::max(level, level_of[at(i)] + 1);
    }
    levels = std::max(levels, level + 1);
    if (l_count[at(t)] == 0) continue;
    for (Offset p = pattern.diagonal[at(t)] + 1; p < rows.row_ptr[at(t) + 1]; ++p) {
      Index& later = level_of[at(rows.col_idx[at(p)])];
      later = std::max(later, level + 1);
    }
  }
  return levels;
}

}  // namespace

PatternCounts count_pattern(const ColumnPattern& pattern) {
  PatternCounts counts;
  const std::vector<Offset> l_count = count_columns_of_l(pattern);
  for (Index i = 0; i < pattern.rows.n_rows; ++i) {
    const Offset right = pattern.rows.row_ptr[at(i) + 1] - pattern.diagonal[at(i)] - 1;
    counts.nnz_l += l_count[at(i)];
    counts.nnz_u += right + 1;
    counts.flops += static_cast<double>(l_count[at(i)]) * (1.0 + 2.0 * static_cast<double>(right));
  }
  return counts;
}

LevelsByRule count_levels(const ColumnPattern& pattern) {
  const std::vector<Offset> l_count = count_columns_of_l(pattern);
  LevelsByRule levels;
  levels.glu1 = count_levels(pattern, l_count, DependencyRule::glu1);
  levels.exact = count_levels(pattern, l_count, DependencyRule::exact);
  levels.relaxed = count_levels(pattern, l_count, DependencyRule::relaxed);
  return levels;
}

std::string pattern_sha256(const CsrPattern& pattern) {
  Sha256 hash;
  hash.update(std::span<const Offset>(pattern.row_ptr));
  hash.update(std::span<const Index>(pattern.col_idx));
  return hash.finish();
}

SupernodeNotes count_supernodes(const ColumnPattern& pattern, Index most_rows) {
  const std::vector<Index>& starts = pattern.supernodes;
  std::map<Offset, Offset> histogram;
  for (std::size_t s = 0; s + 1 < starts.size(); ++s) ++histogram[starts[s + 1] - starts[s]];
  SupernodeNotes notes;
  notes.rule = "t3";
  notes.max_size = most_rows;
  for (const auto& [size, count] : histogram) {
    notes.count += count;
    notes.largest = size;
    if (size > 1) notes.rows_in_larger += size * count;
    notes.sizes.push_back(size);
    notes.counts.push_back(count);
  }
  Sha256 hash;
  hash.update(std::span<const Index>(starts));
  notes.sha256 = hash.finish();
  return notes;
}

std::string levels_sha256(const ColumnSchedule& schedule) {
  Sha256 hash;
  hash.update(std::span<const Index>(schedule.level_of));
  return hash.finish();
}

}  // namespace lufact
