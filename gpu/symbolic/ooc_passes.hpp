// SPDX-License-Identifier: BSD-3-Clause
// The steps of the out-of-core symbolic stage, one matrix at a time.
#pragma once
#include <memory>
#include <string_view>
#include <vector>

#include "core/pipeline/stage.hpp"
#include "gpu/matrix/device_products.hpp"
#include "gpu/symbolic/chunk_planner.hpp"
#include "gpu/symbolic/fill_kernels.hpp"
#include "gpu/symbolic/fill_workspace.hpp"

namespace lufact::gpu {

class OocPasses {
 public:
  // Makes the resident arrays whose size is known: row pointers and diagonal positions.
  OocPasses(const DevicePermutedMatrix& matrix, StageContext& context);

  // E2E Algorithm 4 splits where the frontier passes half of its maximum, which is known only
  // afterwards: a fixed sample of rows is searched first, with full queues.
  void probe();
  // First pass: entries of every row. Rows that overflow their queue are searched again.
  void count();
  // Row offsets, and the columns' allocation once the rest of the pipeline is known to fit.
  void scan();
  // Second pass, with queues as large as the first pass measured.
  void positions();
  std::shared_ptr<DeviceColumnPattern> finish();

 private:
  struct Part {
    RowPart rows;
    GroupSize group = GroupSize::warp;
    Index max_frontier = 0;  // measured by the first pass
  };

  void probe_some(const Index* rows, Index count, ChunkTally* tallies, FillWorkspace& workspace);
  void count_part(Part& part, Buffer<ChunkTally>& tallies);
  void search_again(const Part& part, Index overflowed, Index bin_rows,
                    Buffer<ChunkTally>& tallies);
  void place_part(const Part& part, Buffer<ChunkTally>& tally);
  std::uint64_t count_budget(const RowPart& rows) const;
  std::vector<ChunkTally> read_tallies(const Buffer<ChunkTally>& tallies, Offset count);
  void note_chunk(Index rows, Index queue_capacity);
  void note_frontier(const Part& part, Index bin_rows, const std::vector<ChunkTally>& tallies);
  void report(std::string_view what, Offset done);

  DeviceSession& session_;
  StageContext& context_;
  PatternRef matrix_;
  std::shared_ptr<DeviceColumnPattern> result_;
  std::vector<Part> parts_;
  double scratch_of_rows_ = 0, rows_searched_ = 0;  // for the mean bytes of a row in flight
};

}  // namespace lufact::gpu
