// SPDX-License-Identifier: BSD-3-Clause
#include <stdexcept>

#include "gpu/components/scan.hpp"
#include "gpu/gsofa/chunk_records.hpp"
#include "gpu/gsofa/lead_chunk.cuh"
#include "gpu/runtime/launch.cuh"

namespace lufact::gpu {
namespace {

constexpr int block_threads = 128;
constexpr int block_warps = block_threads / warp_size;

// Records side by side: a word with the entries of U, then the bits.
struct RecordsRef {
  ChunkRecordWord* words = nullptr;
  Index stride = 0;  // words of a record
  Index chunk_size = 1;

  __device__ Index& upper(Offset k) const { return reinterpret_cast<Index&>(words[k * stride]); }
  __device__ ChunkRecordWord* bits(Offset k) const { return words + k * stride + 1; }
  __device__ bool has(Offset k, Index, Index column) const {
    const Index bit = column % chunk_size;
    return (bits(k)[bit / 32] >> (bit % 32) & 1) != 0;
  }
};

RecordsRef records_ref(const Buffer<ChunkRecordWord>& records, const GsofaRows& rows) {
  return {const_cast<ChunkRecordWord*>(records.data()),
          static_cast<Index>(chunk_record_words(rows)), rows.chunk_size};
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

// A block for each chunk of the node.
__global__ void __launch_bounds__(block_threads)
    lead_chunks(GsofaRows node_rows, RecordsRef records, Offset* starts) {
  const Offset position = static_cast<Offset>(blockIdx.x) * node_rows.chunk_size;
  lead_chunk<block_threads>(node_rows, records, position, starts);
}

__global__ void add_to_starts(Offset* starts, const Offset* more, Offset count) {
  const Offset row = static_cast<Offset>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row < count) starts[row] += more[row];
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

void add_starts(DeviceSession& session, const Buffer<Offset>& more, Buffer<Offset>& starts) {
  launch(session, {ceil_div(starts.size(), block_threads), block_threads}, add_to_starts,
         starts.data(), more.data(), starts.size());
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
