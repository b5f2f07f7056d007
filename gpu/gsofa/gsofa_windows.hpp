// SPDX-License-Identifier: BSD-3-Clause
// Value windows of maxId (GSoFa section 4): a source writes values below all those that earlier
// sources of the slot wrote, so that what they left reads as "not reached". Without CUDA.
#pragma once
#include <cstdint>

#include "core/base/host_device.hpp"
#include "core/base/types.hpp"

namespace lufact::gpu {

using MaxIdWord = std::uint32_t;

// One window. A vertex v is kept as bottom + v, 0 <= v < n; anything from bottom + n on is not
// reached yet, be it `top` of a fresh array or a value of an earlier window.
struct GsofaWindow {
  MaxIdWord bottom = 0;
  Index n = 0;

  LUFACT_HOST_DEVICE constexpr MaxIdWord encode(Index vertex) const {
    return bottom + static_cast<MaxIdWord>(vertex);
  }
  LUFACT_HOST_DEVICE constexpr bool reached(MaxIdWord word) const {
    return word - bottom < static_cast<MaxIdWord>(n);
  }
  LUFACT_HOST_DEVICE constexpr Index decode(MaxIdWord word) const {  // of a reached vertex
    return static_cast<Index>(word - bottom);
  }
};

// All windows of an array, from the top down.
struct GsofaWindows {
  Index n = 1;
  MaxIdWord top = 0xffffffffU;  // what a fresh array holds; smaller in tests; at least n

  // Sources of a slot between two initialisations: floor(top / n).
  LUFACT_HOST_DEVICE constexpr Offset count() const { return top / static_cast<MaxIdWord>(n); }
  LUFACT_HOST_DEVICE constexpr GsofaWindow window(Offset k) const {  // k < count()
    return {static_cast<MaxIdWord>(top - static_cast<std::uint64_t>(k + 1) *
                                             static_cast<std::uint64_t>(n)),
            n};
  }
};

}  // namespace lufact::gpu
