// SPDX-License-Identifier: BSD-3-Clause
// What the lanes of a warp do together. Kernels take it as a type, `Lanes`, so that the same code
// runs on the device and, with lanes that take turns, in tests on the host.
#pragma once
#include <cstdint>

#include "core/base/types.hpp"
#include "gpu/batch/ours/shared_sizes.hpp"

#ifdef __CUDACC__
#define LUFACT_LANE __device__ __forceinline__
#define LUFACT_UNROLL _Pragma("unroll")
#define LUFACT_ROLL _Pragma("unroll 1")
#else
#define LUFACT_LANE inline
#define LUFACT_UNROLL
#define LUFACT_ROLL
#endif

namespace lufact::gpu::ours {

// The highest set bit of `bits`, which is not 0: one instruction, the lowest would be three.
LUFACT_LANE int highest_bit(unsigned bits) {
#ifdef __CUDA_ARCH__
  return 31 - __clz(static_cast<int>(bits));
#else
  return 31 - __builtin_clz(bits);
#endif
}

}  // namespace lufact::gpu::ours

#ifdef __CUDACC__
namespace lufact::gpu::ours {

// Blocks are of 32 x W threads: a warp a row, each working by itself. Every function must be called
// by all lanes of a warp, unless it says otherwise; groups are G neighbouring lanes.
struct DeviceLanes {
  static LUFACT_LANE int lane() { return static_cast<int>(threadIdx.x); }
  // A shuffle from a fixed lane, so that the compiler knows it to be the same in all of them, and
  // every branch on it not to part them.
  static LUFACT_LANE int warp() { return __shfl_sync(all, static_cast<int>(threadIdx.y), 0); }
  // Among all warps of the launch; a grid may have two dimensions.
  static LUFACT_LANE Offset warp_of_launch() {
    const Offset block = blockIdx.x + static_cast<Offset>(blockIdx.y) * gridDim.x;
    return block * blockDim.y + warp();
  }

  static LUFACT_LANE void sync() { __syncwarp(); }
  static LUFACT_LANE unsigned ballot(bool value) { return __ballot_sync(all, value); }
  static LUFACT_LANE bool any(bool value) { return __any_sync(all, value); }

  // The value of lane `from` of the own group; `from` counts in the group or in the warp.
  template <int G, class T>
  static LUFACT_LANE T shuffle(T value, int from) {
    return __shfl_sync(all, value, from, G);
  }

  // The largest over the own group. A reduction instruction serves a whole warp; two of them are
  // quicker than four dependent shuffles, more are not.
  template <int G, class T>
  static LUFACT_LANE T largest(T value) {
    if constexpr (G == 32) {
      return __reduce_max_sync(all, value);
    } else if constexpr (G == 16) {
      const bool low = lane() < 16;
      constexpr T least = T(-1) < T(0) ? T(-1) : T(0);
      const T first = __reduce_max_sync(all, low ? value : least);
      const T second = __reduce_max_sync(all, low ? least : value);
      return low ? first : second;
    } else {
      LUFACT_UNROLL
      for (int distance = G / 2; distance > 0; distance /= 2) {
        const T other = __shfl_xor_sync(all, value, distance);
        value = value < other ? other : value;
      }
      return value;
    }
  }

  // An address that is known to be of global memory.
  template <class T>
  static LUFACT_LANE T* global(T* address) {
    return static_cast<T*>(__cvta_global_to_generic(__cvta_generic_to_global(address)));
  }
  // `value`, of which the compiler takes nothing for known: what follows from it is computed where
  // it is used, in every turn of a loop, instead of being held in registers.
  static LUFACT_LANE int computed_anew(int value) {
    asm volatile("" : "+r"(value));
    return value;
  }

  // --- bulk copies; addresses and bytes are multiples of 16 ---

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
  // Devices before Hopper have no unit for them: the lane copies, and sync() after wait() shows
  // what it copied to the others.
  static LUFACT_LANE void init_barrier(std::uint64_t*, int) {}
  static LUFACT_LANE void bulk_load(void* shared, const void* global, int bytes, std::uint64_t*) {
    copy(shared, global, bytes);
  }
  static LUFACT_LANE void wait(std::uint64_t*) {}
  static LUFACT_LANE void before_bulk_store() {}
  static LUFACT_LANE void bulk_store(void* global, const void* shared, int bytes) {
    copy(global, shared, bytes);
  }
#else
  static LUFACT_LANE std::uint32_t shared_address(const void* shared) {
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
  }
  // By one lane, before sync() and its first use.
  static LUFACT_LANE void init_barrier(std::uint64_t* barrier, int arrivals) {
    asm volatile(
        "mbarrier.init.shared.b64 [%0], %1;\n\t"
        "fence.mbarrier_init.release.cluster;" ::"r"(shared_address(barrier)),
        "r"(arrivals)
        : "memory");
  }
  // One arrival, which stands for `bytes` from global to shared memory. By one lane.
  static LUFACT_LANE void bulk_load(void* shared, const void* global, int bytes,
                                    std::uint64_t* barrier) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
                 "r"(bytes)
                 : "memory");
    if (bytes == 0) return;
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
            "r"(shared_address(shared)),
        "l"(global), "r"(bytes), "r"(shared_address(barrier))
        : "memory");
  }
  // Until all arrivals of the barrier's first phase are there.
  static LUFACT_LANE void wait(std::uint64_t* barrier) {
    std::uint32_t done = 0;
    while (done == 0) {
      asm volatile(
          "{\n\t.reg .pred p;\n\t"
          "mbarrier.try_wait.parity.shared.b64 p, [%1], 0;\n\t"
          "selp.u32 %0, 1, 0, p;\n\t}"
          : "=r"(done)
          : "r"(shared_address(barrier))
          : "memory");
    }
  }
  // Makes what this lane wrote to shared memory visible to bulk copies.
  static LUFACT_LANE void before_bulk_store() {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }
  // Returns when shared memory may be written again. By one lane.
  static LUFACT_LANE void bulk_store(void* global, const void* shared, int bytes) {
    if (bytes == 0) return;
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(global),
                 "r"(shared_address(shared)), "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
  }
#endif

 private:
  static LUFACT_LANE void copy(void* to, const void* from, int bytes) {
    LUFACT_ROLL
    for (int v = 0; v < bytes / static_cast<int>(sizeof(int4)); ++v) {
      static_cast<int4*>(to)[v] = static_cast<const int4*>(from)[v];
    }
  }

  static constexpr unsigned all = 0xffffffffU;
};

}  // namespace lufact::gpu::ours
#endif
