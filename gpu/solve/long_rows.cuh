// SPDX-License-Identifier: BSD-3-Clause
// Products of rows with many entries, each by the warps of a thread block. Such rows often are
// neighbours, since they are eliminated last. All of them are cut into pieces, which the warps of
// the block share, so that neither a few rows of a thousand entries nor one of a hundred thousand
// (the supply net of a circuit) leaves most of the block idle.
#pragma once
#include <cub/block/block_scan.cuh>

#include "gpu/solve/row_tile.cuh"

namespace lufact::gpu {

// In shared memory. Each thread of the block has one row at most. All threads call every member; a
// barrier ends each call.
template <int kThreads, int columns>
class LongRows {
 public:
  static constexpr int piece_entries = 384;

  // Takes entries [begin, end) as this thread's row; begin == end: no row.
  __device__ void set(Offset begin, Offset end) {
    int before, pieces;
    Scan(scan_).ExclusiveSum(static_cast<int>(ceil_div(end - begin, piece_entries)), before,
                             pieces);
    begin_[threadIdx.x] = begin;
    end_[threadIdx.x] = end;
    first_piece_[threadIdx.x] = before;
    if (threadIdx.x == 0) first_piece_[kThreads] = pieces;
    __syncthreads();
  }

  // The sums of this thread's row, 0 where it has none. The order depends on the row's length
  // alone: inside a piece that of a warp, then piece by piece.
  __device__ RowSums<columns> sum(const Operands<columns>& of) {
    const int first = first_piece_[threadIdx.x], end = first_piece_[threadIdx.x + 1];
    RowSums<columns> total = {};
    for (int done = 0; done < first_piece_[kThreads]; done += kThreads) {
      add_pieces(of, done);
      __syncthreads();
      for (int p = max(first, done); p < min(end, done + kThreads); ++p) {
        total += of_piece_[p - done];
      }
      __syncthreads();
    }
    return total;
  }

 private:
  using Scan = cub::BlockScan<int, kThreads>;
  static constexpr int batch = 6;  // entries that a thread loads at a time
  static_assert(piece_entries % (batch * warp_size) == 0);

  // Sums the pieces from number `done` on, as many as the block has threads, one warp a piece. The
  // last warp has the first: with few tiles in all the first warps alone have sums of short rows,
  // and come later.
  __device__ void add_pieces(const Operands<columns>& of, int done) {
    constexpr int warps = kThreads / warp_size;
    const int pieces = min(first_piece_[kThreads] - done, kThreads);
    const int warp = static_cast<int>(threadIdx.x) / warp_size;
    for (int p = warps - 1 - warp; p < pieces; p += warps) {
      const RowSums<columns> sum = piece_sum(of, done + p);
      if (threadIdx.x % warp_size == 0) of_piece_[p] = sum;
    }
  }

  // By a whole warp.
  __device__ RowSums<columns> piece_sum(const Operands<columns>& of, int piece) const {
    const int row = row_of(piece);
    const Offset begin =
        begin_[row] + static_cast<Offset>(piece - first_piece_[row]) * piece_entries;
    const Offset left = end_[row] - begin;
    const int count = left < piece_entries ? static_cast<int>(left) : piece_entries;
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    RowSums<columns> sum = {};
#pragma unroll 1
    for (int done = lane; done < count; done += batch * warp_size) {
      Offset position[batch];
      bool real[batch];
#pragma unroll
      for (int k = 0; k < batch; ++k) {
        position[k] = begin + done + k * warp_size;
        real[k] = done + k * warp_size < count;
      }
      const Terms<batch, columns> terms(of, position, real);
#pragma unroll
      for (int k = 0; k < batch; ++k) {
        if (real[k]) terms.add_to(sum, k);
      }
    }
    __syncwarp();
#pragma unroll
    for (int c = 0; c < columns; ++c) {
      for (int distance = warp_size / 2; distance > 0; distance /= 2) {
        sum.of[c] += __shfl_xor_sync(full_warp, sum.of[c], distance);
      }
    }
    return sum;
  }

  // The last row whose first piece is `piece` or one before: rows without pieces come first among
  // equals. By a whole warp.
  __device__ int row_of(int piece) const {
    constexpr int rows = kThreads / warp_size;
    static_assert(rows <= warp_size);
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    const int first = (begins_by(piece, lane * rows, true) - 1) * rows;
    return first + begins_by(piece, first + lane, lane < rows) - 1;
  }
  // For how many lanes with a row the row's first piece is `piece` or one before.
  __device__ int begins_by(int piece, int row, bool has_row) const {
    return __popc(__ballot_sync(full_warp, has_row && first_piece_[row] <= piece));
  }

  typename Scan::TempStorage scan_;
  Offset begin_[kThreads], end_[kThreads];
  int first_piece_[kThreads + 1];  // of each row, then the number of all pieces
  RowSums<columns> of_piece_[kThreads];
};

}  // namespace lufact::gpu
