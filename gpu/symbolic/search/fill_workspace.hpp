// SPDX-License-Identifier: BSD-3-Clause
// The work arrays of the rows in flight: one allocation for all chunks of a part.
#pragma once
#include "gpu/runtime/buffer.hpp"
#include "gpu/symbolic/search/chunk_planner.hpp"
#include "gpu/symbolic/search/fill_kernels.hpp"

namespace lufact::gpu {

class FillWorkspace {
 public:
  // For `slots` rows at once; row_scratch_bytes(arrays, capacity) for each.
  FillWorkspace(DeviceSession& session, const RowArrays& arrays, Index slots, Index queue_capacity,
                MemoryKind memory = MemoryKind::device);

  // Makes the next task clear the tags of its rows. Needed unless, in every slot, the rows go on
  // ascending, or descending in tasks that say so. The search kernel clears, not a memset, so that
  // on-demand pages are touched first by the kernel that uses them.
  void restart() noexcept { cleared_slots_ = 0; }

  // A task for `rows` <= slots rows with its work arrays filled in. It clears them where it has
  // slots that no task has cleared.
  SearchTask task(const PatternRef& matrix, Index rows);

  Index slots() const noexcept { return slots_; }
  std::uint64_t bytes() const noexcept { return words_.bytes(); }

  // For managed memory.
  void start_on_host();  // every page is touched on the host
  void advise();
  void move_to_device(Index rows);  // the pages of the first `rows` slots
  void move_to_host();

 private:
  Index* tags() noexcept { return words_.data(); }
  Index* queues() noexcept { return words_.data() + tag_words(slots_); }
  Offset tag_words(Index rows) const noexcept { return static_cast<Offset>(rows) * stride_; }
  Offset queue_words(Index rows) const noexcept {
    return static_cast<Offset>(rows) * queue_capacity_;
  }

  Index stride_, slots_, queue_capacity_;
  Index cleared_slots_ = 0;
  Buffer<Index> words_;
};

}  // namespace lufact::gpu
