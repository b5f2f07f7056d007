// SPDX-License-Identifier: BSD-3-Clause
// The steps of every stage of the out-of-core family, one matrix at a time.
#pragma once
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "core/pipeline/stage.hpp"
#include "gpu/matrix/device_products.hpp"
#include "gpu/symbolic/search/chunk_planner.hpp"
#include "gpu/symbolic/search/fill_kernels.hpp"
#include "gpu/symbolic/search/fill_workspace.hpp"
#include "gpu/symbolic/search/ooc_notes.hpp"
#include "gpu/symbolic/search/ooc_variant.hpp"

namespace lufact::gpu {

class OocPasses {
 public:
  // Makes the resident arrays whose size is known: row pointers and diagonal positions.
  OocPasses(const DevicePermutedMatrix& matrix, const OocVariant& variant, StageContext& context);

  // Divides the rows. E2E Algorithm 4 splits where the frontier passes half of its maximum, known
  // only after the search: so a fixed sample of rows is searched first, with full queues.
  void divide();
  // The work arrays of both passes, where the variant keeps them.
  void allocate();
  // First pass: entries of every row. Rows that overflow their queue are searched again.
  void count();
  // Row offsets, and the columns' allocation once the rest of the pipeline is known to fit.
  void scan();
  // Second pass: the columns of every row.
  void positions();
  std::shared_ptr<DeviceColumnPattern> finish();

 private:
  void probe();
  void add_part(const RowPart& rows);
  void probe_some(const Index* rows, Index count, ChunkTally* tallies, FillWorkspace& workspace);
  void launch_count_rows(const SearchTask& task);
  void count_part(SearchedPart& part, Buffer<ChunkTally>& tallies);
  void count_chunks(const SearchedPart& part, Index bin_rows, Buffer<ChunkTally>& tallies);
  void search_again(const SearchedPart& part, Index bin_rows, Buffer<ChunkTally>& tallies);
  void place_part(SearchedPart& part, Buffer<ChunkTally>& tally);
  void plan_positions(SearchedPart& part);
  ScratchBudget budget() const;
  ScratchBudget count_budget(const RowPart& rows) const;
  std::vector<RowChunk> plan_count(const SearchedPart& part) const;
  FillWorkspace& open_arrays(const std::vector<RowChunk>& chunks);
  void close_arrays();
  SearchTask next_task(const RowChunk& chunk);
  void move_pages(Index rows);
  std::vector<ChunkTally> read_tallies(const Buffer<ChunkTally>& tallies, Offset count);
  void report(std::string_view what, Offset done);

  DeviceSession& session_;
  StageContext& context_;
  OocVariant variant_;
  PatternRef matrix_;
  std::shared_ptr<DeviceColumnPattern> result_;
  std::vector<SearchedPart> parts_;
  std::optional<FillWorkspace> arrays_;
  std::uint64_t managed_bytes_ = 0;
  bool pages_used_ = false;  // by an earlier chunk
  OocNotes notes_;
};

}  // namespace lufact::gpu
