// SPDX-License-Identifier: BSD-3-Clause
// The arrays of a matching, on host or device, and how they count.
#pragma once
#include <cstdint>

#include "gpu/match/both_sides.hpp"

namespace lufact::gpu {

using Units = std::int32_t;  // costs, duals and lengths: 1/64 of a power of two

inline constexpr int unit_bits = 6;
inline constexpr int units_per_power = 1 << unit_bits;
// Every entry off the matching is at most this once scaled: one unit that searches leave, and half
// a unit of rounding in either of two costs.
inline constexpr double largest_scaled_entry = 1.0219;  // 2^(2/64), rounded up

inline constexpr Units no_cost = 0x3fffffff;  // of a zero: an entry that is not there
inline constexpr Word unreached = ~Word{0};

// Rows in chunks, so that one long row does not hold up a round: work items of a search.
inline constexpr int row_bits_of_item = 22;
inline constexpr Index most_rows = Index{1} << row_bits_of_item;
inline constexpr Offset chunk_entries = 16, most_chunks = Offset{1} << (32 - row_bits_of_item);
using Item = std::uint32_t;  // row | chunk << row_bits_of_item
using Visit = std::uint32_t;
inline constexpr Visit no_visit = 0;  // of any round: they count from 1

LUFACT_BOTH_SIDES constexpr Offset entries_per_chunk(Offset length) {
  return length <= most_chunks * chunk_entries ? chunk_entries
                                               : (length + most_chunks - 1) / most_chunks;
}
LUFACT_BOTH_SIDES constexpr Offset chunks_of(Offset length) {
  return length <= chunk_entries
             ? 1
             : (length + entries_per_chunk(length) - 1) / entries_per_chunk(length);
}
// Items of a round at most: every row once.
constexpr Offset most_items(Index n, Offset nnz) {
  return n + nnz / chunk_entries;
}

struct alignas(8) ColumnState {
  Units dual;
  Index row;  // matched; -1: free
};

// What a search knows of a row: lengths of its entries are cost + base - dual of the column.
struct alignas(8) RowState {
  Units base;    // 1 - dual of the row
  Index column;  // matched; -1: free
};

// Distance, hops and parent of a reached column in one word, so that one atomic minimum decides.
// Order by (distance, hops, row) has one fixpoint whatever the order of relaxations: distances and
// hops of a shortest path tree, of which hops exclude cycles of length zero, and the lowest row
// among equals. Rows and hops of a simple path both fit into bits(n).
class LabelShape {
 public:
  constexpr explicit LabelShape(Index n) {
    while (bits_ < 31 && (Index{1} << bits_) <= n) ++bits_;
    const int distance_bits = 64 - 2 * bits_ < 29 ? 64 - 2 * bits_ : 29;
    longest_ = static_cast<Units>((Word{1} << distance_bits) - 2);
  }
  // Longer paths are not followed.
  LUFACT_BOTH_SIDES Units longest() const { return longest_; }
  LUFACT_BOTH_SIDES Word label(Units distance, Word hops, Index row) const {
    return static_cast<Word>(distance) << (2 * bits_) | hops << bits_ | static_cast<Word>(row);
  }
  LUFACT_BOTH_SIDES Units distance(Word label) const {
    return static_cast<Units>(label >> (2 * bits_));
  }
  LUFACT_BOTH_SIDES Word hops(Word label) const { return label >> bits_ & mask(); }
  LUFACT_BOTH_SIDES Index row(Word label) const { return static_cast<Index>(label & mask()); }
  // The label with another number in place of the row.
  LUFACT_BOTH_SIDES Word renamed(Word label, Index column) const {
    return label >> bits_ << bits_ | static_cast<Word>(column);
  }
  // Whether two labels differ in the row alone, or not at all.
  LUFACT_BOTH_SIDES bool same_place(Word a, Word b) const { return a >> bits_ == b >> bits_; }

 private:
  LUFACT_BOTH_SIDES Word mask() const { return (Word{1} << bits_) - 1; }
  int bits_ = 1;
  Units longest_ = 0;
};

enum class MatchEnd : std::int32_t {
  running,
  perfect,        // every row is matched
  deficient,      // nothing bounded the last search, and it reached no free column
  long_paths,     // the limits of a search were reached: to be continued by another team
  beyond_labels,  // no free column within the longest distance that labels have
  beyond_duals,   // duals leave the range of their type
  values_not_finite,
  equal_costs  // many rows are free, and nothing but the pattern says where they might go
};

// Of the logarithms of scales, in units.
struct ScaleExtremes {
  Units row_high, row_low_negated, column_high, column_low_negated;
};
LUFACT_BOTH_SIDES constexpr ScaleExtremes no_extremes() {
  return {-no_cost, -no_cost, -no_cost, -no_cost};
}

// Numbers that the threads of a team share. Zero at the beginning. Those above the line hold
// for one phase.
struct MatchCounters {
  std::int32_t free_rows, reached_free, beyond_longest;
  Units bound, farthest;
  std::int32_t list_size[3];
  // ---
  std::int32_t bad_values, unequal_costs;
  std::int32_t narrow_items, narrow_round, narrow_stopped;  // from one block of a search to all
  Units lowered;                                            // at most, any dual by the phases
  std::int32_t thin_rounds, rounds, phases;
  std::int32_t free_after_start, free_after_bidding;
  std::int32_t spread;  // whether duals were spread
  ScaleExtremes extremes;
  std::int32_t clamped;  // scales
  MatchEnd end;
};

// The longest rows of those that neither a warp nor a block takes.
struct GridRows {
  static constexpr int most = 8;
  int count = 0;
  Index row[most] = {};
};

struct MatchArrays {
  Index n = 0;
  Offset longest_row = 0;  // entries
  GridRows grid_rows{};
  LabelShape shape{0};
  // A. Not read once costs are there, but for row_ptr and col_idx.
  const Offset* row_ptr = nullptr;
  const Index* col_idx = nullptr;
  const double* values = nullptr;

  Units* cost = nullptr;               // of an entry
  ColumnState* columns = nullptr;      // n
  Index* column_of_row = nullptr;      // n; -1: free
  Units* cost_of_row = nullptr;        // n; of the matched entry
  float* spread_dual = nullptr;        // n; of a column, while duals are spread, in powers of two
  Word* column_sum = nullptr;          // n
  Word* best_bid = nullptr;            // n; of a column
  Word* bid = nullptr;                 // n; of a row
  Index* bid_column = nullptr;         // n
  Units* bid_cost = nullptr;           // n
  RowState* rows = nullptr;            // n
  Word* label = nullptr;               // n; of a column
  Word* best_end = nullptr;            // n; of a root: its nearest free column
  Index* column_before = nullptr;      // n; of a reached column on its path; -1: none
  Index* up = nullptr;                 // n; of a reached column: one above it; -1 - row: the root
  Visit* last_visit = nullptr;         // n; that pushed a row
  Item* list[3] = {};                  // most_items(n, nnz)
  std::int32_t* histogram = nullptr;   // 2 * buckets
  Word* block_words = nullptr;         // of GridLanes
  std::int32_t* last_round = nullptr;  // n; that a block has left a row to, on a device; 0: none
  MatchCounters* counters = nullptr;
};

// What is tried, and how far. The figures are those of the reference measurements on an H200.
struct MatchRules {
  int start_rounds = 2, bidding_rounds = 5;
  Index sweeps_per_temperature = 4, temperatures = 4;  // 2, 1, 1/2, 1/4 powers of two
  Index spread_above = 2000, bid_above = 500;          // one row in so many is free
  // Costs that are all equal are left to another algorithm where two rounds of bids do not do.
  bool leaves_equal_costs = true;
  // A team that meets more rounds with at most thin_items items than this, or more rounds in all,
  // leaves the rest to another.
  int thin_items = 4, thin_rounds = 256, rounds = 4000;
  // Entries of a row that one warp or one block takes, where a device matches.
  Offset most_of_warp = 1024, most_of_block = 16384;
};

}  // namespace lufact::gpu
