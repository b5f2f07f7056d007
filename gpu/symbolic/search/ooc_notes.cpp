// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/symbolic/search/ooc_notes.hpp"

#include <algorithm>
#include <utility>

namespace lufact::gpu {

void SearchedPart::add_measured(const TallyRange& range, std::vector<ChunkTally> tallies) {
  for (const ChunkTally& tally : tallies) max_frontier = std::max(max_frontier, tally.max_frontier);
  measured.push_back({range, std::move(tallies)});
}

void OocNotes::add_chunk(Index rows, Index queue_capacity) {
  notes_.chunk_sizes.push_back(rows);
  scratch_of_rows_ +=
      static_cast<double>(rows) * static_cast<double>(row_scratch_bytes(row_, queue_capacity));
  rows_searched_ += rows;
}

void OocNotes::add_chunks(std::span<const RowChunk> chunks) {
  for (const RowChunk& chunk : chunks) add_chunk(chunk.rows, chunk.queue_capacity);
}

void OocNotes::add_frontier(const SearchedPart& part, Index bin_rows) {
  FrontierProfile& profile = notes_.frontier;
  const auto bytes = static_cast<double>(row_scratch_bytes(row_, part.rows.queue_capacity));
  for (const auto& [range, tallies] : part.measured) {
    Index first = range.first_row;
    const Index end = first + range.rows;
    for (const ChunkTally& tally : tallies) {
      const Index rows = std::min(bin_rows, end - first);
      profile.first_row.push_back(first);
      profile.rows.push_back(rows);
      profile.max_frontier.push_back(tally.max_frontier);
      profile.bytes_per_row.push_back(bytes);
      profile.part.push_back(part.number);
      first += rows;
    }
  }
}

void OocNotes::add_part(const SearchedPart& part) {
  FrontierParts& parts = notes_.frontier.parts;
  parts.first_row.push_back(part.rows.first_row);
  parts.rows.push_back(part.rows.rows);
  parts.max_frontier.push_back(part.max_frontier);
  parts.searched_again.push_back(part.overflowed);
  parts.count_queue.push_back(part.chunks.front().queue_capacity);
  parts.count_chunks.push_back(static_cast<Offset>(part.chunks.size()));
  parts.positions_queue.push_back(part.place_chunks.front().queue_capacity);
  parts.positions_chunks.push_back(static_cast<Offset>(part.place_chunks.size()));
  const auto same_rows = [](const RowChunk& a, const RowChunk& b) {
    return a.first_row == b.first_row && a.rows == b.rows;
  };
  if (!std::ranges::equal(part.chunks, part.place_chunks, same_rows)) {
    add_chunks(part.place_chunks);
  }
}

void OocNotes::finish() {
  if (rows_searched_ > 0) notes_.bytes_per_source = scratch_of_rows_ / rows_searched_;
  notes_.chunks = static_cast<Offset>(notes_.chunk_sizes.size());
}

}  // namespace lufact::gpu
