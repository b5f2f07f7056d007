// SPDX-License-Identifier: BSD-3-Clause
// The launches of the fill2 search: which rows, with which work arrays.
#pragma once
#include <span>

#include "gpu/matrix/device_products.hpp"
#include "gpu/runtime/session.hpp"

namespace lufact::gpu {

// Figures of a launch about a range of its rows.
struct ChunkTally {
  Index max_frontier = 0;
  Index overflowed = 0;  // rows whose queue was too small, not counted above
};

// Rows of one launch, one slot of the work arrays each. Plain data, passed to kernels.
struct SearchTask {
  PatternRef matrix;
  // `rows` times `stride` tags, which are to be cleared unless only rows before them were searched
  // with the same ones, or with `descending` rows after them, and `rows` queues.
  Index* tags = nullptr;
  Index* queues = nullptr;
  Index stride = 0, queue_capacity = 1;
  bool clear_tags = false;  // by the search itself, before it begins
  bool descending = false;  // a block for each row only, launch_count and launch_place
  Index rows = 0;
  Index first_row = 0;              // rows first_row + k ...
  const Index* row_list = nullptr;  // ... or row_list[k], where given
  // Row r counts into tallies[(r - tally_origin) / rows_per_tally]; in a probe, whose
  // rows_per_tally is 0, the k-th row into tallies[k].
  ChunkTally* tallies = nullptr;
  Index tally_origin = 0, rows_per_tally = 0;
};

// Warps that search one row.
inline constexpr int search_warps = 4;

// The launches below go to `stream`.

// First pass: counts[row] = entries of the row of L + U, or -1 where the queue overflowed.
void launch_count(cudaStream_t stream, const SearchTask& task, Offset* counts);

// The pattern of L + U with its rows not yet written.
struct PatternTarget {
  const Offset* row_ptr = nullptr;
  Index* col_idx = nullptr;
  Offset* diagonal = nullptr;
};
// Second pass: the columns of each row in ascending order, and the position of its diagonal.
void launch_place(cudaStream_t stream, const SearchTask& task, const PatternTarget& target);

// list[0 .. *count) = the rows of [first_row, first_row + rows) with counts[row] < 0, in any order;
// *count must be 0 before.
void launch_collect_overflowed(DeviceSession& session, const Offset* counts, Index first_row,
                               Index rows, Index* list, Index* count);

// Sends a few row numbers to the device as an argument of a launch instead of copying an array.
inline constexpr std::size_t most_listed_rows = 128;
void launch_write_rows(DeviceSession& session, std::span<const Index> rows, Index* list);

}  // namespace lufact::gpu
