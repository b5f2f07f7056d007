// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/components/grid_scan.cuh"
#include "gpu/forest/panel_bits.cuh"
#include "gpu/symbolic/panels/panel_output.hpp"

namespace lufact::gpu {
namespace {

constexpr int threads = 256;

// One warp and one panel: lane c is its column and row c.
class PanelRows {
 public:
  __device__ PanelRows(const PanelArrays& panels, const SlotArrays& slots, Index panel)
      : diagonal_(panels.diagonal),
        slots_(slots),
        panel_(panel),
        first_(panels.first[panel]),
        width_(panels.first[panel + 1] - first_),
        lane_(static_cast<int>(threadIdx.x) % warp_size) {}

  // Turns the columns by which the row's subtree enters the panel into the block of L + L'.
  __device__ void close_diagonal() const {
    Word lower = 0;
    if (lane_ < width_) {
      const Word entered = diagonal_[first_ + lane_];
      lower = bit(lane_);
      if (entered != 0) lower |= bits_below(lane_) & ~bits_below(lowest_bit(entered));
    }
    const Word upper = transpose(lower, lane_);
    if (lane_ < width_) diagonal_[first_ + lane_] = lower | upper;
  }

  // Counts the entries of row first_ + lane of U beyond the panel.
  __device__ void count_beyond(Index* beyond) const {
    Index count = 0;
    const Index end = slots_.ptr[panel_ + 1];
    for (Index slot = slots_.ptr[panel_]; slot < end; slot += warp_size) {
      const Word upper = slot + lane_ < end ? slots_.upper[slot + lane_] : 0;
      count += __popc(transpose(upper, lane_));
    }
    if (lane_ < width_) beyond[first_ + lane_] = count;
  }

 private:
  Word* diagonal_;
  const SlotArrays& slots_;
  Index panel_, first_, width_;
  int lane_;
};

struct PatternTarget {
  Index n = 0;
  Offset* row_ptr = nullptr;
  Offset* diagonal = nullptr;
  Index* col_idx = nullptr;
};

__global__ void __launch_bounds__(grid_threads, grid_blocks_per_multiprocessor)
    count_rows_kernel(const __grid_constant__ PanelArrays panels, Index panel_count,
                      const __grid_constant__ SlotArrays slots,
                      const __grid_constant__ OutputArrays output,
                      const __grid_constant__ PatternTarget target, Offset* entries) {
  __shared__ GridScanStorage<Word> storage;
  __shared__ GridScanStorage<Offset> wide_storage;
  const Grid grid;
  grid.for_each_warp(panel_count, [&](Offset panel) {
    const PanelRows rows(panels, slots, static_cast<Index>(panel));
    if (slots.symmetric) rows.close_diagonal();
    rows.count_beyond(output.beyond);
  });
  grid_scan(
      grid, storage, output.partial_words, slots.count, Word{0}, Plus{},
      [&](Offset k) { return static_cast<Word>(__popc(slots.lower[slots.row_slot[k]])); },
      [&](Offset k, Word bits) { output.before[k + 1] = bits; });
  if (grid.rank() == 0) {
    output.before[0] = 0;
    target.row_ptr[0] = 0;
  }
  grid.sync();
  const auto inside = [&](Offset row) { return panels.diagonal[row]; };
  grid_scan(
      grid, wide_storage, output.partial, target.n, Offset{0}, Plus{},
      [&](Offset row) {
        const Word lower =
            output.before[slots.row_ptr[row + 1]] - output.before[slots.row_ptr[row]];
        return Offset{lower} + __popc(inside(row)) + output.beyond[row];
      },
      [&](Offset row, Offset end) {
        const int own = static_cast<int>(row) - panels.first[panels.of[row]];
        target.row_ptr[row + 1] = end;
        if (row == target.n - 1) *entries = end;
        target.diagonal[row] = end - output.beyond[row] - __popc(inside(row) & ~bits_below(own));
      });
}

// Entries of L left of the panel of their row: one warp and 32 slots in row order. Words with many
// bits are written by all lanes.
__device__ void write_left(const PanelArrays& panels, const SlotArrays& slots,
                           const OutputArrays& output, const PatternTarget& target, Offset begin,
                           int lane) {
  constexpr int many_bits = 4;
  const Offset k = begin + lane;
  Word word = 0;
  Index first = 0;
  Offset place = 0;
  if (k < slots.count) {
    const Index slot = slots.row_slot[k], row = slots.row[slot];
    word = slots.lower[slot];
    first = panels.first[slots.panel[slot]];
    place = target.row_ptr[row] +
            static_cast<Word>(output.before[k] - output.before[slots.row_ptr[row]]);
  }
  const bool is_long = __popc(word) > many_bits;
  if (!is_long) {
    for_each_bit(word, [&](int c) { target.col_idx[place++] = first + c; });
  }
  for_each_bit(__ballot_sync(full_warp, is_long), [&](int owner) {
    const Word shared = __shfl_sync(full_warp, word, owner);
    const Index shared_first = __shfl_sync(full_warp, first, owner);
    const Offset shared_place = __shfl_sync(full_warp, place, owner);
    if ((shared & bit(lane)) == 0) return;
    target.col_idx[shared_place + __popc(shared & bits_below(lane))] = shared_first + lane;
  });
}

// The entries of a row in its own panel and beyond: one warp.
__device__ void write_right(const PanelArrays& panels, const SlotArrays& slots,
                            const PatternTarget& target, Index row, int lane) {
  const Index panel = panels.of[row], first = panels.first[panel];
  const int own = row - first;
  const Word inside = panels.diagonal[row];
  Offset place = target.diagonal[row] - __popc(inside & bits_below(own));
  if ((inside & bit(lane)) != 0) {
    target.col_idx[place + __popc(inside & bits_below(lane))] = first + lane;
  }
  place += __popc(inside);
  const Offset row_end = target.row_ptr[row + 1];
  const Index end = slots.ptr[panel + 1];
  for (Index begin = slots.ptr[panel]; place < row_end && begin < end; begin += warp_size) {
    const Index slot = begin + lane;
    const bool present = slot < end && (slots.upper[slot] & bit(own)) != 0;
    const Word found = __ballot_sync(full_warp, present);
    if (present) target.col_idx[place + __popc(found & bits_below(lane))] = slots.row[slot];
    place += __popc(found);
  }
}

// The first warps write the entries left of the panels, the others a row each.
__global__ void __launch_bounds__(threads)
    write_rows_kernel(const __grid_constant__ PanelArrays panels,
                      const __grid_constant__ SlotArrays slots,
                      const __grid_constant__ OutputArrays output,
                      const __grid_constant__ PatternTarget target) {
  const Offset warp = (static_cast<Offset>(blockIdx.x) * threads + threadIdx.x) / warp_size;
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const Offset left_warps = ceil_div(slots.count, warp_size);
  if (warp < left_warps) {
    write_left(panels, slots, output, target, warp * warp_size, lane);
  } else if (warp - left_warps < target.n) {
    write_right(panels, slots, target, static_cast<Index>(warp - left_warps), lane);
  }
}

PatternTarget target_of(DeviceColumnPattern& pattern) {
  return {pattern.n, pattern.row_ptr.data(), pattern.diagonal.data(), pattern.col_idx.data()};
}

}  // namespace

void OutputArrays::lay_out(Carver& carver, Index n, Index slots, Offset blocks) {
  before = carver.take<Word>(slots + Offset{1});
  beyond = carver.take<Index>(n);
  partial = carver.take<Offset>(blocks);
  partial_words = carver.take<Word>(blocks);
}

void count_rows(DeviceSession& session, const PanelArrays& panels, Index panel_count,
                const SlotArrays& slots, const OutputArrays& output, DeviceColumnPattern& pattern,
                Offset* entries) {
  const Offset items = std::max(Offset{slots.count}, Offset{warp_size} * panel_count);
  launch_grid(session, items, count_rows_kernel, panels, panel_count, slots, output,
              target_of(pattern), entries);
}

void write_rows(DeviceSession& session, const PanelArrays& panels, const SlotArrays& slots,
                const OutputArrays& output, DeviceColumnPattern& pattern) {
  const Offset warps = ceil_div(slots.count, warp_size) + pattern.n;
  launch(session, {ceil_div(warps * warp_size, threads), threads}, write_rows_kernel, panels, slots,
         output, target_of(pattern));
}

}  // namespace lufact::gpu
