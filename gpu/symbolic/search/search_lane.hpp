// SPDX-License-Identifier: BSD-3-Clause
// Rows on their way through one stream, with the work arrays that those in flight take.
#pragma once
#include <optional>

#include "gpu/runtime/side_streams.hpp"
#include "gpu/symbolic/search/fill_workspace.hpp"

namespace lufact::gpu {

class SearchLane {
 public:
  // On the session's stream, or on the first of `side`, whose owner orders the two.
  SearchLane(DeviceSession& session, const PatternRef& matrix, const RowArrays& arrays,
             SideStreams* side = nullptr)
      : session_(session), matrix_(matrix), row_(arrays), side_(side) {}

  // Arrays for `slots` rows at once; nothing where there are some.
  void open(Index slots, Index queue_capacity, MemoryKind memory = MemoryKind::device) {
    if (!arrays_) arrays_.emplace(session_, row_, slots, queue_capacity, memory);
    arrays_->restart();
  }
  // For arrays that the lane's stream is done with, or is the session's.
  void close() { arrays_.reset(); }

  FillWorkspace& arrays() { return arrays_.value(); }
  const FillWorkspace& arrays() const { return arrays_.value(); }
  SearchTask task(const RowChunk& chunk) {
    SearchTask task = arrays().task(matrix_, chunk.rows);
    task.first_row = chunk.first_row;
    return task;
  }
  cudaStream_t stream() { return side_ != nullptr ? side_->stream(0) : session_.stream(); }

 private:
  DeviceSession& session_;
  PatternRef matrix_;
  RowArrays row_;
  SideStreams* side_;
  std::optional<FillWorkspace> arrays_;
};

}  // namespace lufact::gpu
