// SPDX-License-Identifier: BSD-3-Clause
// A panel that is eliminated with partial pivoting by blocks that all run at once.
#pragma once
#include "gpu/dense/ours/panel_before.cuh"
#include "gpu/dense/ours/panel_messages.cuh"
#include "gpu/dense/ours/panel_parts.cuh"
#include "gpu/dense/ours/pivot_candidates.cuh"
#include "gpu/dense/ours/shared_rows.cuh"

namespace lufact::gpu::blocked {

// In each step a block finds the best of its own rows, sends it, and takes the best of what all
// have sent. Ties are broken by position, so that nothing depends on which block holds a row.
// `Rows`: PanelRows or SharedRows.
template <class T, class Rows, class Mail>
class PivotedPanel {
  static constexpr int W = Rows::width, R = Rows::rows;

 public:
  using Before = PanelBefore<T, Rows>;
  // The best of the blocks whose messages one warp looks at.
  struct GroupCandidate {
    Candidate<T> candidate;
    int block;
  };
  static constexpr int block_groups = (Mail::most_blocks + warp_size - 1) / warp_size;
  static_assert(block_groups <= panel_warps);

  struct Memory {
    Candidate<T> of_warp[panel_warps];
    alignas(16) T best_row[W];  // of the block's rows, as its thread holds it
    Index best_origin;
    SharedCandidate<T, W> of_block[Mail::most_blocks];
    GroupCandidate of_group[block_groups];
    typename Before::Memory before;
    typename Mail::Memory mail;
    typename Rows::Memory rows;
  };

  __device__ PivotedPanel(const Panel<T>& panel, Memory& memory)
      : panel_(panel), memory_(memory), mail_(panel.mailbox, memory.mail), rows_(memory.rows) {}

  __device__ void run() {
    mail_.open();
    load();
    offer(0);
#pragma unroll 1
    for (Index step = 0; step < panel_.columns; ++step) eliminate(step, find_pivot(step));
    store_rows(panel_, rows_);
    if (blockIdx.x == 0) note_end();
    mail_.close();
  }

 private:
  __device__ static Index row_of(int r) {
    return (static_cast<Index>(blockIdx.x) * R + r) * panel_threads +
           static_cast<Index>(threadIdx.x);
  }
  __device__ bool has_several_blocks() const {
    return gridDim.x > 1;
  }
  // More than receive() takes at once.
  __device__ bool has_many_blocks() const {
    constexpr unsigned at_once = Mail::messages_at_once * panel_warps;
    return Mail::most_blocks > at_once && gridDim.x > at_once;
  }

  __device__ void load() {
    const Before before(panel_, memory_.before);
    if (panel_.follows) before.fetch();
#pragma unroll Rows::unrolled
    for (int r = 0; r < R; ++r) {
      const Index row = row_of(r);
      const bool exists = row < panel_.rows;
      load_row(panel_, rows_, r, row, panel_.follows && exists ? before.source(row) : row, exists);
    }
    if (!panel_.follows) return;
    before.solve();
    before.subtract(rows_);
  }

  // By every warp: the best of its rows for `step`.
  __device__ void offer(Index step) {
    const Candidate<T> own = best_of_rows<T>(rows_, step);
    const int best = best_lane(own);
    if (lane_of_warp() == max(best, 0)) memory_.of_warp[warp_of_block()] = own;
  }

  // Two barriers of the block. What is written before the first one is read before the second, and
  // the other way round, so that there is one of each.
  __device__ const SharedCandidate<T, W>& find_pivot(Index step) {
    __syncthreads();
    const int best =
        best_of<T, panel_warps>(panel_warps, [this](int warp) { return memory_.of_warp[warp]; });
    const Index position = memory_.of_warp[max(best, 0)].position;
    if (warp_of_block() == max(best, 0)) publish(step, position);
    if (!has_several_blocks()) {
      __syncthreads();
      return memory_.of_block[0];
    }
    if (has_many_blocks()) return find_among_many(step);
    receive(step);
    __syncthreads();
    const auto of_block = [this](int block) { return memory_.of_block[block].candidate; };
    return memory_.of_block[best_of<T, Mail::most_blocks>(static_cast<int>(gridDim.x), of_block)];
  }

  // By the warp that has the block's best row, at `position`, or by the first one where no row of
  // the block is open. A lane has the row in registers: all lanes get an entry each.
  __device__ void publish(Index step, Index position) {
    if (position != no_position) {
#pragma unroll Rows::unrolled
      for (int r = 0; r < R; ++r) {
        if (rows_.position(r) != position) continue;
        memory_.best_origin = row_of(r);
#pragma unroll
        for (int c = 0; c < W; ++c) memory_.best_row[c] = rows_.entry(r, c);
      }
    }
    __syncwarp();
    const int lane = lane_of_warp();
    const T entry = lane < W - step ? memory_.best_row[lane % W] : T(0);
    if (has_several_blocks()) {
      send(step, position, memory_.best_origin, entry);
    } else {
      take(memory_.of_block[0], position, memory_.best_origin, entry);
    }
  }

  __device__ void send(Index step, Index position, Index origin, T entry) const {
    const unsigned stamp = mail_.stamp(step);
    MessagePart part{};
    part.lane = lane_of_warp();
    part.has_entry = part.lane < W;
    part.places = {stamped(static_cast<unsigned>(position), stamp),
                   stamped(static_cast<unsigned>(origin), stamp)};
    if (part.has_entry) part.entry = pack(entry, stamp);
    mail_.send(step, part);
  }

  // What a lane has seen of a message: where its row is, and one entry.
  struct Seen {
    TwoWords places, entry;

    __device__ bool is_complete(unsigned stamp) const {
      return has_stamp(places, stamp) && has_stamp(entry, stamp);
    }
    __device__ Index position() const {
      return static_cast<Index>(static_cast<unsigned>(places.first));
    }
    __device__ Index origin() const {
      return static_cast<Index>(static_cast<unsigned>(places.second));
    }
    __device__ T value() const {
      T value;
      unpack(entry, value);
      return value;
    }
  };
  __device__ Seen look(Index step, int block, int entry) const {
    const auto from = static_cast<unsigned>(block);
    return {mail_.places(step, from), mail_.entry(step, from, entry)};
  }
  __device__ Seen wait_for(Index step, int block, int entry) const {
    const unsigned stamp = mail_.stamp(step);
    for (;;) {
      const Seen seen = look(step, block, entry);
      if (seen.is_complete(stamp)) return seen;
    }
  }

  // Warp w takes the messages of blocks w, w + panel_warps, ...; several at a time, since each may
  // be a way to the second-level cache and back.
  __device__ void receive(Index step) const {
    constexpr int at_once = Mail::messages_at_once;
    const int blocks = static_cast<int>(gridDim.x), lane = lane_of_warp();
    const unsigned stamp = mail_.stamp(step);
    for (int first = warp_of_block(); first < blocks; first += at_once * panel_warps) {
      Seen seen[at_once];
      bool complete = false;
      while (!complete) {
        complete = true;
#pragma unroll
        for (int k = 0; k < at_once; ++k) {
          const int block = first + k * panel_warps;
          if (block >= blocks) continue;
          seen[k] = look(step, block, lane < W ? lane : 0);
          complete = complete && seen[k].is_complete(stamp);
        }
      }
      __syncwarp();
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        const int block = first + k * panel_warps;
        if (block >= blocks) continue;
        take(memory_.of_block[block], seen[k].position(), seen[k].origin(), seen[k].value());
      }
    }
  }

  // First who has the pivot, a lane a block, then its row: two ways to the second-level cache and
  // back, however many blocks there are.
  __device__ const SharedCandidate<T, W>& find_among_many(Index step) const {
    const int blocks = static_cast<int>(gridDim.x), group = warp_of_block();
    if (group * warp_size < blocks) find_in_group(step, group, blocks);
    __syncthreads();
    const int groups = (blocks + warp_size - 1) / warp_size;
    const int best =
        best_of<T, block_groups>(groups, [this](int g) { return memory_.of_group[g].candidate; });
    if (group == 0) fetch(step, memory_.of_group[best].block);
    __syncthreads();
    return memory_.of_block[0];
  }

  // By a warp: the best of up to 32 blocks.
  __device__ void find_in_group(Index step, int group, int blocks) const {
    const int block = group * warp_size + lane_of_warp();
    Candidate<T> candidate;
    if (block < blocks) {
      const Seen seen = wait_for(step, block, 0);
      candidate = candidate_of(seen.position(), seen.value());
    }
    __syncwarp();
    const int best = max(best_lane(candidate), 0);
    if (lane_of_warp() == best) memory_.of_group[group] = {candidate, block};
  }

  // By a warp: that block's row.
  __device__ void fetch(Index step, int block) const {
    const int lane = lane_of_warp();
    const Seen seen = wait_for(step, block, lane < W ? lane : 0);
    __syncwarp();
    take(memory_.of_block[0], seen.position(), seen.origin(), seen.value());
  }

  __device__ static Candidate<T> candidate_of(Index position, T entry) {
    return {position == no_position ? PivotKey<T>{0} : pivot_key(entry), position};
  }

  // By all lanes of a warp, with an entry each.
  __device__ static void take(SharedCandidate<T, W>& to, Index position, Index origin, T entry) {
    const int lane = lane_of_warp();
    if (lane < W) to.row[lane] = entry;
    if (lane != 0) return;
    to.candidate = candidate_of(position, entry);
    to.origin = origin;
  }

  // The search for the next pivot begins before the columns that it does not need.
  __device__ void eliminate(Index step, const SharedCandidate<T, W>& pivot) {
    const Index position = pivot.candidate.position;
    const Divisor<T> divisor = divisor_of(pivot.row[0]);
    rows_.exchange(step, position);
    top_ = exchanged_position(top_, step, position);
    const auto last = rows_.begin(step, pivot.row, divisor);
    offer(step + 1);
    rows_.finish(step, pivot.row, last);
    if (blockIdx.x == 0 && threadIdx.x == 0) note(step, pivot);
  }

  __device__ void note(Index step, const SharedCandidate<T, W>& pivot) {
    panel_.pivots[step] = panel_.first + pivot.candidate.position + 1;
    panel_.origin[step] = panel_.first + pivot.origin;
    zero_.look_at(step, pivot.row[0] == T(0));
  }

  // All blocks have read the rows that are overwritten here: they have sent messages since then.
  __device__ void note_end() const {
    if (panel_.follows) Before(panel_, memory_.before).store();
    if (threadIdx.x == 0) zero_.report(panel_);
    if (threadIdx.x < panel_.columns) panel_.destination[threadIdx.x] = panel_.first + top_;
  }

  const Panel<T>& panel_;
  Memory& memory_;
  const Mail mail_;
  Rows rows_;
  Index top_ = static_cast<Index>(threadIdx.x % warp_size);  // where this row of the first is now
  ZeroPivot zero_;
};

}  // namespace lufact::gpu::blocked
