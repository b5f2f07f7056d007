// SPDX-License-Identifier: BSD-3-Clause
// Surroundings of a vertex: nd::PartWeights and nd::LevelCosts for kernels.
#pragma once
#include "core/order/nd/partition.hpp"
#include "gpu/runtime/launch.cuh"

namespace lufact::gpu {

// The weights around one vertex by part, for the first `most` parts met.
template <int most>
class PartWeights {
 public:
  // False, and nothing added, where the part would be number most + 1.
  __device__ bool add(Index part, float weight) {
    int entry = 0;
    while (entry < count_ && part_[entry] != part) ++entry;
    if (entry == count_) {
      if (count_ == most) return false;
      ++count_;
      part_[entry] = part;
      weight_[entry] = 0;
    }
    weight_[entry] += weight;
    return true;
  }

  __device__ int count() const { return count_; }
  __device__ Index part(int k) const { return part_[k]; }
  __device__ float weight(int k) const { return weight_[k]; }

 private:
  Index part_[most];
  float weight_[most];
  int count_ = 0;
};

// Cost between parts a and b by the bit width of a ^ b, as nd::LevelCosts has it.
struct LevelCostTable {
  static constexpr int levels = 32;
  float cost[levels];
};

inline LevelCostTable level_cost_table() {
  const nd::LevelCosts costs;
  LevelCostTable table{};
  for (int level = 1; level < LevelCostTable::levels; ++level) {
    table.cost[level] = costs.between(0, static_cast<Index>(1u << (level - 1)));
  }
  return table;
}

// The table in shared memory, where lanes that differ in the level do not wait for each other.
class DeviceLevelCosts {
 public:
  // By all threads of the block; a barrier of the block.
  __device__ DeviceLevelCosts(float (&shared)[LevelCostTable::levels], const LevelCostTable& table)
      : cost_(shared) {
    for (int k = static_cast<int>(threadIdx.x); k < LevelCostTable::levels;
         k += static_cast<int>(blockDim.x)) {
      shared[k] = table.cost[k];
    }
    __syncthreads();
  }
  __device__ float between(Index a, Index b) const { return cost_[warp_size - __clz(a ^ b)]; }

 private:
  const float (&cost_)[LevelCostTable::levels];
};

}  // namespace lufact::gpu
