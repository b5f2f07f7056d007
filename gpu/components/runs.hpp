// SPDX-License-Identifier: BSD-3-Clause
// Runs of items that belong together, cut into pieces of limited length.
#pragma once
#include "gpu/runtime/buffer.hpp"

namespace lufact::gpu {

struct RunPieces {
  Buffer<Index> piece_of;  // of each item
  Buffer<Index> first;     // `count` + 1 places, of which pieces + 1 are used: items of each piece
};

// Item i continues the run of item i - 1 where joined[i] is 1 (joined[0] is 0). A run is cut from
// its start on into pieces of at most `most` items. `role` is that of the results; the number of
// pieces is piece_of[count - 1] + 1. Deterministic.
RunPieces cut_runs(DeviceSession& session, MemoryRole role, const Buffer<Index>& joined,
                   Index most);

}  // namespace lufact::gpu
