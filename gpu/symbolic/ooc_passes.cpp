// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/symbolic/ooc_passes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <stdexcept>

#include "core/base/error.hpp"
#include "gpu/components/scan.hpp"

namespace lufact::gpu {
namespace {

// Tags are twice a row number.
constexpr Index most_rows = Index{1} << 30;
// Chunks told apart in the frontier profile of one part; beyond, several share one entry.
constexpr Index most_tallies = 4096;
// From this frontier on a row has work for a block of threads.
constexpr Index block_frontier = 128;
constexpr Index tallies_per_read = 64 / sizeof(ChunkTally);

}  // namespace

OocPasses::OocPasses(const DevicePermutedMatrix& matrix, StageContext& context)
    : session_(*context.device), context_(context), matrix_(matrix.pattern()) {
  if (matrix.n >= most_rows) {
    throw Error(Outcome::unsupported, "matrix_too_large",
                fmt::format("gpu-ooc takes matrices of fewer than {} rows, not {}; use a CPU mode",
                            most_rows, matrix.n));
  }
  result_ = std::make_shared<DeviceColumnPattern>();
  result_->n = matrix.n;
  const Offset n = matrix.n;
  result_->row_ptr =
      Buffer<Offset>(session_, MemoryRole::resident, n + 1, "the row pointers of L + U");
  result_->diagonal =
      Buffer<Offset>(session_, MemoryRole::resident, n, "the diagonal positions of L + U");
  result_->row_ptr.fill_bytes(0);
}

void OocPasses::probe() {
  const auto phase = context_.phases.scope("probe");
  const Index n = matrix_.n;
  const std::vector<Index> rows = probe_rows(n);
  const auto samples = static_cast<Index>(rows.size());
  Buffer<Index> list(session_, MemoryRole::scratch, samples, "the rows of the probe");
  Buffer<ChunkTally> tallies(session_, MemoryRole::scratch, samples, "the frontiers of the probe");
  launch_write_rows(session_, rows, list.data());
  tallies.fill_bytes(0);
  const Index capacity = RowPart{0, n}.full_capacity();
  const Index slots = rows_in_flight(n, samples, capacity, session_.ledger().available());
  {
    FillWorkspace workspace(session_, n, slots, capacity);
    for (Index first = 0; first < samples; first += slots) {
      probe_some(list.data() + first, std::min(slots, samples - first), tallies.data() + first,
                 workspace);
    }
  }
  std::vector<FrontierSample> frontiers;
  for (const ChunkTally& tally : read_tallies(tallies, samples)) {
    frontiers.push_back({rows[frontiers.size()], tally.max_frontier});
  }
  for (const RowPart& part : split_rows(n, frontiers, context_.options.symbolic_parts)) {
    parts_.push_back({part});
  }
  // The last part has the rows with large frontiers, where there are any.
  if (parts_.size() > 1 && std::any_of(frontiers.begin(), frontiers.end(), [](const auto& sample) {
        return sample.max_frontier >= block_frontier;
      })) {
    parts_.back().group = GroupSize::block;
  }
}

// The rows ascend, but from one launch to the next a slot's rows need not follow from slot to slot,
// so the tags are cleared.
void OocPasses::probe_some(const Index* rows, Index count, ChunkTally* tallies,
                           FillWorkspace& workspace) {
  workspace.clear_tags();
  SearchTask task = workspace.task(matrix_);
  task.rows = count;
  task.row_list = rows;
  task.tallies = tallies;
  launch_count(session_, GroupSize::block, task, result_->row_ptr.data());
}

void OocPasses::count() {
  const auto phase = context_.phases.scope("count");
  Buffer<ChunkTally> tallies(session_, MemoryRole::scratch, std::min(matrix_.n, most_tallies),
                             "the frontiers of the chunks");
  for (Part& part : parts_) count_part(part, tallies);
}

// The pattern that this pass counts must fit beside the matrix later, and its size is what the pass
// finds out: half of what is left is kept for it, unless one row needs more than the other half.
std::uint64_t OocPasses::count_budget(const RowPart& rows) const {
  const std::uint64_t available = session_.ledger().available();
  const std::uint64_t one_row = row_scratch_bytes(matrix_.n, rows.queue_capacity);
  return std::max(available / 2, std::min(available, one_row));
}

void OocPasses::count_part(Part& part, Buffer<ChunkTally>& tallies) {
  const std::vector<RowChunk> chunks = plan_chunks(
      matrix_.n, part.rows, static_cast<int>(&part - parts_.data()), count_budget(part.rows));
  const auto n_chunks = static_cast<Offset>(chunks.size());
  const auto chunks_per_tally =
      static_cast<Index>((n_chunks + tallies.size() - 1) / tallies.size());
  const auto bin_rows = static_cast<Index>(std::min<Offset>(
      part.rows.rows, static_cast<Offset>(chunks.front().rows) * chunks_per_tally));
  const Offset bins = (static_cast<Offset>(part.rows.rows) + bin_rows - 1) / bin_rows;
  tallies.fill_bytes(0);
  {
    FillWorkspace workspace(session_, matrix_.n, chunks.front().rows, part.rows.queue_capacity);
    for (const RowChunk& chunk : chunks) {
      SearchTask task = workspace.task(matrix_);
      task.rows = chunk.rows;
      task.first_row = chunk.first_row;
      task.tallies = tallies.data();
      task.tally_origin = part.rows.first_row;
      task.rows_per_tally = bin_rows;
      launch_count(session_, part.group, task, result_->row_ptr.data());
      note_chunk(chunk.rows, chunk.queue_capacity);
      report("symbolic/count", chunk.first_row + chunk.rows);
    }
  }
  std::vector<ChunkTally> measured = read_tallies(tallies, bins);
  Index overflowed = 0;
  for (const ChunkTally& tally : measured) overflowed += tally.overflowed;
  if (overflowed > 0) {
    search_again(part, overflowed, bin_rows, tallies);
    measured = read_tallies(tallies, bins);
  }
  for (const ChunkTally& tally : measured) {
    part.max_frontier = std::max(part.max_frontier, tally.max_frontier);
  }
  note_frontier(part, bin_rows, measured);
}

// Rows whose queue was too small, with the queue that no row can pass.
void OocPasses::search_again(const Part& part, Index overflowed, Index bin_rows,
                             Buffer<ChunkTally>& tallies) {
  Buffer<Index> list(session_, MemoryRole::scratch, Offset{overflowed} + 1, "rows to search again");
  list.fill_bytes(0);
  launch_collect_overflowed(session_, result_->row_ptr.data(), part.rows.first_row, part.rows.rows,
                            list.data() + 1, list.data());
  RowPart rows = part.rows;
  rows.queue_capacity = rows.full_capacity();
  const Index slots =
      rows_in_flight(matrix_.n, overflowed, rows.queue_capacity, count_budget(rows));
  FillWorkspace workspace(session_, matrix_.n, slots, rows.queue_capacity);
  for (Index first = 0; first < overflowed; first += std::min(slots, overflowed - first)) {
    workspace.clear_tags();
    SearchTask task = workspace.task(matrix_);
    task.rows = std::min(slots, overflowed - first);
    task.row_list = list.data() + 1 + first;
    task.tallies = tallies.data();
    task.tally_origin = rows.first_row;
    task.rows_per_tally = bin_rows;
    launch_count(session_, part.group, task, result_->row_ptr.data());
    note_chunk(task.rows, rows.queue_capacity);
  }
}

void OocPasses::scan() {
  const auto phase = context_.phases.scope("scan");
  exclusive_scan_in_place(session_, result_->row_ptr.data(), result_->row_ptr.size());
  result_->nnz = read_value(session_, result_->row_ptr.data() + matrix_.n);
  if (context_.check_resident) context_.check_resident(result_->nnz);
  session_.ledger().require_resident(checked_bytes(result_->nnz, sizeof(Index)),
                                     "the pattern of L + U");
  result_->col_idx =
      Buffer<Index>(session_, MemoryRole::resident, result_->nnz, "the columns of L + U");
}

void OocPasses::positions() {
  const auto phase = context_.phases.scope("positions");
  Buffer<ChunkTally> tally(session_, MemoryRole::scratch, 1, "the check of the positions");
  tally.fill_bytes(0);
  for (const Part& part : parts_) place_part(part, tally);
  if (read_value(session_, tally.data()).overflowed > 0) {
    throw std::logic_error("a queue overflowed although the first pass had measured it");
  }
}

// The first pass measured the frontiers, so the queues cannot overflow; the parts stay, so that the
// chunks of both passes compare.
void OocPasses::place_part(const Part& part, Buffer<ChunkTally>& tally) {
  RowPart rows = part.rows;
  rows.queue_capacity = std::max(part.max_frontier, Index{1});
  const std::vector<RowChunk> chunks = plan_chunks(
      matrix_.n, rows, static_cast<int>(&part - parts_.data()), session_.ledger().available());
  FillWorkspace workspace(session_, matrix_.n, chunks.front().rows, rows.queue_capacity);
  const PatternTarget target{result_->row_ptr.data(), result_->col_idx.data(),
                             result_->diagonal.data()};
  for (const RowChunk& chunk : chunks) {
    SearchTask task = workspace.task(matrix_);
    task.rows = chunk.rows;
    task.first_row = chunk.first_row;
    task.tallies = tally.data();
    task.rows_per_tally = matrix_.n;
    launch_place(session_, part.group, task, target);
    note_chunk(chunk.rows, chunk.queue_capacity);
    report("symbolic/positions", chunk.first_row + chunk.rows);
  }
}

std::shared_ptr<DeviceColumnPattern> OocPasses::finish() {
  if (rows_searched_ > 0) context_.notes.bytes_per_source = scratch_of_rows_ / rows_searched_;
  context_.notes.chunks = static_cast<Offset>(context_.notes.chunk_sizes.size());
  return std::move(result_);
}

std::vector<ChunkTally> OocPasses::read_tallies(const Buffer<ChunkTally>& tallies, Offset count) {
  std::vector<ChunkTally> host(static_cast<std::size_t>(count));
  for (Offset first = 0; first < count; first += tallies_per_read) {
    const Offset some = std::min<Offset>(tallies_per_read, count - first);
    session_.read_control(host.data() + first, tallies.data() + first,
                          static_cast<std::size_t>(some) * sizeof(ChunkTally));
  }
  return host;
}

void OocPasses::note_chunk(Index rows, Index queue_capacity) {
  context_.notes.chunk_sizes.push_back(rows);
  scratch_of_rows_ +=
      static_cast<double>(rows) * static_cast<double>(row_scratch_bytes(matrix_.n, queue_capacity));
  rows_searched_ += rows;
}

void OocPasses::note_frontier(const Part& part, Index bin_rows,
                              const std::vector<ChunkTally>& tallies) {
  FrontierProfile& profile = context_.notes.frontier;
  Index first = part.rows.first_row;
  const Index end = first + part.rows.rows;
  for (const ChunkTally& tally : tallies) {
    const Index rows = std::min(bin_rows, end - first);
    profile.first_row.push_back(first);
    profile.rows.push_back(rows);
    profile.max_frontier.push_back(tally.max_frontier);
    profile.bytes_per_row.push_back(
        static_cast<double>(row_scratch_bytes(matrix_.n, part.rows.queue_capacity)));
    first += rows;
  }
}

void OocPasses::report(std::string_view what, Offset done) {
  if (context_.progress == nullptr) return;
  session_.synchronize();
  context_.progress->report(what, done, matrix_.n);
}

}  // namespace lufact::gpu
