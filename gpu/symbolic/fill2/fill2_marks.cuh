// SPDX-License-Identifier: BSD-3-Clause
// The marks of one row in flight: sets of vertices as bitmaps, with a summary that says which words
// are worth reading. One warp works on them.
#pragma once
#include "gpu/components/thread_group.cuh"

namespace lufact::gpu {

inline constexpr Index word_bits = 32;

// Bits [0, count) of a word, count >= 0.
__device__ inline unsigned low_bits(Index count) {
  return count >= word_bits ? ~0u : (1u << count) - 1;
}

__device__ inline unsigned lowest_bit(unsigned word) {
  return word & (~word + 1);
}

__device__ inline unsigned bit_of(Index v) {
  return 1u << v % word_bits;
}

__device__ inline bool has_bit(const unsigned* set, Index v) {
  return (set[v / word_bits] & bit_of(v)) != 0;
}

// All zero between rows.
struct RowMarks {
  unsigned* entries = nullptr;  // of the row that is searched for
  unsigned* passed = nullptr;   // vertices passed on the way to entries; null where there are none
  unsigned* pending = nullptr;  // subtrees that did not fit into the queue; likewise
  unsigned* summary = nullptr;  // bit w: word w of entries or passed has been written to
  Index words = 0;              // of each set; a multiple of 32

  // Sets bits of a word of entries or passed, and returns what it was before.
  __device__ unsigned set(unsigned* words_of_set, Index word, unsigned bits) const {
    const unsigned before = atomicOr(&words_of_set[word], bits);
    if (before == 0) atomicOr(&summary[word / word_bits], bit_of(word));
    return before;
  }

  __device__ bool is_marked(Index v) const { return has_bit(entries, v) || has_bit(passed, v); }

  // The first word of the summary from `from` on that is not zero, or -1.
  __device__ Index next_group(Index from) const {
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    const Index groups = words / word_bits;
    for (Index first = from; first < groups; first += warp_size) {
      const bool written = first + lane < groups && summary[first + lane] != 0;
      const unsigned found = __ballot_sync(full_warp, written);
      if (found != 0) return first + __ffs(found) - 1;
    }
    return -1;
  }

  __device__ Index count_entries() const {
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    Index count = 0;
    for (Index group = next_group(0); group >= 0; group = next_group(group + 1)) {
      if ((summary[group] >> lane & 1) != 0) count += __popc(entries[group * word_bits + lane]);
    }
    for (int distance = warp_size / 2; distance > 0; distance /= 2) {
      count += __shfl_xor_sync(full_warp, count, distance);
    }
    return count;
  }

  // Calls sink(k, v) for the k-th entry v, ascending, and clears entries, passed and the summary.
  // Returns the number of entries.
  template <class Sink>
  __device__ Index drain(Sink sink) const {
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    Index count = 0;
    for (Index group = next_group(0); group >= 0; group = next_group(group + 1)) {
      const Index word = group * word_bits + lane;
      const bool written = (summary[group] >> lane & 1) != 0;
      const unsigned bits = written ? entries[word] : 0;
      if (written) {
        entries[word] = 0;
        if (passed != nullptr) passed[word] = 0;
      }
      count = drain_group(group, bits, count, sink);
      __syncwarp();  // every lane has read the summary's word
      if (lane == 0) summary[group] = 0;
      __syncwarp();
    }
    return count;
  }

 private:
  // Takes the words of a group in turn, a bit a thread, so that neighbours write side by side.
  template <class Sink>
  __device__ Index drain_group(Index group, unsigned bits, Index count, Sink& sink) const {
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    for (unsigned busy = __ballot_sync(full_warp, bits != 0); busy != 0; busy &= busy - 1) {
      const int word = __ffs(busy) - 1;
      const unsigned here = __shfl_sync(full_warp, bits, word);
      if ((here >> lane & 1) != 0) {
        sink(count + __popc(here & low_bits(lane)), (group * word_bits + word) * word_bits + lane);
      }
      count += __popc(here);
    }
    return count;
  }
};

}  // namespace lufact::gpu
