// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "core/base/types.hpp"

namespace lufact::gpu {

// Draws a block's tickets; thread 0 has the state. A task that has only to store its result may
// draw the next ticket early, so that it is known when the task is done. Drawn even earlier, a
// ticket would hold up other blocks while this one waits or computes.
class TicketQueue {
 public:
  __device__ explicit TicketQueue(unsigned* next) : next_(next) {}

  __device__ void draw_early() {
    if (threadIdx.x == 0 && ticket_ == none) ticket_ = atomicAdd(next_, 1U);
  }

  // For every thread of the block. Two barriers.
  __device__ Index next() {
    __shared__ Index ticket;
    __syncthreads();
    draw_early();
    if (threadIdx.x == 0) ticket = static_cast<Index>(ticket_);
    ticket_ = none;
    __syncthreads();
    return ticket;
  }

 private:
  static constexpr unsigned none = ~0U;  // no ticket has this number
  unsigned* next_;
  unsigned ticket_ = none;
};

}  // namespace lufact::gpu
