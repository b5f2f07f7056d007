// SPDX-License-Identifier: BSD-3-Clause
#include <stdexcept>

#include "gpu/components/scan.hpp"
#include "gpu/gsofa/chunk_records.hpp"
#include "gpu/runtime/launch.cuh"

namespace lufact::gpu {
namespace {

constexpr int block_threads = 128;
constexpr int block_warps = block_threads / warp_size;
constexpr Index largest_chunk = 1024;
constexpr int largest_chunk_words = largest_chunk / 32;

// Records side by side: a word with the entries of U, then the bits.
struct RecordsRef {
  ChunkRecordWord* words = nullptr;
  Index stride = 0;  // words of a record

  __device__ Index& upper(Offset k) const { return reinterpret_cast<Index&>(words[k * stride]); }
  __device__ ChunkRecordWord* bits(Offset k) const { return words + k * stride + 1; }
};

RecordsRef records_ref(const Buffer<ChunkRecordWord>& records, const GsofaRows& rows) {
  return {const_cast<ChunkRecordWord*>(records.data()),
          static_cast<Index>(chunk_record_words(rows))};
}

// A warp for each row. The entries of its chunk stand just before the diagonal.
__global__ void __launch_bounds__(block_threads)
    collect_rows(PatternRef pattern, const Offset* diagonal, GsofaShare share, RecordsRef records) {
  __shared__ ChunkRecordWord found[block_warps][largest_chunk_words];
  const int warp = static_cast<int>(threadIdx.x) / warp_size;
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const Offset place = static_cast<Offset>(blockIdx.x) * block_warps + warp;
  if (place >= pattern.n) return;
  const Index row = share.row(place);
  found[warp][lane] = 0;
  __syncwarp();
  const Index first = share.rows.chunk_begin(row);
  const Offset begin = pattern.row_ptr[place], end = diagonal[place];
  const Offset lowest = end - begin < row - first ? begin : end - (row - first);
  for (Offset p = lowest + lane; p < end; p += warp_size) {
    const Index k = pattern.col_idx[p] - first;
    if (k >= 0) atomicOr(&found[warp][k / 32], 1u << (k % 32));
  }
  __syncwarp();
  if (lane < share.rows.chunk_bit_words()) records.bits(place)[lane] = found[warp][lane];
  if (lane == 0) records.upper(place) = static_cast<Index>(pattern.row_ptr[place + 1] - end);
}

__global__ void move_records(GsofaShare share, Offset count, const ChunkRecordWord* from,
                             GsofaRows node_rows, RecordsRef to) {
  const Offset unit = static_cast<Offset>(blockIdx.x) * blockDim.x + threadIdx.x;
  const Offset place = unit / to.stride;
  if (place >= count) return;
  const Offset position = node_rows.position(share.row(place));
  to.words[position * to.stride + unit % to.stride] = from[unit];
}

// A block for each chunk of the node, in the two phases of Fig. 8.
__global__ void __launch_bounds__(block_threads)
    lead_chunks(GsofaRows node_rows, RecordsRef records, Offset* starts) {
  __shared__ unsigned shrinks[largest_chunk_words];  // rows with one entry of U less than before
  __shared__ Index leaders[largest_chunk];
  __shared__ int count;
  const Offset position = static_cast<Offset>(blockIdx.x) * node_rows.chunk_size;
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
      if ((records.bits(position + k)[leader / 32] >> (leader % 32) & 1) != 0) continue;
      leader = k;
      starts[first + leader] = 1;
    }
  }
}

// place[row] supernodes start before a row; place[n] is their number.
__global__ void write_supernodes(const Offset* place, Offset n, Index* supernodes) {
  const Offset row = static_cast<Offset>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row > n) return;
  if (row == n || place[row + 1] > place[row]) supernodes[place[row]] = static_cast<Index>(row);
}

}  // namespace

Offset chunk_record_words(const GsofaRows& rows) {
  if (rows.chunk_size < 1 || rows.chunk_size > largest_chunk) {
    throw std::invalid_argument("supernodes take chunks of 1 to 1024 rows");
  }
  return 1 + Offset{rows.chunk_bit_words()};
}

Buffer<ChunkRecordWord> make_chunk_records(DeviceSession& session, const GsofaRows& node_rows) {
  return {session, MemoryRole::scratch, node_rows.positions() * chunk_record_words(node_rows),
          "the counts and chunk bits of a node"};
}

Buffer<Offset> make_starts(DeviceSession& session, Index n) {
  Buffer<Offset> starts(session, MemoryRole::scratch, Offset{n} + 1, "the starts of supernodes");
  starts.fill_bytes(0);
  return starts;
}

Buffer<ChunkRecordWord> collect_chunk_records(DeviceSession& session,
                                              const DeviceColumnPattern& found,
                                              const GsofaShare& share) {
  Buffer<ChunkRecordWord> records(session, MemoryRole::scratch,
                                  found.n * chunk_record_words(share.rows),
                                  "the counts and chunk bits of each row");
  launch(session, {ceil_div(found.n, block_warps), block_threads}, collect_rows, found.pattern(),
         found.diagonal.data(), share, records_ref(records, share.rows));
  return records;
}

void place_chunk_records(DeviceSession& session, const GsofaShare& share,
                         const ChunkRecordWord* of_share, const GsofaRows& node_rows,
                         Buffer<ChunkRecordWord>& records) {
  const Offset words = share.count() * chunk_record_words(node_rows);
  launch(session, {ceil_div(words, block_threads), block_threads}, move_records, share,
         share.count(), of_share, node_rows, records_ref(records, node_rows));
}

void find_leaders(DeviceSession& session, const GsofaRows& node_rows,
                  const Buffer<ChunkRecordWord>& records, Buffer<Offset>& starts) {
  launch(session, {node_rows.own_chunks(), block_threads}, lead_chunks, node_rows,
         records_ref(records, node_rows), starts.data());
}

Buffer<Index> supernodes_of_starts(DeviceSession& session, Buffer<Offset>& starts) {
  const Offset n = starts.size() - 1;
  exclusive_scan_in_place(session, starts.data(), starts.size());
  const Offset count = read_value(session, starts.data() + n);
  Buffer<Index> supernodes(session, MemoryRole::resident, count + 1, "the supernodes");
  launch(session, {ceil_div(n + 1, block_threads), block_threads}, write_supernodes, starts.data(),
         n, supernodes.data());
  return supernodes;
}

}  // namespace lufact::gpu
