// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/symbolic/fill2/fill2_passes.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "gpu/components/scan.hpp"

namespace lufact::gpu {
Fill2Passes::Fill2Passes(const DevicePermutedMatrix& matrix, StageContext& context)
    : session_(*context.device), context_(context), matrix_(matrix.pattern()), nnz_(matrix.nnz) {
  if (matrix.n >= most_fill2_rows) {
    throw Error(
        Outcome::unsupported, "matrix_too_large",
        fmt::format("gpu-fill2 takes matrices of fewer than {} rows, not {}; use a CPU mode",
                    most_fill2_rows, matrix.n));
  }
  result_ = std::make_shared<DeviceColumnPattern>();
  result_->n = matrix.n;
  result_->row_ptr = Buffer<Offset>(session_, MemoryRole::resident, matrix.n + Offset{1},
                                    "the row pointers of L + U");
  result_->diagonal =
      Buffer<Offset>(session_, MemoryRole::resident, matrix.n, "the diagonal positions of L + U");
}

void Fill2Passes::build_graph() {
  const auto phase = context_.phases.scope("graph");
  forest_ = build_symmetric_forest(session_, matrix_, nnz_);
  graph_.forest = forest_.ref();
  if (forest_.one_sided > 0) {
    build_crossings();
  } else {
    graph_.count = 1;
    graph_.directions[0] = {matrix_, {}, true, true};
  }
}

void Fill2Passes::build_crossings() {
  const SubtreeIntervals intervals =
      build_subtree_intervals(session_, matrix_.n, forest_.parent.data());
  crossing_by_row_ = build_crossing_edges(session_, matrix_, nnz_, forest_, intervals,
                                          EdgeDirection::row_to_column);
  crossing_by_column_ = build_crossing_edges(session_, matrix_, nnz_, forest_, intervals,
                                             EdgeDirection::column_to_row);
  transpose_ = transpose_pattern(session_, matrix_, nnz_);
  graph_.count = 2;
  graph_.directions[0] = {matrix_, crossing_by_row_.ref(), true, false};
  graph_.directions[1] = {transpose_.ref(matrix_.n), crossing_by_column_.ref(), false, true};
  mark_sets_ = 3;
}

Fill2Workspace Fill2Passes::make_workspace(int mark_sets) {
  const Fill2RowNeeds needs{matrix_.n, mark_sets};
  const Fill2Slots slots =
      plan_fill2_slots(needs, resident_fill2_rows(session_, needs), session_.ledger().available());
  return Fill2Workspace(session_, needs, slots);
}

// Keeps no rows of a symmetric pattern, which are found again as fast as they would be read.
void Fill2Passes::keep_rows() {
  if (graph_.count == 1) return;
  const Offset searches = Offset{graph_.count} * matrix_.n;
  const Offset entries = plan_kept_entries(searches, nnz_, session_.ledger().available());
  if (entries == 0) return;
  kept_begins_ = {session_, MemoryRole::scratch, searches, "begins of kept rows"};
  kept_lengths_ = {session_, MemoryRole::scratch, searches, "lengths of kept rows"};
  kept_used_ = {session_, MemoryRole::scratch, 1, "the count of kept entries"};
  kept_entries_ = {session_, MemoryRole::scratch, entries, "kept rows"};
  kept_used_.fill_bytes(0);
}

KeptRows Fill2Passes::kept_rows() noexcept {
  return {kept_entries_.data(), kept_entries_.size(), kept_used_.data(), kept_begins_.data(),
          kept_lengths_.data()};
}

// Kept rows are given up where the pattern and all rows in flight do not fit beside them.
void Fill2Passes::make_room(std::uint64_t pattern_bytes) {
  const Fill2RowNeeds needs{matrix_.n, mark_sets_};
  const Fill2Slots slots{resident_fill2_rows(session_, needs), shares_marks(needs)};
  const std::uint64_t available = session_.ledger().available();
  if (available >= pattern_bytes && available - pattern_bytes > slots.scratch_bytes(needs)) return;
  kept_entries_ = {};
  kept_lengths_ = {};
  kept_begins_ = {};
}

void Fill2Passes::count() {
  const auto phase = context_.phases.scope("count");
  launch_start_counts(session_, matrix_.n, result_->row_ptr.data());
  Fill2Workspace workspace = make_workspace(mark_sets_);
  keep_rows();
  launch_fill2_count(session_, graph_, workspace, kept_rows(), result_->row_ptr.data());
  note_pass(workspace, "symbolic/count");
}

void Fill2Passes::scan() {
  const auto phase = context_.phases.scope("scan");
  exclusive_scan_in_place(session_, result_->row_ptr.data(), result_->row_ptr.size());
  result_->nnz = read_value(session_, result_->row_ptr.data() + matrix_.n);
  if (context_.check_resident) context_.check_resident(result_->nnz);
  session_.ledger().require_resident(checked_bytes(result_->nnz, sizeof(Index)),
                                     "the pattern of L + U");
  make_room(checked_bytes(result_->nnz, sizeof(Index)));
  result_->col_idx =
      Buffer<Index>(session_, MemoryRole::resident, result_->nnz, "the columns of L + U");
}

void Fill2Passes::positions() {
  const auto phase = context_.phases.scope("positions");
  const Fill2Target target{result_->row_ptr.data(), result_->col_idx.data(),
                           result_->diagonal.data()};
  launch_start_places(session_, matrix_.n, target);
  {
    Fill2Workspace workspace = make_workspace(mark_sets_);
    launch_fill2_place(session_, graph_, workspace, kept_rows(), target);
    note_pass(workspace, "symbolic/positions");
  }
  Fill2Workspace workspace = make_workspace(1);
  launch_order_upper(session_, workspace, target);
}

std::shared_ptr<DeviceColumnPattern> Fill2Passes::finish() {
  context_.notes.chunks = static_cast<Offset>(context_.notes.chunk_sizes.size());
  return std::move(result_);
}

void Fill2Passes::note_pass(const Fill2Workspace& workspace, std::string_view what) {
  context_.notes.chunk_sizes.push_back(matrix_.n);
  context_.notes.bytes_per_source = static_cast<double>(workspace.needs().mark_bytes());
  if (context_.progress == nullptr) return;
  session_.synchronize();
  context_.progress->report(what, matrix_.n, matrix_.n);
}

}  // namespace lufact::gpu
