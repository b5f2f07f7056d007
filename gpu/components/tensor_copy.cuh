// SPDX-License-Identifier: BSD-3-Clause
// Copies into shared memory and out of it by the copy unit of cards from 9.0 on, of boxes of a
// matrix or of bytes that follow each other, and the barriers in shared memory that tell when they
// are there (PTX ISA, "mbarrier", "cp.async.bulk" and "cp.async.bulk.tensor").
#pragma once
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace lufact::gpu {

// Whether the code is compiled for cards that have the unit: on others nothing here does anything,
// and none of it may be called.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define LUFACT_COPY_UNIT 1
#endif
#ifdef LUFACT_COPY_UNIT
inline constexpr bool has_copy_unit = true;
#else
inline constexpr bool has_copy_unit = false;
#endif

// Phases follow each other; each ends with a fixed number of arrivals and, where some announced
// bytes, with these bytes. A wait names the parity of a phase: that of the current one, which it
// waits for, or that of the one before, which is over.
class CopyBarrier {
 public:
  // By one thread, which lets the copy unit and the others know by publish_barriers() and a barrier
  // of the block.
  __device__ void init(int arrivals) {
#ifdef LUFACT_COPY_UNIT
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address()), "r"(arrivals)
                 : "memory");
#endif
  }
  // What the thread did before is done for whoever waits.
  __device__ void arrive() {
#ifdef LUFACT_COPY_UNIT
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address()) : "memory");
#endif
  }
  __device__ void arrive_and_expect(int bytes) {
#ifdef LUFACT_COPY_UNIT
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address()),
                 "r"(bytes)
                 : "memory");
#endif
  }
  __device__ void wait(unsigned parity) {
#ifdef LUFACT_COPY_UNIT
    unsigned done = 0;
    do {
      asm volatile(
          "{\n\t.reg .pred p;\n\t"
          "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
          "selp.u32 %0, 1, 0, p;\n\t}"
          : "=r"(done)
          : "r"(address()), "r"(parity)
          : "memory");
    } while (done == 0);
#endif
  }
  // Whether the phase is over, without waiting for it.
  __device__ bool is_over(unsigned parity) const {
    unsigned over = 0;
#ifdef LUFACT_COPY_UNIT
    asm volatile(
        "{\n\t.reg .pred p;\n\t"
        "mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
        "selp.u32 %0, 1, 0, p;\n\t}"
        : "=r"(over)
        : "r"(address()), "r"(parity)
        : "memory");
#endif
    return over != 0;
  }
  // By one thread, when nobody waits or arrives any more; init() may follow.
  __device__ void close() {
#ifdef LUFACT_COPY_UNIT
    asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(address()) : "memory");
#endif
  }
  __device__ unsigned address() const {
    return static_cast<unsigned>(__cvta_generic_to_shared(&state_));
  }

 private:
  std::uint64_t state_;
};

// True in one lane of the warp, all of which must call it. The compiler knows that it is one, as
// the copy unit's instructions need it, and does not loop over lanes.
__device__ inline bool is_elected() {
  unsigned elected = 0;
#ifdef LUFACT_COPY_UNIT
  asm volatile(
      "{\n\t.reg .pred p;\n\t"
      "elect.sync _|p, 0xffffffff;\n\t"
      "selp.u32 %0, 1, 0, p;\n\t}"
      : "=r"(elected));
#endif
  return elected != 0;
}

__device__ inline void publish_barriers() {
#ifdef LUFACT_COPY_UNIT
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
}

// What the thread has written to shared memory or acquired is so for copies that it starts later
// from global to shared memory. Both kinds of memory at once would wait as a fence of the device.
__device__ inline void order_copies() {
#ifdef LUFACT_COPY_UNIT
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  asm volatile("fence.proxy.async.global;" ::: "memory");
#endif
}

// Copies `bytes`, a multiple of 16, as both places are; they count for the barrier's phase. By one
// thread.
__device__ inline void copy_bytes(void* shared, const void* global, int bytes,
                                  const CopyBarrier& barrier) {
#ifdef LUFACT_COPY_UNIT
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(static_cast<unsigned>(__cvta_generic_to_shared(shared))),
      "l"(global), "r"(bytes), "r"(barrier.address())
      : "memory");
#endif
}

// What the thread has written to shared memory is so for copies out of it that are started behind
// the next barrier.
__device__ inline void order_copies_out() {
#ifdef LUFACT_COPY_UNIT
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}
// As copy_bytes(), from shared to global memory. By one thread, which has to wait for it.
__device__ inline void copy_bytes_out(void* global, const void* shared, int bytes) {
#ifdef LUFACT_COPY_UNIT
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(global),
               "r"(static_cast<unsigned>(__cvta_generic_to_shared(shared))), "r"(bytes)
               : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
#endif
}
// Until shared memory that the thread's copies read may be written again.
__device__ inline void wait_for_copies_out_to_read() {
#ifdef LUFACT_COPY_UNIT
  asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
#endif
}
// Until what they write is there for the thread.
__device__ inline void wait_for_copies_out() {
#ifdef LUFACT_COPY_UNIT
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
#endif
}

// Copies the box of `map` whose first entry is (row, column), zeros where it is beyond the matrix;
// all its bytes count for the barrier's phase. By one thread.
__device__ inline void copy_box(void* shared, const CUtensorMap& map, int row, int column,
                                const CopyBarrier& barrier) {
#ifdef LUFACT_COPY_UNIT
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%2, %3}], [%4];" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(shared))),
      "l"(&map), "r"(row), "r"(column), "r"(barrier.address())
      : "memory");
#endif
}

}  // namespace lufact::gpu
