// SPDX-License-Identifier: BSD-3-Clause
#include "core/fronts/analysis/arrowheads.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "core/matrix/counting_sort.hpp"
#include "core/matrix/parallel.hpp"

namespace lufact {
namespace {

struct CrossingEntry {
  Index row, column, position;
};

// Transposes the entries below the diagonal. Rows and columns are cut into the same ranges, one a
// thread. The thread of a range fills its columns: first with entries from its own rows, which it
// counts and places itself, then with crossing entries, which the threads of later rows have
// listed. Few entries cross ranges where labels are a postorder.
class LowerTranspose {
 public:
  LowerTranspose(Arrowheads& entries, int threads)
      : entries_(entries),
        rows_(entries.rows),
        threads_(threads),
        first_(balanced_ranges(rows_.row_ptr, threads)),
        own_(at(threads), 0),
        crossing_(at(threads) * at(threads)),
        place_(rows_.n_rows) {}

  void run() {
    parallel_for(threads_, threads_, [&](Offset range) { count_rows(range); });
    const std::vector<Offset> begin = range_begins();
    entries_.column_ptr.back() = begin.back();
    entries_.column_row = UninitializedArray<Index>(begin.back());
    entries_.column_position = UninitializedArray<Index>(begin.back());
    std::atomic<bool> symmetric{true};
    parallel_for(threads_, threads_, [&](Offset range) {
      fill_columns(range, begin[at(range)]);
      if (!is_symmetric(range)) symmetric.store(false, std::memory_order_relaxed);
    });
    entries_.symmetric = symmetric.load();
  }

 private:
  std::vector<CrossingEntry>& crossing(Offset of_row, Offset of_column) {
    return crossing_[at(of_row * threads_ + of_column)];
  }
  Index begin(Offset range) const { return first_[at(range)]; }
  Index end(Offset range) const { return first_[at(range) + 1]; }

  // Finds the diagonal entries of the range's rows, counts the entries in the range's own columns
  // and lists those that cross into other ranges.
  void count_rows(Offset range) {
    std::fill(place_.data() + begin(range), place_.data() + end(range), Offset{0});
    Offset own = 0;
    for (Index i = begin(range); i < end(range); ++i) {
      Offset p = rows_.row_ptr[at(i)];
      Offset of_column = 0;
      for (; rows_.col_idx[at(p)] < begin(range); ++p) {
        const Index k = rows_.col_idx[at(p)];
        while (k >= end(of_column)) ++of_column;
        crossing(range, of_column).push_back({i, k, static_cast<Index>(p)});
      }
      const Offset first_own = p;
      for (; rows_.col_idx[at(p)] < i; ++p) ++place_[rows_.col_idx[at(p)]];
      own += p - first_own;
      entries_.diagonal[at(i)] = p;
    }
    own_[at(range)] = own;
  }

  std::vector<Offset> range_begins() {
    std::vector<Offset> begin{0};
    for (Offset range = 0; range < threads_; ++range) {
      Offset count = own_[at(range)];
      for (Offset later = range + 1; later < threads_; ++later) {
        count += static_cast<Offset>(crossing(later, range).size());
      }
      begin.push_back(begin.back() + count);
    }
    return begin;
  }

  void fill_columns(Offset range, Offset position) {
    for (Offset later = range + 1; later < threads_; ++later) {
      for (const CrossingEntry& entry : crossing(later, range)) ++place_[entry.column];
    }
    for (Index k = begin(range); k < end(range); ++k) {
      entries_.column_ptr[at(k)] = position;
      position += std::exchange(place_[k], position);
    }
    for (Index i = begin(range); i < end(range); ++i) {
      for (Offset p = entries_.diagonal[at(i)]; p-- > rows_.row_ptr[at(i)];) {
        const Index k = rows_.col_idx[at(p)];
        if (k < begin(range)) break;
        put({i, k, static_cast<Index>(p)});
      }
    }
    for (Offset later = range + 1; later < threads_; ++later) {
      for (const CrossingEntry& entry : crossing(later, range)) put(entry);
    }
  }

  void put(const CrossingEntry& entry) {
    const Offset to = place_[entry.column]++;
    entries_.column_row[to] = entry.row;
    entries_.column_position[to] = entry.position;
  }

  // The end of column k is taken from place_: column_ptr[k + 1] may be another range's, not written
  // yet.
  bool is_symmetric(Offset range) const {
    for (Index k = begin(range); k < end(range); ++k) {
      const auto right = entries_.right_of(k);
      const auto below = entries_.column_row.subspan(entries_.column_ptr[at(k)], place_[k]);
      if (!std::ranges::equal(right, below)) return false;
    }
    return true;
  }

  Arrowheads& entries_;
  const PatternView& rows_;
  int threads_;
  std::vector<Index> first_;  // row and column of each range
  std::vector<Offset> own_;   // entries of a range's columns in its rows
  std::vector<std::vector<CrossingEntry>> crossing_;
  UninitializedArray<Offset> place_;  // of each column: entries, then where the next one goes
};

}  // namespace

Arrowheads gather_arrowheads(const PatternView& rows, int threads) {
  checked_index(rows.nnz(), "the number of entries of B");
  Arrowheads entries;
  entries.rows = rows;
  entries.diagonal.resize(at(rows.n_rows));
  entries.column_ptr.resize(at(rows.n_rows) + 1);
  LowerTranspose(entries, threads).run();
  return entries;
}

}  // namespace lufact
