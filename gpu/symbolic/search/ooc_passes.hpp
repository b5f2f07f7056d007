// SPDX-License-Identifier: BSD-3-Clause
// The steps of every stage of the out-of-core family, one matrix at a time.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/pipeline/stage.hpp"
#include "gpu/matrix/device_products.hpp"
#include "gpu/symbolic/search/chunk_planner.hpp"
#include "gpu/symbolic/search/fill_kernels.hpp"
#include "gpu/symbolic/search/frontier_tallies.hpp"
#include "gpu/symbolic/search/ooc_notes.hpp"
#include "gpu/symbolic/search/ooc_variant.hpp"
#include "gpu/symbolic/search/search_lane.hpp"

namespace lufact::gpu {

class OocPasses {
 public:
  // Makes the resident arrays whose size is known: row pointers and diagonal positions.
  OocPasses(const DevicePermutedMatrix& matrix, const OocVariant& variant, StageContext& context);

  // The work arrays of both passes, where the variant keeps them.
  void allocate();
  // First pass: entries of every row. Rows that overflow their queue are searched again.
  void count();
  // Row offsets, and the columns' allocation once the rest of the pipeline is known to fit.
  void scan();
  // Second pass: the columns of every row.
  void positions();
  // Frees the work arrays that were kept.
  std::shared_ptr<DeviceColumnPattern> finish();

 private:
  SearchedPart& add_part(const RowPart& rows);
  void launch_count_rows(SearchLane& lane, const SearchTask& task);
  void launch_place_rows(SearchLane& lane, SearchTask task);
  void count_part(SearchedPart& part);
  void search_again(const SearchedPart& part, const TallyRange& range);
  void place_part(SearchedPart& part);
  Index positions_queue(const SearchedPart& part) const;
  ScratchBudget budget() const;
  void open_arrays(const std::vector<RowChunk>& chunks);
  void open_arrays_of_pass(const std::vector<RowChunk>& chunks);
  void close_arrays();
  SearchTask next_task(const RowChunk& chunk);
  void move_pages(Index rows);
  void report(std::string_view what, Offset done);

  // Of Algorithm 4 (ooc_division.cpp).
  bool divides() const;
  void count_divided();
  void count_before_tail(const RowChunk& tail);
  std::vector<RowPart> probe();
  void add_parts(std::vector<RowPart> parts, Index tail_row);
  void count_late(const RowChunk& chunk, const TallyRange& range);
  bool fit_side_by_side() const;
  void place_side_by_side();
  Index rows_on_card() const;
  std::vector<RowPart> rows_of_parts() const;
  void open_late(Index rows, Index queue_capacity, const ScratchBudget& room);
  ScratchBudget budget_with_late() const;
  std::vector<RowChunk> plan_late(std::span<const RowPart> parts, int number, std::uint64_t left);
  SearchTask late_task(const RowChunk& chunk);
  void close_late();

  DeviceSession& session_;
  StageContext& context_;
  OocVariant variant_;
  PatternRef matrix_;
  RowArrays row_;
  std::shared_ptr<DeviceColumnPattern> result_;
  std::optional<FrontierTallies> tallies_;  // of the first pass
  Buffer<ChunkTally> check_;                // of the second
  std::vector<SearchedPart> parts_;
  bool divided_ = false;
  SearchLane lane_;
  std::uint64_t managed_bytes_ = 0;
  bool pages_used_ = false;  // by an earlier chunk
  OocNotes notes_;
  // The last part, beside the others. The stream goes first: it ends what uses the arrays.
  std::optional<SearchLane> late_;
  std::optional<SideStreams> side_;
};

}  // namespace lufact::gpu
