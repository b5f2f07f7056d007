// SPDX-License-Identifier: BSD-3-Clause
// Triangular systems with few right-hand sides in one kernel: a block of threads takes 64 rows, and
// waits for the blocks before it alone, whose solutions it multiplies with as they come.
#pragma once
#include <cuda_runtime_api.h>

#include "core/base/types.hpp"
#include "gpu/dense/ours/block_rows.hpp"

namespace lufact::gpu::blocked {

inline constexpr Index most_chain_columns = 8;  // more are solved by blocks and products
inline constexpr int chain_words = 1 + most_chain_columns;

template <class T>
struct ChainSystem {
  const T* triangle = nullptr;  // n x n
  Offset ld = 1;
  Index n = 0, columns = 0;   // columns at most most_chain_columns
  T* x = nullptr;             // columns one behind the other; right-hand sides, then solutions
  unsigned* words = nullptr;  // chain_words of no content, of one solution at a time
};

// Asynchronous. Every sum is taken in a fixed order.
template <class T>
void solve_in_chain(cudaStream_t stream, Triangle triangle, const ChainSystem<T>& system);

}  // namespace lufact::gpu::blocked
