// SPDX-License-Identifier: BSD-3-Clause
// Sending and receiving messages (panel_messages.hpp).
#pragma once
#include <cuda_runtime.h>

#include "core/base/types.hpp"
#include "gpu/dense/ours/panel_messages.hpp"
#include "gpu/runtime/launch.cuh"

namespace lufact::gpu::blocked {

__device__ inline Word stamped(unsigned data, unsigned stamp) {
  return static_cast<Word>(stamp) << 32 | data;
}
__device__ inline bool has_stamp(Word word, unsigned stamp) {
  return static_cast<unsigned>(word >> 32) == stamp;
}

// Relaxed accesses of single words, two at a time: what is not there yet is seen by its stamp.
__device__ inline void send(TwoWords* to, const TwoWords& words) {
  asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};" ::"l"(to), "l"(words.first),
               "l"(words.second)
               : "memory");
}
__device__ inline TwoWords look_at(const TwoWords* from) {
  TwoWords words;
  asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];"
               : "=l"(words.first), "=l"(words.second)
               : "l"(from)
               : "memory");
  return words;
}

__device__ inline bool has_stamp(const TwoWords& words, unsigned stamp) {
  return has_stamp(words.first, stamp) && has_stamp(words.second, stamp);
}

// A number of the row in two words; a float leaves the second one's data empty.
__device__ inline TwoWords pack(double value, unsigned stamp) {
  return {stamped(static_cast<unsigned>(__double2loint(value)), stamp),
          stamped(static_cast<unsigned>(__double2hiint(value)), stamp)};
}
__device__ inline TwoWords pack(float value, unsigned stamp) {
  return {stamped(__float_as_uint(value), stamp), stamped(0, stamp)};
}
__device__ inline void unpack(const TwoWords& words, double& value) {
  value = __hiloint2double(static_cast<int>(static_cast<unsigned>(words.second)),
                           static_cast<int>(static_cast<unsigned>(words.first)));
}
__device__ inline void unpack(const TwoWords& words, float& value) {
  value = __uint_as_float(static_cast<unsigned>(words.first));
}

// The same among the blocks of a cluster: to a message in another block's shared memory, and from
// one in the block's own.
__device__ inline void send_to_block(TwoWords* own_place, unsigned block, const TwoWords& words) {
#if __CUDA_ARCH__ >= 900
  const auto place = static_cast<unsigned>(__cvta_generic_to_shared(own_place));
  unsigned there;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(place), "r"(block));
  asm volatile("st.relaxed.cluster.shared::cluster.v2.u64 [%0], {%1, %2};" ::"r"(there),
               "l"(words.first), "l"(words.second)
               : "memory");
#else
  __trap();
#endif
}
__device__ inline TwoWords look_at_own(const TwoWords* from) {
  TwoWords words{};
#if __CUDA_ARCH__ >= 900
  const auto place = static_cast<unsigned>(__cvta_generic_to_shared(from));
  asm volatile("ld.relaxed.cluster.shared::cta.v2.u64 {%0, %1}, [%2];"
               : "=l"(words.first), "=l"(words.second)
               : "r"(place)
               : "memory");
#else
  __trap();
#endif
  return words;
}

// Of all threads of the cluster; what they wrote before is visible to them behind it.
__device__ inline void cluster_barrier() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.release;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
#else
  __trap();
#endif
}

// What a lane of the sending warp puts into a message; the first lane has the places.
struct MessagePart {
  TwoWords places, entry;
  int lane;
  bool has_entry;
};

// Messages by way of global memory, among the blocks of a cooperative launch: written once, read by
// all.
class GridMail {
 public:
  static constexpr int most_blocks = most_panel_blocks;
  struct Memory {};

  __device__ GridMail(const Mailbox& mailbox, Memory&) : mailbox_(mailbox) {}

  __device__ void open() const {}
  __device__ void close() const {}
  __device__ unsigned stamp(Index step) const {
    return mailbox_.first_stamp + static_cast<unsigned>(step);
  }
  // By all threads of the block, of which one warp sends.
  __device__ void send(Index step, const MessagePart& part) const {
    if (threadIdx.x >= warp_size) return;
    PanelMessage* const to = message(step, blockIdx.x);
    if (part.lane == 0) gpu::blocked::send(&to->places, part.places);
    if (part.has_entry) gpu::blocked::send(to->entry + part.lane, part.entry);
  }
  __device__ TwoWords places(Index step, unsigned block) const {
    return look_at(&message(step, block)->places);
  }
  __device__ TwoWords entry(Index step, unsigned block, int lane) const {
    return look_at(message(step, block)->entry + lane);
  }

 private:
  __device__ PanelMessage* message(Index step, unsigned block) const {
    return mailbox_.message + stamp(step) % message_turns * most_panel_blocks + block;
  }

  const Mailbox& mailbox_;
};

// Messages among the blocks of one cluster: each block has all that it is sent in its own shared
// memory, where looking costs no way to the second-level cache.
class ClusterMail {
 public:
  static constexpr int most_blocks = most_cluster_blocks;
  struct Memory {
    PanelMessage message[message_turns][most_cluster_blocks];
  };

  __device__ ClusterMail(const Mailbox&, Memory& memory) : memory_(memory) {}

  // Nobody sends before all have cleared their memory, nobody ends while others may send.
  __device__ void open() const {
    auto* const word = reinterpret_cast<Word*>(&memory_);
    constexpr unsigned words = sizeof(Memory) / sizeof(Word);
    for (unsigned w = threadIdx.x; w < words; w += blockDim.x) word[w] = 0;
    cluster_barrier();
  }
  __device__ void close() const { cluster_barrier(); }
  __device__ unsigned stamp(Index step) const { return static_cast<unsigned>(step) + 1; }
  // By all threads of the block: each warp sends to other blocks.
  __device__ void send(Index step, const MessagePart& part) const {
    PanelMessage& to = memory_.message[step % message_turns][blockIdx.x];
    for (unsigned block = threadIdx.x / warp_size; block < gridDim.x;
         block += blockDim.x / warp_size) {
      if (part.lane == 0) send_to_block(&to.places, block, part.places);
      if (part.has_entry) send_to_block(to.entry + part.lane, block, part.entry);
    }
  }
  __device__ TwoWords places(Index step, unsigned block) const {
    return look_at_own(&memory_.message[step % message_turns][block].places);
  }
  __device__ TwoWords entry(Index step, unsigned block, int lane) const {
    return look_at_own(memory_.message[step % message_turns][block].entry + lane);
  }

 private:
  Memory& memory_;
};

}  // namespace lufact::gpu::blocked
