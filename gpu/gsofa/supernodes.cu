// SPDX-License-Identifier: BSD-3-Clause
#include <stdexcept>

#include "gpu/components/scan.hpp"
#include "gpu/components/thread_group.cuh"
#include "gpu/gsofa/gsofa_schedule.hpp"
#include "gpu/gsofa/supernodes.hpp"

namespace lufact::gpu {
namespace {

constexpr int block_threads = 128;
constexpr int block_warps = block_threads / warp_size;
constexpr Index largest_chunk = 1024;
constexpr int largest_chunk_words = largest_chunk / 32;

// What the detection needs of each row: entries of U, and which L(row, r) are there for the rows r
// of its chunk.
struct ChunkRows {
  GsofaRows rows;
  Index* upper = nullptr;
  unsigned* bits = nullptr;

  __device__ unsigned* bits_of(Index row) const {
    return bits + Offset{row} * rows.chunk_bit_words();
  }
  __device__ bool has_lower(Index row, Index column) const {
    const Index k = column - rows.chunk_begin(row);
    return (bits_of(row)[k / 32] >> (k % 32) & 1) != 0;
  }
};

// A warp for each row. The entries of its chunk stand just before the diagonal.
__global__ void __launch_bounds__(block_threads)
    collect_rows(PatternRef pattern, const Offset* diagonal, ChunkRows chunks) {
  __shared__ unsigned found[block_warps][largest_chunk_words];
  const int warp = static_cast<int>(threadIdx.x) / warp_size;
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const Offset number = static_cast<Offset>(blockIdx.x) * block_warps + warp;
  if (number >= pattern.n) return;
  const auto row = static_cast<Index>(number);
  const int words = chunks.rows.chunk_bit_words();
  found[warp][lane] = 0;
  __syncwarp();
  const Index first = chunks.rows.chunk_begin(row);
  const Offset begin = pattern.row_ptr[row], end = diagonal[row];
  const Offset lowest = end - begin < row - first ? begin : end - (row - first);
  for (Offset p = lowest + lane; p < end; p += warp_size) {
    const Index k = pattern.col_idx[p] - first;
    if (k >= 0) atomicOr(&found[warp][k / 32], 1u << (k % 32));
  }
  __syncwarp();
  if (lane < words) chunks.bits_of(row)[lane] = found[warp][lane];
  if (lane == 0) chunks.upper[row] = static_cast<Index>(pattern.row_ptr[row + 1] - end);
}

// A block for each chunk, in the two phases of Fig. 8. starts[row] = 1 for leaders, else 0.
__global__ void __launch_bounds__(block_threads) find_leaders(ChunkRows chunks, Offset* starts) {
  __shared__ unsigned shrinks[largest_chunk_words];  // rows with one entry of U less than before
  __shared__ Index leaders[largest_chunk];
  __shared__ int count;
  const auto first = static_cast<Index>(static_cast<Offset>(blockIdx.x) * chunks.rows.chunk_size);
  const Index rows = chunks.rows.chunk_end(first) - first;
  const int thread = static_cast<int>(threadIdx.x);
  if (thread == 0) count = 0;
  for (int w = thread; w < largest_chunk_words; w += block_threads) shrinks[w] = 0;
  __syncthreads();
  for (Index k = thread; k < rows; k += block_threads) {
    const Index row = first + k;
    if (k > 0 && chunks.upper[row] == chunks.upper[row - 1] - 1) {
      atomicOr(&shrinks[k / 32], 1u << (k % 32));
    } else {
      leaders[atomicAdd(&count, 1)] = row;
    }
    starts[row] = 0;
  }
  __syncthreads();
  for (int l = thread; l < count; l += block_threads) {
    Index leader = leaders[l];
    starts[leader] = 1;
    for (Index k = leader - first + 1; k < rows && (shrinks[k / 32] >> (k % 32) & 1) != 0; ++k) {
      if (chunks.has_lower(first + k, leader)) continue;
      leader = first + k;
      starts[leader] = 1;
    }
  }
}

// place[row] supernodes start before a row; place[n] is their number.
__global__ void write_supernodes(const Offset* place, Index n, Index* supernodes) {
  const Offset row = static_cast<Offset>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row > n) return;
  if (row == n || place[row + 1] > place[row]) supernodes[place[row]] = static_cast<Index>(row);
}

}  // namespace

Buffer<Index> find_t3_supernodes(DeviceSession& session, const DeviceColumnPattern& pattern,
                                 Index chunk_size) {
  if (chunk_size < 1 || chunk_size > largest_chunk) {
    throw std::invalid_argument("supernodes take chunks of 1 to 1024 rows");
  }
  const Index n = pattern.n;
  Buffer<Offset> starts(session, MemoryRole::scratch, Offset{n} + 1, "the starts of supernodes");
  starts.fill_bytes(0);
  {
    GsofaRows rows;
    rows.n = n;
    rows.chunk_size = chunk_size;
    Buffer<Index> upper(session, MemoryRole::scratch, n, "the entries of each row of U");
    Buffer<unsigned> bits(session, MemoryRole::scratch, Offset{n} * rows.chunk_bit_words(),
                          "the chunk bits");
    const ChunkRows chunks{rows, upper.data(), bits.data()};
    launch(session, {ceil_div(n, block_warps), block_threads}, collect_rows, pattern.pattern(),
           pattern.diagonal.data(), chunks);
    launch(session, {ceil_div(n, chunk_size), block_threads}, find_leaders, chunks, starts.data());
  }
  exclusive_scan_in_place(session, starts.data(), starts.size());
  const Offset count = read_value(session, starts.data() + n);
  Buffer<Index> supernodes(session, MemoryRole::resident, count + 1, "the supernodes");
  launch(session, {ceil_div(Offset{n} + 1, block_threads), block_threads}, write_supernodes,
         starts.data(), n, supernodes.data());
  return supernodes;
}

}  // namespace lufact::gpu
