// SPDX-License-Identifier: BSD-3-Clause
// Number of source rows searched at once: the arithmetic of E2E Algorithms 3 and 4 on the host,
// without CUDA.
#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/types.hpp"

namespace lufact::gpu {

// Consecutive rows that share one bound on their frontier.
struct RowPart {
  Index first_row = 0, rows = 0;
  Index queue_capacity = 1;  // entries of each row's frontier queue

  // The bound that no row of the part can pass: row i meets at most i vertices below itself.
  Index full_capacity() const noexcept { return first_row + rows > 2 ? first_row + rows - 1 : 1; }
};

// The work arrays of one row in flight, 4 bytes a word: a tag for each of the n columns and its
// queue. n < 2^30.
struct RowArrays {
  Index n = 0;
  // E2E's c, of which a third is what stands for every column (GSoFa's fill and maxId) and the rest
  // goes with the queue (two frontiers, two trackers): a row takes at most c n words. None: no more
  // than is used.
  std::optional<int> words;

  RowArrays(Index rows, std::optional<int> padded_words = {}) : n(rows), words(padded_words) {}
};

// Bytes that the work arrays of the rows in flight may take, and the option that raises them.
struct ScratchBudget {
  std::uint64_t bytes = 0;
  std::string_view code = "device_budget", option = "--device-memory-limit";

  ScratchBudget(std::uint64_t limit) : bytes(limit) {}  // of device memory
  static ScratchBudget managed(std::uint64_t limit);
  static ScratchBudget unlimited();
};

// One launch.
struct RowChunk {
  Index first_row = 0, rows = 0, queue_capacity = 1;
  int part = 0;
};

// Tags of one row, padded so that four of them are read at once. n < 2^30.
Index tag_stride(Index n);

std::uint64_t row_scratch_bytes(const RowArrays& arrays, Index queue_capacity);

// Rows that fit into `budget` at once, at most `rows`. Throws Error{oom_device, budget.code} that
// says what one row needs where not even one fits.
Index rows_in_flight(const RowArrays& arrays, Index rows, Index queue_capacity,
                     const ScratchBudget& budget);

// Chunks of one part, in ascending order, each within `budget` and of at most `most_rows`, every
// row in exactly one, all of the same size but for the last; `part` numbers the result. Throws as
// rows_in_flight.
std::vector<RowChunk> plan_chunks(const RowArrays& arrays, const RowPart& rows, int part,
                                  const ScratchBudget& budget,
                                  Index most_rows = std::numeric_limits<Index>::max());

// Algorithm 3's view of n rows: one part, with queues that no row can pass.
std::vector<RowPart> undivided_rows(Index n);

// Whether Algorithm 4 has something to divide and room to do it in: more than three chunks of
// Algorithm 3 within `budget`, of which one half holds at least one row and a list of rows.
bool is_divisible(const RowArrays& arrays, const ScratchBudget& budget);

// Of a `budget` that is_divisible, what the last rows take before it is known where the last part
// begins: most of it, since arrays that are large enough are kept for the rest of the part, and to
// allocate takes longer than a launch. A sixteenth at least is left, and rows that are probed or
// searched again have theirs.
std::uint64_t bytes_of_tail(const RowArrays& arrays, const ScratchBudget& budget);

// Whether arrays of the tail for `slots` rows at once serve for a last part that wants so many: not
// more than its share, and as many but for what the tail had to leave.
bool tail_suffices(Index slots, Index wanted);

// Of `budget`, what the last of `parts` gets while the others are searched beside it: the share of
// its rows' bytes, each row weighed by what its search looks through. At least one row's, and at
// most all but `left` bytes where there are others.
std::uint64_t bytes_of_last_part(const RowArrays& arrays, std::span<const RowPart> parts,
                                 const ScratchBudget& budget, std::uint64_t left);

// What rows that overflow their queues take at least to be searched again: a row with the queue
// that none can pass, and a list of all rows.
std::uint64_t bytes_to_search_again(const RowArrays& arrays);

// Rows searched in the probe: all where there are few, otherwise evenly spaced ones, ascending, up
// to the last.
std::vector<Index> probe_rows(Index n);

struct FrontierSample {
  Index row = 0, max_frontier = 0;
};

// Algorithm 4's split of n rows by the frontiers of the probed rows (ascending). Two parts: split
// where the frontier first exceeds 50% of its maximum. More parts: at equal steps of the maximum.
// Every part but the last gets a queue of twice its sampled maximum and a little more, never above
// its full bound; the last has its full bound. Parts without rows are left out.
std::vector<RowPart> split_rows(Index n, std::span<const FrontierSample> samples, int parts);

}  // namespace lufact::gpu
