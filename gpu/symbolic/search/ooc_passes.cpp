// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/symbolic/search/ooc_passes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "core/base/error.hpp"
#include "gpu/components/scan.hpp"
#include "gpu/symbolic/search/plain_kernels.hpp"

namespace lufact::gpu {
namespace {

// Tags are twice a row number.
constexpr Index most_rows = Index{1} << 30;
constexpr Index tallies_per_read = 64 / sizeof(ChunkTally);

}  // namespace

OocPasses::OocPasses(const DevicePermutedMatrix& matrix, const OocVariant& variant,
                     StageContext& context)
    : session_(*context.device),
      context_(context),
      variant_(variant),
      matrix_(matrix.pattern()),
      notes_(matrix.n, context.notes) {
  if (matrix.n >= most_rows) {
    throw Error(Outcome::unsupported, "matrix_too_large",
                fmt::format("{} takes matrices of fewer than {} rows, not {}; use a CPU mode",
                            variant.name, most_rows, matrix.n));
  }
  if (variant.memory == MemoryKind::managed) {
    managed_bytes_ = session_.limit_managed(context.options.managed);
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

void OocPasses::divide() {
  if (variant_.split_by_frontier) return probe();
  for (const RowPart& rows : undivided_rows(matrix_.n)) add_part(rows);
}

void OocPasses::add_part(const RowPart& rows) {
  SearchedPart& part = parts_.emplace_back();
  part.rows = rows;
  part.number = static_cast<int>(parts_.size()) - 1;
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
  const Index slots = rows_in_flight(n, samples, capacity, budget());
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
    add_part(part);
  }
}

void OocPasses::probe_some(const Index* rows, Index count, ChunkTally* tallies,
                           FillWorkspace& workspace) {
  workspace.restart();
  SearchTask task = workspace.task(matrix_, count);
  task.row_list = rows;
  task.tallies = tallies;
  launch_count_rows(task);
}

void OocPasses::launch_count_rows(const SearchTask& task) {
  const auto launch = variant_.thread_for_each_row ? launch_plain_count : launch_count;
  launch(session_, task, result_->row_ptr.data());
}

ScratchBudget OocPasses::budget() const {
  if (variant_.all_rows_at_once) return ScratchBudget::unlimited();
  if (variant_.memory == MemoryKind::managed) return ScratchBudget::managed(managed_bytes_);
  return session_.ledger().available();
}

// The pattern must fit besides the matrix later, but its size is known only after the first pass:
// half of the free memory is kept for it, unless one row needs more than the other half. Arrays
// that stay for both passes need no such reserve: they are managed, or wanted at any price.
ScratchBudget OocPasses::count_budget(const RowPart& rows) const {
  if (variant_.keep_arrays) return budget();
  const std::uint64_t available = session_.ledger().available();
  const std::uint64_t one_row = row_scratch_bytes(matrix_.n, rows.queue_capacity);
  return std::max(available / 2, std::min(available, one_row));
}

std::vector<RowChunk> OocPasses::plan_count(const SearchedPart& part) const {
  return plan_chunks(matrix_.n, part.rows, part.number, count_budget(part.rows));
}

void OocPasses::allocate() {
  if (!variant_.keep_arrays || parts_.empty()) return;
  {
    const auto phase = context_.phases.scope("allocate");
    open_arrays(plan_count(parts_.front()));
  }
  if (variant_.memory != MemoryKind::managed) return;
  if (context_.options.managed.host_start) {
    const auto phase = context_.phases.host_scope("host-start");
    arrays_->start_on_host();
  }
  if (variant_.prefetch) arrays_->advise();
}

// Arrays for the largest of the chunks, which is the first.
FillWorkspace& OocPasses::open_arrays(const std::vector<RowChunk>& chunks) {
  if (!arrays_) {
    arrays_.emplace(session_, matrix_.n, chunks.front().rows, chunks.front().queue_capacity,
                    variant_.memory);
  }
  arrays_->restart();
  return *arrays_;
}

void OocPasses::close_arrays() {
  if (!variant_.keep_arrays) arrays_.reset();
}

// The rows of a slot ascend from chunk to chunk, so that their tags need no clearing.
SearchTask OocPasses::next_task(const RowChunk& chunk) {
  if (variant_.memory == MemoryKind::managed) move_pages(chunk.rows);
  SearchTask task = arrays_->task(matrix_, chunk.rows);
  task.first_row = chunk.first_row;
  return task;
}

void OocPasses::move_pages(Index rows) {
  if (context_.options.managed.evict_between_chunks && pages_used_) {
    const auto phase = context_.phases.scope("evict");
    arrays_->move_to_host();
  }
  if (variant_.prefetch) {
    const auto phase = context_.phases.scope("prefetch");
    arrays_->move_to_device(rows);
  }
  pages_used_ = true;
}

void OocPasses::count() {
  const auto phase = context_.phases.scope("count");
  Buffer<ChunkTally> tallies(session_, MemoryRole::scratch, std::min(matrix_.n, most_tallies),
                             "the frontiers of the chunks");
  for (SearchedPart& part : parts_) count_part(part, tallies);
}

void OocPasses::count_part(SearchedPart& part, Buffer<ChunkTally>& tallies) {
  part.chunks = plan_count(part);
  notes_.add_chunks(part.chunks);
  const auto n_chunks = static_cast<Offset>(part.chunks.size());
  const auto chunks_per_tally =
      static_cast<Index>((n_chunks + tallies.size() - 1) / tallies.size());
  const auto bin_rows = static_cast<Index>(std::min<Offset>(
      part.rows.rows, static_cast<Offset>(part.chunks.front().rows) * chunks_per_tally));
  const Offset bins = (static_cast<Offset>(part.rows.rows) + bin_rows - 1) / bin_rows;
  tallies.fill_bytes(0);
  count_chunks(part, bin_rows, tallies);
  std::vector<ChunkTally> measured = read_tallies(tallies, bins);
  for (const ChunkTally& tally : measured) part.overflowed += tally.overflowed;
  if (part.overflowed > 0) {
    search_again(part, bin_rows, tallies);
    measured = read_tallies(tallies, bins);
  }
  for (const ChunkTally& tally : measured) {
    part.max_frontier = std::max(part.max_frontier, tally.max_frontier);
  }
  notes_.add_frontier(part, bin_rows, measured);
}

void OocPasses::count_chunks(const SearchedPart& part, Index bin_rows,
                             Buffer<ChunkTally>& tallies) {
  open_arrays(part.chunks);
  for (const RowChunk& chunk : part.chunks) {
    SearchTask task = next_task(chunk);
    task.tallies = tallies.data();
    task.tally_origin = part.rows.first_row;
    task.rows_per_tally = bin_rows;
    launch_count_rows(task);
    report("symbolic/count", chunk.first_row + chunk.rows);
  }
  close_arrays();
}

// Rows whose queue was too small, with the queue that no row can pass. These rows do not follow
// each other from slot to slot.
void OocPasses::search_again(const SearchedPart& part, Index bin_rows,
                             Buffer<ChunkTally>& tallies) {
  Buffer<Index> list(session_, MemoryRole::scratch, Offset{part.overflowed} + 1,
                     "rows to search again");
  list.fill_bytes(0);
  launch_collect_overflowed(session_, result_->row_ptr.data(), part.rows.first_row, part.rows.rows,
                            list.data() + 1, list.data());
  RowPart rows = part.rows;
  rows.queue_capacity = rows.full_capacity();
  const Index slots =
      rows_in_flight(matrix_.n, part.overflowed, rows.queue_capacity, count_budget(rows));
  FillWorkspace workspace(session_, matrix_.n, slots, rows.queue_capacity);
  for (Index first = 0; first < part.overflowed;
       first += std::min(slots, part.overflowed - first)) {
    workspace.restart();
    SearchTask task = workspace.task(matrix_, std::min(slots, part.overflowed - first));
    task.row_list = list.data() + 1 + first;
    task.tallies = tallies.data();
    task.tally_origin = rows.first_row;
    task.rows_per_tally = bin_rows;
    launch_count_rows(task);
    notes_.add_chunk(task.rows, rows.queue_capacity);
  }
}

void OocPasses::scan() {
  const auto phase = context_.phases.scope("scan");
  exclusive_scan_in_place(session_, result_->row_ptr.data(), result_->row_ptr.size());
  {
    const auto copies = context_.phases.scope("read");
    result_->nnz = read_value(session_, result_->row_ptr.data() + matrix_.n);
  }
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
  for (SearchedPart& part : parts_) place_part(part, tally);
  if (read_tallies(tally, 1).front().overflowed > 0) {
    throw std::logic_error("a queue overflowed although the first pass had measured it");
  }
}

// The parts stay, so that the chunks of both passes can be compared. Either queues are as large as
// the first pass measured, so that they cannot overflow; or chunks are those of the first pass,
// unless the pattern has left room for fewer rows.
void OocPasses::plan_positions(SearchedPart& part) {
  RowPart rows = part.rows;
  Index at_most = rows.rows;
  if (variant_.split_by_frontier) {
    rows.queue_capacity = std::max(part.max_frontier, Index{1});
  } else {
    at_most = part.chunks.front().rows;
  }
  part.place_chunks = plan_chunks(matrix_.n, rows, part.number, budget(), at_most);
  const bool anew = variant_.split_by_frontier || part.place_chunks.size() != part.chunks.size();
  if (anew) notes_.add_chunks(part.place_chunks);
}

void OocPasses::place_part(SearchedPart& part, Buffer<ChunkTally>& tally) {
  plan_positions(part);
  open_arrays(part.place_chunks);
  const PatternTarget target{result_->row_ptr.data(), result_->col_idx.data(),
                             result_->diagonal.data()};
  for (const RowChunk& chunk : part.place_chunks) {
    SearchTask task = next_task(chunk);
    task.tallies = tally.data();
    task.rows_per_tally = matrix_.n;
    const auto launch = variant_.thread_for_each_row ? launch_plain_place : launch_place;
    launch(session_, task, target);
    report("symbolic/positions", chunk.first_row + chunk.rows);
  }
  close_arrays();
  notes_.add_part(part);
}

std::shared_ptr<DeviceColumnPattern> OocPasses::finish() {
  notes_.finish();
  return std::move(result_);
}

// The only copies of the stage but for the size of the pattern, in a phase of their own.
std::vector<ChunkTally> OocPasses::read_tallies(const Buffer<ChunkTally>& tallies, Offset count) {
  const auto copies = context_.phases.scope("read");
  std::vector<ChunkTally> host(static_cast<std::size_t>(count));
  for (Offset first = 0; first < count; first += tallies_per_read) {
    const Offset some = std::min<Offset>(tallies_per_read, count - first);
    session_.read_control(host.data() + first, tallies.data() + first,
                          static_cast<std::size_t>(some) * sizeof(ChunkTally));
  }
  return host;
}

void OocPasses::report(std::string_view what, Offset done) {
  if (context_.progress == nullptr) return;
  session_.synchronize();
  context_.progress->report(what, done, matrix_.n);
}

}  // namespace lufact::gpu
