// SPDX-License-Identifier: BSD-3-Clause
// The work arrays of the rows in flight: one allocation for all chunks of a part.
#pragma once
#include "gpu/runtime/buffer.hpp"
#include "gpu/symbolic/chunk_planner.hpp"
#include "gpu/symbolic/fill_kernels.hpp"

namespace lufact::gpu {

class FillWorkspace {
 public:
  // For `slots` rows of a matrix of n rows at once; row_scratch_bytes(n, capacity) for each. Tags
  // are cleared.
  FillWorkspace(DeviceSession& session, Index n, Index slots, Index queue_capacity)
      : stride_(tag_stride(n)),
        slots_(slots),
        queue_capacity_(queue_capacity),
        words_(session, MemoryRole::scratch,
               static_cast<Offset>(slots) * (static_cast<Offset>(stride_) + queue_capacity),
               "the work arrays of the fill search") {
    clear_tags();
  }

  // Needed before rows that do not follow, in every slot, the rows searched so far.
  void clear_tags() {
    const std::size_t bytes = checked_bytes(tag_count(), sizeof(Index));
    if (bytes == 0) return;
    LUFACT_CUDA(cudaMemsetAsync(words_.data(), 0xff, bytes, words_.session().stream()));
  }

  // A task with its work arrays filled in.
  SearchTask task(const PatternRef& matrix) {
    SearchTask task;
    task.matrix = matrix;
    task.tags = words_.data();
    task.queues = words_.data() + tag_count();
    task.stride = stride_;
    task.queue_capacity = queue_capacity_;
    return task;
  }

  Index slots() const noexcept { return slots_; }

 private:
  Offset tag_count() const noexcept { return static_cast<Offset>(slots_) * stride_; }

  Index stride_, slots_, queue_capacity_;
  Buffer<Index> words_;
};

}  // namespace lufact::gpu
