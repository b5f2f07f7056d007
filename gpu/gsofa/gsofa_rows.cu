// SPDX-License-Identifier: BSD-3-Clause
// The rows of a batch that has converged: a warp for each piece of a row that has entries.
#include "gpu/components/tag_scan.cuh"
#include "gpu/gsofa/gsofa_search.cuh"

namespace lufact::gpu {
namespace {

constexpr int block_threads = 256;
constexpr int block_warps = block_threads / warp_size;

struct PieceOfRow {
  Index low, high;  // vertices [low, high)
  Index count;      // entries of the row among them
  Offset begin;     // place of the first
};

// A bit for each of 32 vertices from `first`, a multiple of 32, on: below the source those at the
// bottom of the window are entries of the row, from the source on the bits tell.
__device__ unsigned merged_entries(const GsofaMarks& marks, Index lowest, Index first, int lane) {
  const Index vertex = first + lane;
  const unsigned below =
      __ballot_sync(full_warp, vertex >= lowest && vertex < marks.source &&
                                   MergedLayout::is_fill(DeviceAtomics(), marks, vertex));
  return first + warp_size > marks.source ? below | marks.fill[first / warp_size] : below;
}

__device__ void write_merged(const GsofaMarks& marks, Index lowest, const PieceOfRow& piece,
                             Index* out) {
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  Index written = 0;
  for (Index first = piece.low; first < piece.high && written < piece.count; first += warp_size) {
    const unsigned entries = merged_entries(marks, lowest, first, lane);
    if ((entries >> lane & 1) != 0) {
      out[written + __popc(entries & ((1u << lane) - 1))] = first + lane;
    }
    written += __popc(entries);
  }
}

__device__ void write_paper(const GsofaMarks& marks, const PieceOfRow& piece,
                            GroupStorage<warp_size>& storage, Index* out) {
  emit_tagged(ThreadGroup<warp_size>(storage), reinterpret_cast<const Index*>(marks.fill),
              static_cast<Index>(fill_tag(marks.source)), piece.low, piece.high, piece.count, out);
}

// The diagonal's place among the entries of its piece, which are ascending. By one thread.
__device__ Offset place_of(const Index* entries, Index count, Index source) {
  Index low = 0, high = count - 1;
  while (low < high) {
    const Index middle = low + (high - low) / 2;
    if (entries[middle] < source) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

template <class Layout>
__global__ void __launch_bounds__(block_threads)
    write_rows(const __grid_constant__ GsofaTask task, Index* col_idx, Offset* diagonal) {
  __shared__ GroupStorage<warp_size> storage[block_warps];
  const int warp = static_cast<int>(threadIdx.x) / warp_size;
  const Offset pieces = GsofaSlotWords::pieces(task.matrix.n);
  const Offset unit = static_cast<Offset>(blockIdx.x) * block_warps + warp;
  if (unit >= pieces * task.slots.count) return;
  const auto slot = static_cast<Index>(unit / pieces);
  const Offset number = unit % pieces;
  const std::uint32_t* const places = piece_counts(task, slot);
  const auto count = static_cast<Index>(places[number + 1] - places[number]);
  if (count == 0) return;
  const Index source = task.slots.row(slot);
  const auto low = static_cast<Index>(number * gsofa_piece);
  const PieceOfRow piece{low, min(task.matrix.n - low, gsofa_piece) + low, count,
                         task.row_ptr[task.place + slot] + places[number]};
  const GsofaMarks marks = marks_of(task, slot, source);
  Index* const out = col_idx + piece.begin;
  if constexpr (Layout::merged) {
    write_merged(marks, lowest_vertex(task, slot, source), piece, out);
  } else {
    write_paper(marks, piece, storage[warp], out);
  }
  __syncwarp();
  if (threadIdx.x % warp_size != 0 || source < piece.low || source >= piece.high) return;
  diagonal[task.place + slot] = piece.begin + place_of(out, count, source);
}

__global__ void find_first_columns(PatternRef matrix, Index* first) {
  const Offset row = static_cast<Offset>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row < matrix.n) first[row] = matrix.col_idx[matrix.row_ptr[row]];
}

}  // namespace

void launch_first_columns(DeviceSession& session, const PatternRef& matrix, Index* first) {
  launch(session, {ceil_div(matrix.n, block_threads), block_threads}, find_first_columns, matrix,
         first);
}

void launch_gsofa_rows(DeviceSession& session, const GsofaKernel& kernel, const GsofaTask& task,
                       Index* col_idx, Offset* diagonal) {
  const Offset pieces = GsofaSlotWords::pieces(task.matrix.n);
  const Offset blocks = ceil_div(pieces * task.slots.count, block_warps);
  launch(session, {blocks, block_threads},
         kernel.layout == GsofaLayout::merged ? write_rows<MergedLayout>
                                              : write_rows<PaperLayout<false>>,
         task, col_idx, diagonal);
}

}  // namespace lufact::gpu
