// SPDX-License-Identifier: BSD-3-Clause
// A panel that is eliminated with partial pivoting by blocks that all run at once.
#pragma once
#include "gpu/dense/ours/panel_messages.cuh"
#include "gpu/dense/ours/panel_parts.cuh"
#include "gpu/dense/ours/pivot_candidates.cuh"
#include "gpu/dense/ours/row_moves.cuh"

namespace lufact::gpu::blocked {

// In each step a block finds the best of its own rows, sends it, and takes the best of what all
// have sent. Ties are broken by position, so that nothing depends on which block holds a row.
template <class T, int W, int R, class Mail>
class PivotedPanel {
 public:
  struct Memory {
    SharedCandidate<T, W> of_warp[2][panel_warps], of_block[Mail::most_blocks];
    Index origin[W];  // of the pivot of each step
    typename Mail::Memory mail;
  };

  __device__ PivotedPanel(const Panel<T>& panel, Memory& memory)
      : panel_(panel), memory_(memory), mail_(panel.mailbox, memory.mail) {}

  __device__ void run() {
#pragma unroll
    for (int r = 0; r < R; ++r) {
      const Index row = row_of(r);
      load_row(panel_, rows_, r, row, row < panel_.rows);
    }
    mail_.open();
#pragma unroll 1
    for (Index step = 0; step < panel_.columns; ++step) eliminate(step, find_pivot(step));
    store_rows(panel_, rows_);
    note_end();
    exchange_left_columns();
    mail_.close();
  }

 private:
  __device__ static Index row_of(int r) {
    return (static_cast<Index>(blockIdx.x) * R + r) * panel_threads +
           static_cast<Index>(threadIdx.x);
  }

  // One barrier of the block, or two where there are several blocks. Of what is written before the
  // first, `of_warp`, there are two, since with one block others may still read the last step's.
  __device__ const SharedCandidate<T, W>& find_pivot(Index step) {
    SharedCandidate<T, W>* const own = memory_.of_warp[step % 2];
    offer_best(
        rows_, step, W - step, [](int r) { return row_of(r); }, own[warp_of_block()]);
    __syncthreads();
    if (gridDim.x == 1) return best_candidate(own, panel_warps);
    send(step, best_candidate(own, panel_warps));
    receive(step);
    __syncthreads();
    return best_candidate(memory_.of_block, static_cast<int>(gridDim.x));
  }

  __device__ void send(Index step, const SharedCandidate<T, W>& best) const {
    const unsigned stamp = mail_.stamp(step);
    const int lane = lane_of_warp();
    MessagePart part{};
    part.lane = lane;
    part.has_entry = lane < W;
    part.places = {stamped(static_cast<unsigned>(best.position), stamp),
                   stamped(static_cast<unsigned>(best.origin), stamp)};
    if (part.has_entry) part.entry = pack(best.row[lane], stamp);
    mail_.send(step, part);
  }

  // Warp w takes the messages of blocks w, w + panel_warps, ...; several at a time, since each may
  // be a way to the second-level cache and back.
  __device__ void receive(Index step) const {
    constexpr int at_once = 4;
    const int blocks = static_cast<int>(gridDim.x), lane = lane_of_warp();
    const unsigned stamp = mail_.stamp(step);
    for (int first = warp_of_block(); first < blocks; first += at_once * panel_warps) {
      TwoWords places[at_once], entry[at_once];
      bool complete = false;
      while (!complete) {
        complete = true;
#pragma unroll
        for (int k = 0; k < at_once; ++k) {
          const int block = first + k * panel_warps;
          if (block >= blocks) continue;
          places[k] = mail_.places(step, static_cast<unsigned>(block));
          entry[k] = mail_.entry(step, static_cast<unsigned>(block), lane < W ? lane : 0);
          complete = complete && has_stamp(places[k], stamp) && has_stamp(entry[k], stamp);
        }
      }
      __syncwarp();
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        const int block = first + k * panel_warps;
        if (block < blocks) take(memory_.of_block[block], places[k], entry[k]);
      }
    }
  }
  __device__ static void take(SharedCandidate<T, W>& to, const TwoWords& places,
                              const TwoWords& entry) {
    const int lane = lane_of_warp();
    T value;
    unpack(entry, value);
    if (lane < W) to.row[lane] = value;
    if (lane != 0) return;
    to.position = static_cast<Index>(static_cast<unsigned>(places.first));
    to.origin = static_cast<Index>(static_cast<unsigned>(places.second));
    to.key = to.position == no_position ? 0 : pivot_key(value);
  }

  __device__ void eliminate(Index step, const SharedCandidate<T, W>& pivot) {
    const Divisor<T> divisor = divisor_of(pivot.row[0]);
    rows_.exchange(step, pivot.position);
    top_ = rows_.exchanged(top_, step, pivot.position);
    if (threadIdx.x == 0) {
      memory_.origin[step] = pivot.origin;
      if (blockIdx.x == 0) note(step, pivot);
    }
    rows_.eliminate(step, pivot.row, divisor);
  }

  __device__ void note(Index step, const SharedCandidate<T, W>& pivot) {
    panel_.pivots[step] = panel_.first + pivot.position + 1;
    panel_.origin[step] = panel_.first + pivot.origin;
    zero_.look_at(step, pivot.row[0] == T(0));
  }

  __device__ void note_end() const {
    if (blockIdx.x != 0) return;
    if (threadIdx.x == 0) zero_.report(panel_);
    if (threadIdx.x < panel_.columns) panel_.destination[threadIdx.x] = panel_.first + top_;
  }

  // A column a warp of the grid, four at a time.
  __device__ void exchange_left_columns() const {
    if (panel_.left == 0) return;
    __syncthreads();
    constexpr int at_once = 4;
    const int lane = lane_of_warp();
    const RowMove move{panel_.columns, lane < panel_.columns ? memory_.origin[lane] : 0, top_};
    const Index warps = static_cast<Index>(gridDim.x) * panel_warps;
    const Index own = static_cast<Index>(blockIdx.x) * panel_warps + warp_of_block();
    for (Index column = own; column < panel_.left; column += at_once * warps) {
      const Index count = (panel_.left - column + warps - 1) / warps;
      move_rows<at_once>(panel_.a + (column - panel_.left) * panel_.ld, warps * panel_.ld,
                         min(count, at_once), move);
    }
  }

  const Panel<T>& panel_;
  Memory& memory_;
  const Mail mail_;
  PanelRows<T, W, R> rows_;
  Index top_ = static_cast<Index>(threadIdx.x % warp_size);  // where this row of the first is now
  ZeroPivot zero_;
};

}  // namespace lufact::gpu::blocked
