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

}  // namespace

OocPasses::OocPasses(const DevicePermutedMatrix& matrix, const OocVariant& variant,
                     StageContext& context)
    : session_(*context.device),
      context_(context),
      variant_(variant),
      matrix_(matrix.pattern()),
      row_(matrix.n, context.options.symbolic_words),
      lane_(session_, matrix_, row_),
      notes_(row_, context.notes) {
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

SearchedPart& OocPasses::add_part(const RowPart& rows) {
  SearchedPart& part = parts_.emplace_back();
  part.rows = rows;
  part.number = static_cast<int>(parts_.size()) - 1;
  return part;
}

void OocPasses::launch_count_rows(SearchLane& lane, const SearchTask& task) {
  const auto launch = variant_.thread_for_each_row ? launch_plain_count : launch_count;
  launch(lane.stream(), task, result_->row_ptr.data());
}

void OocPasses::launch_place_rows(SearchLane& lane, SearchTask task) {
  task.tallies = check_.data();
  task.rows_per_tally = matrix_.n;
  const auto launch = variant_.thread_for_each_row ? launch_plain_place : launch_place;
  launch(lane.stream(), task,
         {result_->row_ptr.data(), result_->col_idx.data(), result_->diagonal.data()});
}

ScratchBudget OocPasses::budget() const {
  if (variant_.all_rows_at_once) return ScratchBudget::unlimited();
  if (variant_.memory == MemoryKind::managed) return ScratchBudget::managed(managed_bytes_);
  return session_.ledger().available();
}

void OocPasses::allocate() {
  if (!variant_.keep_arrays || matrix_.n == 0) return;
  {
    const auto phase = context_.phases.scope("allocate");
    open_arrays(plan_chunks(row_, undivided_rows(matrix_.n).front(), 0, budget()));
  }
  if (variant_.memory != MemoryKind::managed) return;
  if (context_.options.managed.host_start) {
    const auto phase = context_.phases.host_scope("host-start");
    lane_.arrays().start_on_host();
  }
  if (variant_.prefetch) lane_.arrays().advise();
}

// Arrays for the largest of the chunks, which is the first.
void OocPasses::open_arrays(const std::vector<RowChunk>& chunks) {
  lane_.open(chunks.front().rows, chunks.front().queue_capacity, variant_.memory);
}

void OocPasses::open_arrays_of_pass(const std::vector<RowChunk>& chunks) {
  if (variant_.keep_arrays) return open_arrays(chunks);
  const auto phase = context_.phases.host_scope("allocate");
  open_arrays(chunks);
}

void OocPasses::close_arrays() {
  if (!variant_.keep_arrays) lane_.close();
}

// The rows of a slot ascend from chunk to chunk, so that their tags need no clearing.
SearchTask OocPasses::next_task(const RowChunk& chunk) {
  if (variant_.memory == MemoryKind::managed) move_pages(chunk.rows);
  return lane_.task(chunk);
}

void OocPasses::move_pages(Index rows) {
  if (context_.options.managed.evict_between_chunks && pages_used_) {
    const auto phase = context_.phases.scope("evict");
    lane_.arrays().move_to_host();
  }
  if (variant_.prefetch) {
    const auto phase = context_.phases.scope("prefetch");
    lane_.arrays().move_to_device(rows);
  }
  pages_used_ = true;
}

void OocPasses::count() {
  const auto phase = context_.phases.scope("count");
  tallies_.emplace(session_, matrix_.n, context_.options.symbolic_parts + 1);
  if (divides()) {
    count_divided();
  } else {
    for (const RowPart& rows : undivided_rows(matrix_.n)) count_part(add_part(rows));
  }
  for (const SearchedPart& part : parts_) notes_.add_frontier(part, tallies_->bin_rows());
  tallies_.reset();
}

void OocPasses::count_part(SearchedPart& part) {
  part.chunks = plan_chunks(row_, part.rows, part.number, budget());
  notes_.add_chunks(part.chunks);
  const TallyRange range = tallies_->add(part.rows.first_row, part.rows.rows);
  open_arrays_of_pass(part.chunks);
  for (const RowChunk& chunk : part.chunks) {
    SearchTask task = next_task(chunk);
    tallies_->count_into(range, task);
    launch_count_rows(lane_, task);
    report("symbolic/count", chunk.first_row + chunk.rows);
  }
  close_arrays();
  std::vector<ChunkTally> measured = tallies_->read(range, context_.phases);
  for (const ChunkTally& tally : measured) part.overflowed += tally.overflowed;
  if (part.overflowed > 0) {
    search_again(part, range);
    measured = tallies_->read(range, context_.phases);
  }
  part.add_measured(range, measured);
}

// Rows whose queue was too small, with the queue that no row can pass. These rows do not follow
// each other from slot to slot.
void OocPasses::search_again(const SearchedPart& part, const TallyRange& range) {
  Buffer<Index> list(session_, MemoryRole::scratch, Offset{part.overflowed} + 1,
                     "rows to search again");
  list.fill_bytes(0);
  launch_collect_overflowed(session_, result_->row_ptr.data(), part.rows.first_row, part.rows.rows,
                            list.data() + 1, list.data());
  const Index capacity = part.rows.full_capacity();
  const Index slots = rows_in_flight(row_, part.overflowed, capacity, budget());
  for (Index first = 0; first < part.overflowed;
       first += std::min(slots, part.overflowed - first)) {
    const Index rows = std::min(slots, part.overflowed - first);
    lane_.open(slots, capacity);
    SearchTask task = lane_.task({.rows = rows});
    task.row_list = list.data() + 1 + first;
    tallies_->count_into(range, task);
    launch_count_rows(lane_, task);
    notes_.add_chunk(rows, capacity);
  }
  lane_.close();
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
  check_ = Buffer<ChunkTally>(session_, MemoryRole::scratch, 1, "the check of the positions");
  check_.fill_bytes(0);
  if (fit_side_by_side()) {
    place_side_by_side();
  } else {
    for (SearchedPart& part : parts_) place_part(part);
  }
  for (const SearchedPart& part : parts_) notes_.add_part(part);
  if (read_tallies(check_, 0, 1, context_.phases).front().overflowed > 0) {
    throw std::logic_error("a queue overflowed although the first pass had measured it");
  }
  check_ = {};
}

// As large as the first pass has measured, so that it cannot overflow. Algorithm 3 does not look,
// nor does Algorithm 4 where it divides nothing and the pattern leaves room for chunks as large as
// before: memory that was freed a moment ago comes back sooner in the same size.
Index OocPasses::positions_queue(const SearchedPart& part) const {
  const Index full = part.rows.queue_capacity;
  if (!variant_.split_by_frontier) return full;
  const auto chunk = static_cast<std::uint64_t>(part.chunks.front().rows);
  if (!divided_ && budget().bytes / row_scratch_bytes(row_, full) >= chunk) return full;
  return std::max(part.max_frontier, Index{1});
}

void OocPasses::place_part(SearchedPart& part) {
  RowPart rows = part.rows;
  rows.queue_capacity = positions_queue(part);
  part.place_chunks = plan_chunks(row_, rows, part.number, budget());
  open_arrays_of_pass(part.place_chunks);
  for (const RowChunk& chunk : part.place_chunks) {
    launch_place_rows(lane_, next_task(chunk));
    report("symbolic/positions", chunk.first_row + chunk.rows);
  }
  close_arrays();
}

std::shared_ptr<DeviceColumnPattern> OocPasses::finish() {
  if (variant_.keep_arrays) {
    const auto phase = context_.phases.scope("free");
    lane_.close();
  }
  notes_.finish();
  return std::move(result_);
}

void OocPasses::report(std::string_view what, Offset done) {
  if (context_.progress == nullptr) return;
  session_.synchronize();
  context_.progress->report(what, done, matrix_.n);
}

}  // namespace lufact::gpu
