// SPDX-License-Identifier: BSD-3-Clause
// E2E Algorithm 4: rows with small frontiers get small queues, and so larger chunks. The rows after
// these, whose searches are the longest, go through a stream of their own, so that neither part
// waits for the other; the first of them run beside the probe that finds the border.
#include <algorithm>

#include "gpu/symbolic/search/ooc_passes.hpp"

namespace lufact::gpu {
namespace {

// Rows of the last part in a launch, in units of what the card searches at once: with one, the card
// waits at the end of every launch for its longest rows.
constexpr Index rounds_of_a_launch = 4;

}  // namespace

bool OocPasses::divides() const {
  return variant_.split_by_frontier && context_.options.symbolic_parts > 1 && matrix_.n > 0 &&
         is_divisible(row_, budget());
}

Index OocPasses::rows_on_card() const {
  return session_.max_resident_warps() / search_warps;
}

// The lane of the last part, for at most `rows` rows of it at once.
void OocPasses::open_late(Index rows, Index queue_capacity, const ScratchBudget& room) {
  const auto phase = context_.phases.host_scope("allocate");
  const Index slots = rows_in_flight(row_, rows, queue_capacity, room);
  if (!side_) side_.emplace(session_, 1);
  late_.emplace(session_, matrix_, row_, &*side_);
  late_->open(slots, queue_capacity);
  side_->fork();
}

// What is left, and what the lane of the last part has.
ScratchBudget OocPasses::budget_with_late() const {
  ScratchBudget room = budget();
  if (late_) room.bytes += late_->arrays().bytes();
  return room;
}

void OocPasses::close_late() {
  if (!late_) return;
  side_->join();
  late_.reset();
}

// The rows of late chunks descend: the last ones take the longest.
SearchTask OocPasses::late_task(const RowChunk& chunk) {
  SearchTask task = late_->task(chunk);
  task.descending = true;
  return task;
}

void OocPasses::count_late(const RowChunk& chunk, const TallyRange& range) {
  SearchTask task = late_task(chunk);
  tallies_->count_into(range, task);
  launch_count_rows(*late_, task);
}

// The chunks of the last part or of what is left of it, in descending order, and the lane that they
// go through: the tail's, where that is large enough. The other parts keep `left` bytes of the
// budget.
std::vector<RowChunk> OocPasses::plan_late(std::span<const RowPart> parts, int number,
                                           std::uint64_t left) {
  const RowPart& last = parts.back();
  if (last.rows == 0) {
    close_late();
    return {};
  }
  const Index most = std::min(last.rows, rounds_of_a_launch * rows_on_card());
  const std::uint64_t room = bytes_of_last_part(row_, parts, budget_with_late(), left);
  const Index wanted = rows_in_flight(row_, most, last.queue_capacity, room);
  if (!late_ || !tail_suffices(late_->arrays().slots(), wanted)) {
    close_late();
    open_late(most, last.queue_capacity, room);
  }
  std::vector<RowChunk> chunks =
      plan_chunks(row_, last, number, ScratchBudget::unlimited(), late_->arrays().slots());
  std::reverse(chunks.begin(), chunks.end());
  return chunks;
}

// The last rows belong to the last part wherever it begins: as many as the card searches at once
// start while the probe looks for its border.
void OocPasses::count_divided() {
  divided_ = true;
  const RowPart all = undivided_rows(matrix_.n).front();
  const Index most = std::min(matrix_.n, rows_on_card());
  open_late(most, all.queue_capacity, bytes_of_tail(row_, budget()));
  const Index slots = late_->arrays().slots();
  const RowChunk tail{matrix_.n - slots, slots, all.queue_capacity};
  const TallyRange tail_range = tallies_->add(tail.first_row, tail.rows);
  count_late(tail, tail_range);
  add_parts(probe(), tail.first_row);
  count_before_tail(tail);
  parts_.back().add_measured(tail_range, tallies_->read(tail_range, context_.phases));
}

// All parts but for the tail, which is counted.
void OocPasses::count_before_tail(const RowChunk& tail) {
  SearchedPart& last = parts_.back();
  std::vector<RowPart> rows = rows_of_parts();
  rows.back().rows = tail.first_row - last.rows.first_row;
  last.chunks = plan_late(rows, last.number, bytes_to_search_again(row_));
  const TallyRange range = tallies_->add(rows.back().first_row, rows.back().rows);
  for (const RowChunk& chunk : last.chunks) count_late(chunk, range);
  last.chunks.insert(last.chunks.begin(), tail);
  for (std::size_t k = 0; k + 1 < parts_.size(); ++k) count_part(parts_[k]);
  close_late();
  notes_.add_chunks(last.chunks);
  last.add_measured(range, tallies_->read(range, context_.phases));
}

std::vector<RowPart> OocPasses::rows_of_parts() const {
  std::vector<RowPart> rows;
  for (const SearchedPart& part : parts_) rows.push_back(part.rows);
  return rows;
}

// The parts as they were split, the last of which holds the tail and queues that no row can pass.
void OocPasses::add_parts(std::vector<RowPart> parts, Index tail_row) {
  for (RowPart& part : parts) {
    const bool last = &part == &parts.back();
    const Index end = last ? matrix_.n : std::min(part.first_row + part.rows, tail_row);
    part.first_row = std::min(part.first_row, tail_row);
    part.rows = end - part.first_row;
    if (last) part.queue_capacity = part.full_capacity();
    if (part.rows > 0) add_part(part);
  }
}

std::vector<RowPart> OocPasses::probe() {
  const auto phase = context_.phases.scope("probe");
  const Index n = matrix_.n;
  const std::vector<Index> rows = probe_rows(n);
  const auto samples = static_cast<Index>(rows.size());
  Buffer<Index> list(session_, MemoryRole::scratch, samples, "the rows of the probe");
  Buffer<ChunkTally> tallies(session_, MemoryRole::scratch, samples, "the frontiers of the probe");
  launch_write_rows(session_, rows, list.data());
  tallies.fill_bytes(0);
  const Index capacity = RowPart{0, n}.full_capacity();
  const Index slots = rows_in_flight(row_, samples, capacity, budget());
  for (Index first = 0; first < samples; first += slots) {
    lane_.open(slots, capacity);
    SearchTask task = lane_.task({.rows = std::min(slots, samples - first)});
    task.row_list = list.data() + first;
    task.tallies = tallies.data() + first;
    launch_count_rows(lane_, task);
  }
  lane_.close();
  std::vector<FrontierSample> frontiers;
  for (const ChunkTally& tally : read_tallies(tallies, 0, samples, context_.phases)) {
    frontiers.push_back({rows[frontiers.size()], tally.max_frontier});
  }
  return split_rows(n, frontiers, context_.options.symbolic_parts);
}

// Whether one half of the budget holds a row of every part.
bool OocPasses::fit_side_by_side() const {
  if (parts_.size() < 2) return false;
  return std::all_of(parts_.begin(), parts_.end(), [&](const SearchedPart& part) {
    return row_scratch_bytes(row_, positions_queue(part)) <= budget().bytes / 2;
  });
}

void OocPasses::place_side_by_side() {
  SearchedPart& last = parts_.back();
  std::vector<RowPart> rows = rows_of_parts();
  std::uint64_t left = 0;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    rows[k].queue_capacity = positions_queue(parts_[k]);
    if (k + 1 < rows.size()) {
      left = std::max(left, row_scratch_bytes(row_, rows[k].queue_capacity));
    }
  }
  last.place_chunks = plan_late(rows, last.number, left);
  for (const RowChunk& chunk : last.place_chunks) launch_place_rows(*late_, late_task(chunk));
  for (std::size_t k = 0; k + 1 < parts_.size(); ++k) place_part(parts_[k]);
  close_late();
}

}  // namespace lufact::gpu
