// SPDX-License-Identifier: BSD-3-Clause
#include "core/matrix/assemble.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/matrix/parallel.hpp"

namespace lufact::matrix_market {
namespace {

constexpr Offset row_block = 2048;

struct Counts {
  Offset duplicates = 0, zeros = 0, replaced = 0, missing = 0;
  Index overflow_row = std::numeric_limits<Index>::max(), overflow_col = 0;
};

bool is_ascending(const RowEntry* begin, const RowEntry* end) noexcept {
  return std::adjacent_find(begin, end, [](const RowEntry& a, const RowEntry& b) {
           return a.col >= b.col;
         }) == end;
}

struct Reduced {
  Offset kept, final_length;
};

// Sorts one row and reduces it to the entries that stay.
class RowReducer {
 public:
  RowReducer(const AssembleRules& rules, Counts& counts) : rules_(rules), counts_(counts) {}

  // Moves the entries of [begin, end) that stay to its front, columns ascending. The final row is
  // longer by one where a diagonal entry is still to be inserted.
  Reduced reduce(Index row, RowEntry* begin, RowEntry* end) {
    if (!is_ascending(begin, end)) {
      std::stable_sort(begin, end,
                       [](const RowEntry& a, const RowEntry& b) { return a.col < b.col; });
      end = add_duplicates(row, begin, end);
    }
    bool diagonal = false;
    RowEntry* out = begin;
    for (const RowEntry* e = begin; e != end; ++e) {
      RowEntry entry = *e;
      if (entry.col == row) diagonal = replace_zero_diagonal(entry) || !drops(entry.value);
      if (drops(entry.value)) {
        counts_.zeros += count_once(row, entry.col);
      } else {
        *out++ = entry;
      }
    }
    const Offset kept = out - begin;
    if (diagonal) return {kept, kept};
    ++(rules_.zero_diagonals ? counts_.replaced : counts_.missing);
    return {kept, kept + (rules_.zero_diagonals ? 1 : 0)};
  }

 private:
  bool drops(double value) const noexcept {
    return value == 0 && rules_.explicit_zeros == ExplicitZeros::drop;
  }

  // Of an entry and its mirror, the one on or below the diagonal is counted.
  Offset count_once(Index row, Index col) const noexcept {
    return rules_.mirror == Mirror::none || col <= row ? 1 : 0;
  }

  bool replace_zero_diagonal(RowEntry& entry) {
    if (entry.value != 0 || !rules_.zero_diagonals) return false;
    entry.value = *rules_.zero_diagonals;
    ++counts_.replaced;
    return true;
  }

  RowEntry* add_duplicates(Index row, RowEntry* begin, RowEntry* end) {
    RowEntry* out = begin;
    for (const RowEntry* e = begin + 1; e < end; ++e) {
      if (e->col != out->col) {
        *++out = *e;
        continue;
      }
      out->value += e->value;
      counts_.duplicates += count_once(row, e->col);
      if (!std::isfinite(out->value) && row < counts_.overflow_row) {
        counts_.overflow_row = row;
        counts_.overflow_col = e->col;
      }
    }
    return out + 1;
  }

  const AssembleRules& rules_;
  Counts& counts_;
};

// Writes a final row from its reduced entries; a row with room for one more gets its diagonal.
void write_row(const AssembleRules& rules, Index row, std::span<const RowEntry> entries,
               std::span<Index> columns, std::span<double> values) {
  for (std::size_t k = 0; k < entries.size(); ++k) {
    columns[k] = entries[k].col;
    values[k] = entries[k].value;
  }
  const std::size_t count = entries.size();
  if (rules.pattern_values) {
    fill_pattern_row(*rules.pattern_values, row, columns.first(count), values.first(count));
  }
  if (count == columns.size()) return;
  const auto place = std::lower_bound(columns.begin(), columns.end() - 1, row) - columns.begin();
  std::move_backward(columns.begin() + place, columns.end() - 1, columns.end());
  std::move_backward(values.begin() + place, values.end() - 1, values.end());
  columns[at(place)] = row;
  values[at(place)] = *rules.zero_diagonals;
}

// Reduces every row in place; `kept[i]` entries stay at the front of row i, row_ptr[i + 1] becomes
// the length of the final row.
Counts reduce_rows(const AssembleRules& rules, RowEntries& rows, Index n, int threads,
                   std::vector<Offset>& kept, std::vector<Offset>& row_ptr) {
  std::vector<Counts> counts(at((n + row_block - 1) / row_block));
  parallel_for(static_cast<Offset>(counts.size()), threads, [&](Offset b) {
    RowReducer reducer(rules, counts[at(b)]);
    const Offset end = std::min<Offset>((b + 1) * row_block, n);
    for (Offset row = b * row_block; row < end; ++row) {
      RowEntry* const entries = rows.entries.get();
      const auto reduced = reducer.reduce(static_cast<Index>(row), entries + rows.row_ptr[at(row)],
                                          entries + rows.row_ptr[at(row) + 1]);
      kept[at(row)] = reduced.kept;
      row_ptr[at(row) + 1] = reduced.final_length;
    }
  });
  Counts sum;
  for (const Counts& part : counts) {
    sum.duplicates += part.duplicates;
    sum.zeros += part.zeros;
    sum.replaced += part.replaced;
    sum.missing += part.missing;
    if (part.overflow_row < sum.overflow_row) {
      sum.overflow_row = part.overflow_row;
      sum.overflow_col = part.overflow_col;
    }
  }
  return sum;
}

// Clearing the arrays touches every page of them: one thread each.
void allocate(CsrMatrix& matrix, std::size_t nnz, int threads) {
  parallel_for(2, threads, [&](Offset k) {
    if (k == 0) matrix.pattern.col_idx.resize(nnz);
    if (k == 1) matrix.values.resize(nnz);
  });
}

}  // namespace

Assembled assemble(const Triplets& triplets, Index n, const AssembleRules& rules, int threads) {
  RowEntries rows = sort_by_row(triplets, n, rules.mirror, threads);
  Assembled result;
  CsrPattern& pattern = result.matrix.pattern;
  pattern.n_rows = pattern.n_cols = n;
  pattern.row_ptr.assign(at(n) + 1, 0);
  std::vector<Offset> kept(at(n));
  const Counts counts = reduce_rows(rules, rows, n, threads, kept, pattern.row_ptr);
  if (counts.overflow_row < n) {
    result.overflow = {counts.overflow_row, counts.overflow_col};
    result.matrix = {};
    return result;
  }
  for (std::size_t row = 0; row < at(n); ++row) pattern.row_ptr[row + 1] += pattern.row_ptr[row];
  allocate(result.matrix, at(pattern.nnz()), threads);
  parallel_for((n + row_block - 1) / row_block, threads, [&](Offset b) {
    const Offset end = std::min<Offset>((b + 1) * row_block, n);
    for (Offset row = b * row_block; row < end; ++row) {
      const std::size_t begin = at(pattern.row_ptr[at(row)]);
      const std::size_t length = at(pattern.row_ptr[at(row) + 1]) - begin;
      write_row(rules, static_cast<Index>(row),
                {rows.entries.get() + rows.row_ptr[at(row)], at(kept[at(row)])},
                std::span(pattern.col_idx).subspan(begin, length),
                std::span(result.matrix.values).subspan(begin, length));
    }
  });
  result.duplicates_summed = counts.duplicates;
  result.explicit_zeros_dropped = counts.zeros;
  result.zero_diagonals_replaced = counts.replaced;
  result.missing_diagonals = counts.missing;
  return result;
}

}  // namespace lufact::matrix_market
