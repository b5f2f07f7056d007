// SPDX-License-Identifier: BSD-3-Clause
// The largest frontiers of ranges of rows, for the record and for the queues of the second pass.
#pragma once
#include <vector>

#include "core/measure/phase_recorder.hpp"
#include "gpu/runtime/buffer.hpp"
#include "gpu/symbolic/search/fill_kernels.hpp"

namespace lufact::gpu {

// Rows whose tallies are their own, whatever chunks they are searched in.
struct TallyRange {
  Index first_row = 0, rows = 0;
  Offset first_tally = 0, tallies = 0;
};

class FrontierTallies {
 public:
  // Of n rows, for up to `ranges` ranges: all tallies but the last of a range cover bin_rows()
  // rows, a 64th of n.
  FrontierTallies(DeviceSession& session, Index n, int ranges);

  Index bin_rows() const noexcept { return bin_rows_; }
  TallyRange add(Index first_row, Index rows);
  // Makes a task of rows of this range count there.
  void count_into(const TallyRange& range, SearchTask& task);
  std::vector<ChunkTally> read(const TallyRange& range, PhaseRecorder& phases) const;

 private:
  Index bin_rows_;
  Offset used_ = 0;
  Buffer<ChunkTally> tallies_;
};

// Control reads, in a sub-phase `read`.
std::vector<ChunkTally> read_tallies(const Buffer<ChunkTally>& tallies, Offset first, Offset count,
                                     PhaseRecorder& phases);

}  // namespace lufact::gpu
