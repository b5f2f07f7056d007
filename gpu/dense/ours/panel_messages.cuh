// SPDX-License-Identifier: BSD-3-Clause
// Sending and receiving messages (panel_messages.hpp).
#pragma once
#include <cuda_runtime.h>

#include "gpu/dense/ours/panel_messages.hpp"

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

}  // namespace lufact::gpu::blocked
