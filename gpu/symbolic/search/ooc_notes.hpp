// SPDX-License-Identifier: BSD-3-Clause
// Notes of the passes for the record: chunks, bytes of a row in flight, frontiers.
#pragma once
#include <span>
#include <vector>

#include "core/pipeline/stage.hpp"
#include "gpu/symbolic/search/chunk_planner.hpp"
#include "gpu/symbolic/search/frontier_tallies.hpp"

namespace lufact::gpu {

// A part of the rows and its measured figures.
struct SearchedPart {
  RowPart rows;
  int number = 0;
  Index max_frontier = 0;              // measured by the first pass
  Index overflowed = 0;                // rows that the first pass searched again
  std::vector<RowChunk> chunks;        // of the first pass
  std::vector<RowChunk> place_chunks;  // of the second
  // What the first pass has measured, by ranges of rows, ascending.
  struct Measured {
    TallyRange range;
    std::vector<ChunkTally> tallies;
  };
  std::vector<Measured> measured;

  void add_measured(const TallyRange& range, std::vector<ChunkTally> tallies);
};

class OocNotes {
 public:
  OocNotes(const RowArrays& arrays, StageNotes& notes) : row_(arrays), notes_(notes) {}

  // A launch over `rows` rows. Where both passes go over the same chunks, these are noted once.
  void add_chunk(Index rows, Index queue_capacity);
  void add_chunks(std::span<const RowChunk> chunks);
  // After the first pass: each of its tallies is of `bin_rows` rows, but for the last of a range.
  void add_frontier(const SearchedPart& part, Index bin_rows);
  // After both passes. Adds the chunks of the second where they are others.
  void add_part(const SearchedPart& part);
  void finish();

 private:
  RowArrays row_;
  StageNotes& notes_;
  double scratch_of_rows_ = 0, rows_searched_ = 0;  // for the mean bytes of a row in flight
};

}  // namespace lufact::gpu
