// SPDX-License-Identifier: BSD-3-Clause
#include "core/columns/panel_fronts.hpp"

#include <algorithm>
#include <atomic>

#include "core/matrix/parallel.hpp"

namespace lufact {
namespace {

// Sets bits of a word that other panels may be setting bits of.
void add_bits(Word& word, Word bits) noexcept {
  const std::atomic_ref<Word> shared(word);
  if ((bits & ~shared.load(std::memory_order_relaxed)) != 0) {
    shared.fetch_or(bits, std::memory_order_relaxed);
  }
}

// Union of sets[b] over the bits b of `word`. The sets are transitive: the set of a bit contains
// the sets of its members.
Word close(Word word, const WordBlock& sets) noexcept {
  Word closed = 0;
  while (word != 0) {
    const Word set = sets[at(std::countr_zero(word))];
    closed |= set;
    word &= ~set;
  }
  return closed;
}

// For each of `width` columns the set of columns, itself included, that it reaches over `edges`,
// which lead to later columns.
void find_reachable(const WordBlock& edges, int width, WordBlock& reach) noexcept {
  for (int c = width - 1; c >= 0; --c) reach[at(c)] = bit(c) | close(edges[at(c)], reach);
}

// One panel and its slots while it is eliminated.
class Front {
 public:
  Front(const Panels& panels, PanelSlots& slots, Index panel) noexcept
      : panels_(panels),
        slots_(slots),
        first_(panels.first[at(panel)]),
        width_(panels.width(panel)),
        begin_(slots.ptr[at(panel)]),
        end_(slots.ptr[at(panel) + 1]) {}

  void eliminate() noexcept {
    close_diagonal();
    if (begin_ == end_) return;
    close_slots();
    hand_on();
  }

 private:
  void close_diagonal() noexcept {
    Word* const rows = slots_.diagonal.data() + first_;
    for (int c = 0; c < width_; ++c) {
      const Word right = rows[c] & bits_above(c);
      if (right == 0) continue;
      for (int r = c + 1; r < width_; ++r) {
        if ((rows[r] & bit(c)) != 0) rows[r] |= right;
      }
    }
    WordBlock columns, right, down;
    transpose(rows, width_, width_, columns);
    open_ = 0;
    for (int c = 0; c < width_; ++c) {
      right[at(c)] = rows[c] & bits_above(c);
      down[at(c)] = columns[at(c)] & bits_above(c);
      // With a symmetric pair inside the panel, the pair's later column hands on the pattern of c.
      if ((right[at(c)] & down[at(c)]) == 0) open_ |= bit(c);
    }
    find_reachable(right, width_, reach_right_);
    find_reachable(down, width_, reach_down_);
  }

  // Fill inside the panel's columns and rows, and the first symmetric pair of each open column.
  void close_slots() noexcept {
    std::fill_n(last_.begin(), width_, end_ - 1);
    Word seeking = open_;
    for (Offset slot = begin_; slot < end_; ++slot) {
      const Word lower = close(slots_.lower[slot], reach_right_);
      const Word upper = close(slots_.upper[slot], reach_down_);
      slots_.lower[slot] = lower;
      slots_.upper[slot] = upper;
      const Word pairs = lower & upper & seeking;
      for_each_bit(pairs, [&](int c) { last_[at(c)] = slot; });
      seeking &= ~pairs;
    }
  }

  // Every open column c goes on to the rows and columns t of its slots up to last_[c]: row t of U
  // gets what row c of U has beyond t, column t of L what column c of L has below t. The targets of
  // one later panel are served together.
  void hand_on() noexcept {
    Offset needed = begin_;
    for_each_bit(open_, [&](int c) { needed = std::max(needed, last_[at(c)] + 1); });
    for (Offset slot = begin_; open_ != 0 && slot < needed;) {
      const Index target = panels_.of[at(slots_.row[slot])];
      const Index target_end = panels_.first[at(target) + 1];
      Word active = 0;
      Offset group_end = slot;
      for (; group_end < end_ && slots_.row[group_end] < target_end; ++group_end) {
        active |= note_target(group_end, slots_.row[group_end] - panels_.first[at(target)], active);
      }
      if (active != 0) hand_on_to(target, slot, group_end, active);
      slot = group_end;
    }
  }

  // Notes the columns whose pattern the slot's row or column t takes; returns `active` with these
  // columns added.
  Word note_target(Offset slot, int t, Word active) noexcept {
    const Word lower = slots_.lower[slot], upper = slots_.upper[slot];
    Word columns = 0;
    for_each_bit((lower | upper) & open_, [&](int c) {
      if (slot > last_[at(c)]) return;
      if (((active | columns) & bit(c)) == 0) column_targets_[at(c)] = row_targets_[at(c)] = 0;
      columns |= bit(c);
      if ((upper & bit(c)) != 0) column_targets_[at(c)] |= bit(t);
      if ((lower & bit(c)) != 0) row_targets_[at(c)] |= bit(t);
    });
    return columns;
  }

  void hand_on_to(Index target, Offset slot, Offset group_end, Word active) noexcept {
    const Index first = panels_.first[at(target)];
    for (; slot < group_end; ++slot) {
      const int own = slots_.row[slot] - first;
      const Shares shares = shares_of(slot, active);
      Word* const rows = slots_.diagonal.data() + first;
      add_bits(rows[own], shares.columns & bits_below(own));
      for_each_bit(shares.rows & bits_below(own), [&](int t) { add_bits(rows[t], bit(own)); });
    }
    Offset position = slots_.ptr[at(target)];
    for (; slot < end_; ++slot) {
      const Shares shares = shares_of(slot, active);
      if ((shares.columns | shares.rows) == 0) continue;
      position = find_slot(position, slots_.ptr[at(target) + 1], slots_.row[slot]);
      add_bits(slots_.lower[position], shares.columns);
      add_bits(slots_.upper[position], shares.rows);
    }
  }

  // The bits that the slot's row gets in the target panel's columns of L, and its column in the
  // panel's rows of U.
  struct Shares {
    Word columns, rows;
  };
  Shares shares_of(Offset slot, Word active) const noexcept {
    Shares shares{0, 0};
    for_each_bit(slots_.lower[slot] & active,
                 [&](int c) { shares.columns |= column_targets_[at(c)]; });
    for_each_bit(slots_.upper[slot] & active, [&](int c) { shares.rows |= row_targets_[at(c)]; });
    return shares;
  }

  // The slot of `row` in a later panel, searched from `position` on. The forest guarantees that it
  // exists.
  Offset find_slot(Offset position, Offset end, Index row) const noexcept {
    Offset step = 1;
    while (position + step < end && slots_.row[position + step] <= row) {
      position += step;
      step *= 2;
    }
    const Index* const found = std::lower_bound(
        slots_.row.data() + position, slots_.row.data() + std::min(position + step, end), row);
    return found - slots_.row.data();
  }

  const Panels& panels_;
  PanelSlots& slots_;
  Index first_;
  int width_;
  Offset begin_, end_;
  Word open_ = 0;  // columns without a symmetric pair inside the panel
  WordBlock reach_right_, reach_down_;
  std::array<Offset, panel_width> last_;  // slot of the first symmetric pair, or the last slot
  // For each active column: the targets whose column of L, or whose row of U, takes its pattern.
  WordBlock column_targets_, row_targets_;
};

// Number of unfinished children of each panel.
class OpenChildren {
 public:
  explicit OpenChildren(const Panels& panels)
      : counts_(std::make_unique<std::atomic<Index>[]>(at(panels.count()))) {
    for (Index panel = 0; panel < panels.count(); ++panel) {
      counts_[at(panel)].store(0, std::memory_order_relaxed);
    }
    for (const Index parent : panels.parent) {
      if (parent >= 0) counts_[at(parent)].fetch_add(1, std::memory_order_relaxed);
    }
  }
  bool none(Index panel) const noexcept {
    return counts_[at(panel)].load(std::memory_order_relaxed) == 0;
  }
  // True for the last child, whose thread sees all that the others have written.
  bool finish_one(Index panel) noexcept {
    return counts_[at(panel)].fetch_sub(1, std::memory_order_acq_rel) == 1;
  }

 private:
  std::unique_ptr<std::atomic<Index>[]> counts_;
};

// A task takes some leaves, one after the other, and goes on with a parent where it finished the
// last child: no queue and no waiting.
void eliminate_by_subtrees(const Panels& panels, PanelSlots& slots, int threads) {
  constexpr Offset leaves_per_task = 8;
  OpenChildren open(panels);
  std::vector<Index> leaves;
  for (Index panel = 0; panel < panels.count(); ++panel) {
    if (open.none(panel)) leaves.push_back(panel);
  }
  const auto count = static_cast<Offset>(leaves.size());
  parallel_for((count + leaves_per_task - 1) / leaves_per_task, threads, [&](Offset task) {
    const Offset end = std::min(count, (task + 1) * leaves_per_task);
    for (Offset leaf = task * leaves_per_task; leaf < end; ++leaf) {
      Index panel = leaves[at(leaf)];
      do {
        Front(panels, slots, panel).eliminate();
        panel = panels.parent[at(panel)];
      } while (panel >= 0 && open.finish_one(panel));
    }
  });
}

}  // namespace

void eliminate_panels(const Panels& panels, PanelSlots& slots, int threads) {
  if (threads > 1) return eliminate_by_subtrees(panels, slots, threads);
  for (Index panel = 0; panel < panels.count(); ++panel) Front(panels, slots, panel).eliminate();
}

}  // namespace lufact
