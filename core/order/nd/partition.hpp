// SPDX-License-Identifier: BSD-3-Clause
// Partitions into a power of two of parts. The bits of a part's number, highest first, are its
// sides in a tree of bisections. A cut between two parts costs more the nearer to the root these
// split, since separators near the root are larger and are eliminated later.
#pragma once
#include <array>
#include <bit>

#include "core/order/graph/graph.hpp"

namespace lufact::nd {

// part[v] in [0, parts), or -1 for a vertex that belongs to none (a hub).
using Parts = Buffer<Index>;

struct Partition {
  Index parts = 1;
  Parts part;
  Buffer<char> near_cut;  // 0: no neighbour is in another part
};

// Cost of a cut edge, or of a separator vertex, between two parts: 1 for siblings, 1.5 times as
// much for each level further up.
class LevelCosts {
 public:
  LevelCosts() noexcept {
    cost_[0] = 0;
    cost_[1] = 1;
    for (std::size_t level = 2; level < cost_.size(); ++level) {
      cost_[level] = growth * cost_[level - 1];
    }
  }
  float between(Index a, Index b) const noexcept {
    return cost_[static_cast<std::size_t>(std::bit_width(static_cast<std::uint32_t>(a ^ b)))];
  }

 private:
  static constexpr float growth = 1.5f;
  std::array<float, 33> cost_;
};

// Recursive bisection, several attempts each on all threads, the best cut kept. Every vertex gets a
// part. `seed` picks the starts. For graphs of a few thousand vertices: O(attempts edges log edges)
// a level.
Partition initial_partition(const Graph& graph, Index parts, std::uint64_t seed, int threads);

// The partition of the fine graph in which every vertex has the part of its cluster.
Partition projected(const Partition& coarse, const Buffer<Index>& cluster_of, int threads);

struct RefinementRules {
  Index parts = 1;
  int rounds = 3;
  double imbalance = 1.4;  // largest part over average
};

// Synchronous rounds of moves to a neighbouring part: candidates are chosen by gain, a small loss
// included; then each candidate is judged again as if its better neighbours had moved (Gilbert,
// Madduri, Boman and Rajamanickam, "Jet: multilevel graph partitioning on GPUs", SIAM J. Sci.
// Comput. 46(5), 2024). Edges cost by level.
void refine(const Graph& graph, const RefinementRules& rules, Partition& partition, int threads);

}  // namespace lufact::nd
