// SPDX-License-Identifier: BSD-3-Clause
// The elimination forest of B + B' and the edges of its graph.
#pragma once
#include "gpu/matrix/device_products.hpp"

namespace lufact::gpu {

// Ancestors of a vertex 1, 8, 64, ... 8^5 steps up, n where there is none; two places are unused.
struct alignas(32) Jumps {
  static constexpr int levels = 6, factor = 8;
  Index to[8];
};

struct ForestFacts {
  Offset edges = 0;      // of the graph of B + B'
  Offset one_sided = 0;  // entries of B without a mirror image: none in a symmetric pattern
  // Vertices v whose parent is not an ancestor of v + 1: none where the labels are a postorder.
  Offset crossings = 0;
  Offset pending = 0;  // edges that needed further rounds
};

struct EdgePair {
  Index low = -1, high = -1;
};

// Work arrays and results, for kernels.
struct ForestArrays {
  static constexpr int counters = 3;

  Index* parent = nullptr;  // n + 1; n: a root
  // Row of each entry of B; ~row for entries that are no edge of the graph: those of the diagonal,
  // and those right of it whose mirror image is an entry.
  Index* row_of = nullptr;
  Jumps* jumps = nullptr;       // n + 1
  EdgePair* pending = nullptr;  // edges that go on in the next round
  Offset most_pending = 0;
  // Zeros before the first barrier:
  Index* open = nullptr;  // counters of pending edges, by round
  ForestFacts* facts = nullptr;
};

}  // namespace lufact::gpu
