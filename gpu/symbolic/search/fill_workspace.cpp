// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/symbolic/search/fill_workspace.hpp"

#include <algorithm>

#include "gpu/runtime/managed.hpp"

namespace lufact::gpu {

FillWorkspace::FillWorkspace(DeviceSession& session, const RowArrays& arrays, Index slots,
                             Index queue_capacity, MemoryKind memory)
    : stride_(tag_stride(arrays.n)),
      slots_(slots),
      queue_capacity_(queue_capacity),
      words_(session, MemoryRole::scratch,
             static_cast<Offset>(checked_bytes(slots, row_scratch_bytes(arrays, queue_capacity)) /
                                 sizeof(Index)),
             "the work arrays of the fill search", memory) {}

SearchTask FillWorkspace::task(const PatternRef& matrix, Index rows) {
  SearchTask task;
  task.matrix = matrix;
  task.tags = tags();
  task.queues = queues();
  task.stride = stride_;
  task.queue_capacity = queue_capacity_;
  task.clear_tags = rows > cleared_slots_;
  task.rows = rows;
  cleared_slots_ = std::max(cleared_slots_, rows);
  return task;
}

void FillWorkspace::start_on_host() {
  touch_on_host(words_.data(), words_.bytes());
}

// The driver then keeps the pages on the card while other allocations can be moved, and serves a
// fault by migration, never by a mapping of host memory. Other advice does not help: ReadMostly is
// for arrays that are not written, AccessedBy for pages that should stay where they are.
void FillWorkspace::advise() {
  prefer_device(words_.session(), words_.data(), words_.bytes());
}

void FillWorkspace::move_to_device(Index rows) {
  prefetch_to_device(words_.session(), tags(), checked_bytes(tag_words(rows), sizeof(Index)));
  prefetch_to_device(words_.session(), queues(), checked_bytes(queue_words(rows), sizeof(Index)));
}

void FillWorkspace::move_to_host() {
  prefetch_to_host(words_.session(), words_.data(), words_.bytes());
}

}  // namespace lufact::gpu
