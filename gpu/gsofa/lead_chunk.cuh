// SPDX-License-Identifier: BSD-3-Clause
// The supernodes of one chunk by a block of threads, in the two phases of GSoFa's Fig. 8.
#pragma once
#include "core/distribution/gsofa_schedule.hpp"

namespace lufact::gpu {

inline constexpr Index largest_chunk = 1024;
inline constexpr int largest_chunk_words = largest_chunk / 32;

// starts[row] = 1 for the rows that lead a supernode, else 0, for the chunk of the node's rows that
// begins at `position`. Of the row at a position, Records has
//   upper(position): its entries of U, diagonal counted
//   has(position, row, column): whether L(row, column) is there, row being the one at the position
//     and column one of its chunk before it
template <int block_threads, class Records>
__device__ void lead_chunk(const GsofaRows& node_rows, const Records& records, Offset position,
                           Offset* starts) {
  __shared__ unsigned shrinks[largest_chunk_words];  // rows with one entry of U less than before
  __shared__ Index leaders[largest_chunk];
  __shared__ int count;
  const auto first = static_cast<Index>(node_rows.row(position));
  const Index rows = node_rows.chunk_end(first) - first;
  const int thread = static_cast<int>(threadIdx.x);
  if (thread == 0) count = 0;
  for (int w = thread; w < largest_chunk_words; w += block_threads) shrinks[w] = 0;
  __syncthreads();
  for (Index k = thread; k < rows; k += block_threads) {
    if (k > 0 && records.upper(position + k) == records.upper(position + k - 1) - 1) {
      atomicOr(&shrinks[k / 32], 1u << (k % 32));
    } else {
      leaders[atomicAdd(&count, 1)] = k;
    }
    starts[first + k] = 0;
  }
  __syncthreads();
  for (int l = thread; l < count; l += block_threads) {
    Index leader = leaders[l];
    starts[first + leader] = 1;
    for (Index k = leader + 1; k < rows && (shrinks[k / 32] >> (k % 32) & 1) != 0; ++k) {
      if (records.has(position + k, first + k, first + leader)) continue;
      leader = k;
      starts[first + leader] = 1;
    }
  }
}

}  // namespace lufact::gpu
