// SPDX-License-Identifier: BSD-3-Clause
// One panel and its slots while a block eliminates it.
#pragma once
#include <limits>

#include "gpu/forest/panel_slots.cuh"
#include "gpu/symbolic/panels/panel_front_tables.cuh"

namespace lufact::gpu {

// In shared memory, one for each warp.
struct WarpTables {
  UnionTable rows, columns;
  Word by_target[panel_width];
};

// In shared memory, one for each block.
template <int kThreads, int kCached>
struct FrontStorage {
  static constexpr int kGroups = kCached / 4;

  // At first, in warp 0's: the columns that each column reaches inside the panel. Then, in each
  // warp's: the targets of each column that hands on, in the later panel that the warp serves.
  WarpTables tables[kThreads / warp_size];
  Index last[panel_width];  // slot of the first symmetric pair of each column
  Word open;                // columns without a symmetric pair inside the panel
  bool is_full;             // all columns of the panel reach all later ones
  // Later panels in which slots lie, by their first slots, in any order.
  Index groups;
  Index group_begin[kGroups];
  // Words, rows, and panels of the rows, of the first kCached slots.
  Word lower[kCached], upper[kCached];
  Index row[kCached], owner[kCached];
};

template <int kThreads, int kCached>
class Front {
 public:
  using Storage = FrontStorage<kThreads, kCached>;

  __device__ Front(const PanelArrays& panels, const SlotArrays& slots, Storage& shared,
                   const PanelInfo& panel, const PanelInfo& parent)
      : panels_(panels),
        slots_(slots),
        shared_(shared),
        first_(panel.first),
        width_(panel.width),
        begin_(panel.begin),
        count_(panel.count),
        parent_(panel.parent),
        parent_info_(parent),
        thread_(static_cast<int>(threadIdx.x)),
        lane_(thread_ % warp_size) {}

  // By all threads of the block. The bits handed on are in global memory, but not yet published.
  __device__ void eliminate() {
    const Slot first = thread_ < count_ ? load_slot(thread_) : Slot{};
    if (thread_ < warp_size) close_diagonal();
    sync();
    if (count_ > 0) {
      close_slots(first);
      sync();
      if (shared_.open != 0) hand_on();
    }
    sync();
  }

 private:
  struct Slot {
    Word lower = 0, upper = 0;
    Index row = 0, owner = 0;
    bool starts_group = false;  // the slot before lies in another panel
  };

  __device__ static void sync() {
    if constexpr (kThreads == warp_size) {
      __syncwarp();
    } else {
      __syncthreads();
    }
  }

  __device__ WarpTables& own_tables() const { return shared_.tables[thread_ / warp_size]; }

  __device__ Slot load_slot(Index s) const {
    Slot slot{__ldcg(&slots_.lower[begin_ + s]), __ldcg(&slots_.upper[begin_ + s]),
              slots_.row[begin_ + s]};
    slot.owner = panels_.of[slot.row];
    slot.starts_group = s == 0 || panels_.of[slots_.row[begin_ + s - 1]] != slot.owner;
    return slot;
  }

  // By the first warp; lane c has row c of the diagonal block.
  __device__ void close_diagonal() {
    const bool inside = lane_ < width_;
    const Word all = bits_below(width_);
    const Word loaded = inside ? __ldcg(&panels_.diagonal[first_ + lane_]) : 0;
    Word row = loaded;
    if (!__all_sync(full_warp, !inside || row == all)) {
      for (int c = 0; c + 1 < width_; ++c) {
        const Word pivot = __shfl_sync(full_warp, row, c);
        if (lane_ > c && (row & bit(c)) != 0) row |= pivot & bits_above(c);
      }
    }
    if (row != loaded) panels_.diagonal[first_ + lane_] = row;
    const Word right = row & bits_above(lane_);
    const Word down = transpose(row, lane_) & bits_above(lane_);
    const Word later = all & bits_above(lane_);
    const bool is_full = __all_sync(full_warp, !inside || (right == later && down == later));
    // With a pair inside the panel, the pair's later column hands on for c.
    const Word open = __ballot_sync(full_warp, inside && (right & down) == 0);
    if (!is_full) {
      own_tables().rows.fill(reach(right), lane_);
      own_tables().columns.fill(reach(down), lane_);
    }
    shared_.last[lane_] = none;
    if (lane_ == 0) {
      shared_.open = open;
      shared_.is_full = is_full;
      shared_.groups = 0;
    }
  }

  // The columns that the lane's column reaches over edges to later ones, itself included.
  __device__ Word reach(Word edges) const {
    Word reached = edges | bit(lane_);
    for (int c = width_ - 1; c > 0; --c) {
      const Word of_later = __shfl_sync(full_warp, reached, c);
      if ((edges & bit(c)) != 0) reached |= of_later;
    }
    return reached;
  }

  __device__ Word close(Word word, const UnionTable& reached) const {
    if (!shared_.is_full) return reached.unite(word);
    return word == 0 ? 0 : bits_below(width_) & ~bits_below(lowest_bit(word));
  }

  // Adds the fill inside the panel's columns and rows, and finds the first symmetric pair of each
  // open column. `slot` is slot number thread_.
  __device__ void close_slots(Slot slot) {
    for (Index begin = thread_ - lane_; begin < count_; begin += kThreads) {
      const Index s = begin + lane_;
      Word pairs = 0;
      if (s < count_) {
        if (begin >= kThreads) slot = load_slot(s);
        pairs = close_slot(s, slot) & shared_.open;
      }
      for_each_bit(unite_warp(pairs), [&](int c) {
        const Word found = __ballot_sync(full_warp, (pairs & bit(c)) != 0);
        if (lane_ == 0) atomicMin(&shared_.last[c], begin + lowest_bit(found));
      });
    }
  }

  // Returns the columns that have a symmetric pair in the slot.
  __device__ Word close_slot(Index s, const Slot& slot) {
    const WarpTables& reached = shared_.tables[0];
    const Word lower = close(slot.lower, reached.rows);
    const Word upper = close(slot.upper, reached.columns);
    if (lower != slot.lower) slots_.lower[begin_ + s] = lower;
    if (upper != slot.upper) slots_.upper[begin_ + s] = upper;
    if (s < kCached) {
      shared_.lower[s] = lower;
      shared_.upper[s] = upper;
      shared_.row[s] = slot.row;
      shared_.owner[s] = slot.owner;
      if (slot.starts_group) note_group(s);
    }
    return lower & upper;
  }

  __device__ void note_group(Index s) const {
    const Index group = atomicAdd(&shared_.groups, 1);
    if (group < Storage::kGroups) shared_.group_begin[group] = s;
  }

  __device__ Word lower(Index s) const {
    return s < kCached ? shared_.lower[s] : __ldcg(&slots_.lower[begin_ + s]);
  }
  __device__ Word upper(Index s) const {
    return s < kCached ? shared_.upper[s] : __ldcg(&slots_.upper[begin_ + s]);
  }
  __device__ Index row(Index s) const {
    return s < kCached ? shared_.row[s] : slots_.row[begin_ + s];
  }
  __device__ Index owner(Index s) const {
    return s < kCached ? shared_.owner[s] : panels_.of[slots_.row[begin_ + s]];
  }

  // Every open column c hands its pattern on to the rows and columns t of its slots up to last[c]:
  // row t of U gets the entries of row c of U beyond t, column t of L those of column c of L below
  // t. One warp serves all targets of one later panel, or several warps where panels are few, each
  // with a part of the slots. Warps do not wait for each other.
  __device__ void hand_on() {
    constexpr int warps = kThreads / warp_size;
    const Index needed = last_needed();
    Index groups = 0;
    for_groups(needed, [&](Index) { ++groups; });
    const int parts = groups < warps ? warps / groups : 1;
    const int warp = thread_ / warp_size, servers = warps / parts;
    Index group = 0;
    for_groups(needed, [&](Index s) {
      if (group++ % servers == warp / parts) serve(s, warp % parts, parts);
    });
  }

  // Calls body(s) for the first slot s of every later panel that begins up to `needed`, in the same
  // order in every warp.
  template <class Body>
  __device__ void for_groups(Index needed, const Body& body) const {
    if (shared_.groups > Storage::kGroups || needed >= kCached) {
      for (Index s = 0; s <= needed; s = group_end(s)) body(s);
      return;
    }
    for (Index k = 0; k < shared_.groups; ++k) {
      if (shared_.group_begin[k] <= needed) body(shared_.group_begin[k]);
    }
  }

  // End of the slots that lie in the same panel as slot s.
  __device__ Index group_end(Index s) const {
    const bool same = s + lane_ < count_ && owner(s + lane_) == owner(s);
    return s + __popc(__ballot_sync(full_warp, same));
  }

  __device__ Index last_needed() const {
    Index needed = -1;
    if ((shared_.open & bit(lane_)) != 0) needed = min(shared_.last[lane_], count_ - 1);
    for (int distance = warp_size / 2; distance > 0; distance /= 2) {
      needed = max(needed, __shfl_xor_sync(full_warp, needed, distance));
    }
    return needed;
  }

  // Open columns that hand on to slot s + lane, of the slots s .. end-1.
  __device__ Word sources(Index s, Index end) const {
    const Index last = shared_.last[lane_];
    const Word to_all = __ballot_sync(full_warp, last >= end - 1) & shared_.open;
    const Word to_some = __ballot_sync(full_warp, last >= s) & shared_.open & ~to_all;
    Word found = to_all;
    for_each_bit(to_some, [&](int c) {
      if (s + lane_ <= shared_.last[c]) found |= bit(c);
    });
    return found;
  }

  // By one warp, the only one or one of `parts`: hands on to the slots from s on that lie in one
  // later panel and are rows and columns of that panel.
  __device__ void serve(Index s, int part, int parts) {
    const Index target = owner(s), end = group_end(s);
    const Index target_first = target == parent_ ? parent_info_.first : panels_.first[target];
    const Word from = sources(s, end);
    Word into_column = 0, into_row = 0;
    int own = 0;
    if (s + lane_ < end) {
      into_column = upper(s + lane_) & from;
      into_row = lower(s + lane_) & from;
      own = row(s + lane_) - target_first;
    }
    const Word column_sources = unite_warp(into_column), row_sources = unite_warp(into_row);
    const Word any_source = column_sources | row_sources;
    if (any_source == 0) return;
    const SlotWindow window = window_in(target, end);
    const Index first = s + part * warp_size + lane_, step = parts * warp_size;
    if ((any_source & (any_source - 1)) == 0) {
      const Word columns = unite_warp(into_column != 0 ? bit(own) : 0);
      const Word rows = unite_warp(into_row != 0 ? bit(own) : 0);
      for (Index slot = first; slot < count_; slot += step) {
        add(window, target_first, slot, (lower(slot) & any_source) != 0 ? columns : 0,
            (upper(slot) & any_source) != 0 ? rows : 0);
      }
      return;
    }
    WarpTables& tables = own_tables();
    tables.columns.fill(by_source(tables.by_target, own, into_column), lane_);
    tables.rows.fill(by_source(tables.by_target, own, into_row), lane_);
    __syncwarp();
    for (Index slot = first; slot < count_; slot += step) {
      add(window, target_first, slot, tables.columns.unite(lower(slot) & column_sources),
          tables.rows.unite(upper(slot) & row_sources));
    }
    __syncwarp();  // the tables are in use until here
  }

  __device__ static Word unite_warp(Word word) {
    for (int distance = warp_size / 2; distance > 0; distance /= 2) {
      word |= __shfl_xor_sync(full_warp, word, distance);
    }
    return word;
  }

  // Transposes: lanes give the sources of target `own`, and get the targets of source `lane`.
  __device__ Word by_source(Word* by_target, int own, Word sources) const {
    __syncwarp();
    by_target[lane_] = 0;
    __syncwarp();
    if (sources != 0) by_target[own] = sources;
    __syncwarp();
    return transpose(by_target[lane_], lane_);
  }

  // Bounds for finding the slots from `end` on in an ancestor's list, which has all their rows:
  // slot end + k is at least k and at most k + slack places after the list's begin.
  struct SlotWindow {
    Index begin = 0, slack = 0;
    Index end = 0;
    bool of_parent = false;
  };
  __device__ SlotWindow window_in(Index target, Index end) const {
    const bool of_parent = target == parent_;
    const Index begin = of_parent ? parent_info_.begin : slots_.ptr[target];
    const Index count = of_parent ? parent_info_.count : slots_.ptr[target + 1] - begin;
    return {begin, count - (count_ - end), end, of_parent};
  }
  __device__ Index find_place(const SlotWindow& window, Index s) const {
    const Index nearest = window.begin + (s - window.end);
    if (window.slack == 0) return nearest;
    if (window.of_parent) return slots_.parent_slot[begin_ + s];
    return lower_bound(slots_.row, nearest, nearest + window.slack, row(s));
  }

  // Adds bits to the row of a slot in the target's columns, and to its column in the target's rows.
  __device__ void add(const SlotWindow& window, Index target_first, Index slot, Word columns,
                      Word rows) const {
    if ((columns | rows) == 0) return;
    if (slot < window.end) {
      const int own = row(slot) - target_first;
      columns &= bits_below(own);
      if (columns != 0) atomicOr(&panels_.diagonal[target_first + own], columns);
      for_each_bit(rows & bits_below(own),
                   [&](int t) { atomicOr(&panels_.diagonal[target_first + t], bit(own)); });
    } else {
      const Index place = find_place(window, slot);
      if (columns != 0) atomicOr(&slots_.lower[place], columns);
      if (rows != 0) atomicOr(&slots_.upper[place], rows);
    }
  }

  static constexpr Index none = std::numeric_limits<Index>::max();

  const PanelArrays& panels_;
  const SlotArrays& slots_;
  Storage& shared_;
  Index first_;
  int width_;
  Index begin_, count_, parent_;
  const PanelInfo& parent_info_;
  int thread_, lane_;
};

}  // namespace lufact::gpu
