// SPDX-License-Identifier: BSD-3-Clause
#include "core/columns/panels.hpp"

#include <omp.h>

#include <algorithm>

#include "core/matrix/counting_sort.hpp"
#include "core/matrix/parallel.hpp"

namespace lufact {
namespace {

struct Record {
  Index panel;
  Word lower, upper;
};

// Finds the slots of one row after the other by climbing the forest of panels from the row's
// earlier neighbours. One for each thread.
class RowWalk {
 public:
  RowWalk(const EarlierNeighbours& graph, const Panels& panels)
      : graph_(graph), panels_(panels), where_(at(panels.count()), 0) {}

  // Appends the slots of row i, ascending panels; returns the row's diagonal word.
  Word append(Index i, std::vector<Record>& records) {
    records_ = &records;
    begin_ = records.size();
    own_ = panels_.of[at(i)];
    own_reached_ = 0;
    for (const Index k : graph_.lower(i)) climb(k);
    const Word diagonal = graph_.symmetric() ? finish_symmetric(i) : finish_unsymmetric(i);
    const auto first = records.begin() + static_cast<std::ptrdiff_t>(begin_);
    const auto by_panel = [](const Record& a, const Record& b) { return a.panel < b.panel; };
    if (!std::is_sorted(first, records.end(), by_panel)) {
      std::sort(first, records.end(), by_panel);
    }
    return diagonal;
  }

 private:
  // The record of a panel of this row, or null. A stale position names another panel's record.
  Record* find(Index panel) {
    const std::size_t position = begin_ + at(where_[at(panel)]);
    if (position >= records_->size() || (*records_)[position].panel != panel) return nullptr;
    return &(*records_)[position];
  }

  // Climbs from column k to the row's own panel or to a panel that was met before. For a symmetric
  // pattern sets, in each panel, the bit of the column by which the climb enters.
  void climb(Index k) {
    for (Index panel = panels_.of[at(k)]; panel != own_; panel = panels_.of[at(k)]) {
      const Word entered = graph_.symmetric() ? bit(k - panels_.first[at(panel)]) : 0;
      if (Record* const met = find(panel)) {
        met->lower |= entered;
        return;
      }
      where_[at(panel)] = static_cast<Index>(records_->size() - begin_);
      records_->push_back({panel, entered, 0});
      k = panels_.next[at(panel)];
    }
    own_reached_ |= bit(k - panels_.first[at(own_)]);
  }

  // For a symmetric pattern: a climb that enters a panel's path goes on to its end, so that all
  // later bits are set as well.
  Word finish_symmetric(Index i) {
    for (auto record = records_->begin() + static_cast<std::ptrdiff_t>(begin_);
         record != records_->end(); ++record) {
      record->lower =
          bits_below(panels_.width(record->panel)) & ~bits_below(std::countr_zero(record->lower));
    }
    const int own = i - panels_.first[at(own_)];
    const Word reached = own_reached_ & bits_below(own);
    return bit(own) | (reached == 0 ? 0 : bits_below(own) & ~bits_below(std::countr_zero(reached)));
  }

  Word finish_unsymmetric(Index i) {
    for (const Index k : graph_.upper(i)) climb(k);
    const Index first = panels_.first[at(own_)], end = panels_.first[at(own_) + 1];
    Word diagonal = bit(i - first);
    for (const Index k : graph_.matrix().row(i)) {
      if (k >= end) break;
      if (k >= first) {
        diagonal |= bit(k - first);
      } else {
        const Index panel = panels_.of[at(k)];
        find(panel)->lower |= bit(k - panels_.first[at(panel)]);
      }
    }
    for (const Index k : graph_.upper(i)) {
      const Index panel = panels_.of[at(k)];
      if (panel != own_) find(panel)->upper |= bit(k - panels_.first[at(panel)]);
    }
    return diagonal;
  }

  const EarlierNeighbours& graph_;
  const Panels& panels_;
  std::vector<Index> where_;  // of a panel's record, counted from begin_
  std::vector<Record>* records_ = nullptr;
  std::size_t begin_ = 0;
  Index own_ = 0;
  Word own_reached_ = 0;
};

// Rows in pieces of consecutive ones, each with its records.
struct WalkedRows {
  std::vector<Index> first;                  // row of each piece
  std::vector<std::vector<Record>> records;  // of each piece
};

WalkedRows walk_rows(const EarlierNeighbours& graph, const Panels& panels, int threads,
                     PanelSlots& slots) {
  constexpr int pieces_per_thread = 16;
  WalkedRows walked;
  walked.first = balanced_ranges(graph.matrix().row_ptr, pieces_per_thread * threads);
  walked.records.resize(walked.first.size() - 1);
  slots.diagonal = UninitializedArray<Word>(graph.size());
  slots.row_ptr.assign(at(graph.size()) + 1, 0);
  std::vector<std::unique_ptr<RowWalk>> walks(at(threads));
  parallel_for(static_cast<Offset>(walked.records.size()), threads, [&](Offset piece) {
    auto& walk = walks[at(omp_get_thread_num())];
    if (walk == nullptr) walk = std::make_unique<RowWalk>(graph, panels);
    auto& records = walked.records[at(piece)];
    for (Index i = walked.first[at(piece)]; i < walked.first[at(piece) + 1]; ++i) {
      const std::size_t before = records.size();
      slots.diagonal[i] = walk->append(i, records);
      slots.row_ptr[at(i) + 1] = static_cast<Offset>(records.size() - before);
    }
  });
  for (std::size_t i = 0; i < at(graph.size()); ++i) slots.row_ptr[i + 1] += slots.row_ptr[i];
  return walked;
}

void allocate(PanelSlots& slots, const Panels& panels, bool symmetric) {
  const Offset count = slots.row_ptr.back();
  checked_index(count, "slots of the symbolic factorization");
  slots.ptr.resize(at(panels.count()) + 1);
  slots.row = UninitializedArray<Index>(count);
  slots.lower = UninitializedArray<Word>(count);
  if (!symmetric) slots.upper = UninitializedArray<Word>(count);
  slots.row_slot = UninitializedArray<Index>(count);
  slots.row_panel = UninitializedArray<Index>(count);
}

// Sorts the records by panel instead of row: a transposition.
void place_records(WalkedRows& walked, const Panels& panels, int threads, PanelSlots& slots) {
  std::vector<Offset> piece_ptr(walked.first.size());
  for (std::size_t piece = 0; piece < piece_ptr.size(); ++piece) {
    piece_ptr[piece] = slots.row_ptr[at(walked.first[piece])];
  }
  const std::vector<Index> first_piece = balanced_ranges(piece_ptr, threads);
  CountingSort positions(threads, panels.count());
  parallel_for(threads, threads, [&](Offset range) {
    positions.clear(range);
    Offset* const counts = positions.counts(range);
    for (Index piece = first_piece[at(range)]; piece < first_piece[at(range) + 1]; ++piece) {
      for (const Record& record : walked.records[at(piece)]) ++counts[record.panel];
    }
  });
  positions.to_positions(slots.ptr, threads);
  const auto place_row = [&](Index i, const Record* record, Offset* position) {
    for (Offset p = slots.row_ptr[at(i)]; p < slots.row_ptr[at(i) + 1]; ++p, ++record) {
      const Offset slot = position[record->panel]++;
      slots.row[slot] = i;
      slots.lower[slot] = record->lower;
      if (slots.upper.size() > 0) slots.upper[slot] = record->upper;
      slots.row_slot[p] = static_cast<Index>(slot);
      slots.row_panel[p] = record->panel;
    }
  };
  parallel_for(threads, threads, [&](Offset range) {
    for (Index piece = first_piece[at(range)]; piece < first_piece[at(range) + 1]; ++piece) {
      const Record* const records = walked.records[at(piece)].data();
      for (Index i = walked.first[at(piece)]; i < walked.first[at(piece) + 1]; ++i) {
        place_row(i, records + (slots.row_ptr[at(i)] - piece_ptr[at(piece)]),
                  positions.counts(range));
      }
    }
  });
}

}  // namespace

Panels find_panels(std::span<const Index> parent) {
  Panels panels;
  panels.of.resize(parent.size());
  for (std::size_t k = 0; k < parent.size(); ++k) {
    const auto column = static_cast<Index>(k);
    const bool goes_on =
        k > 0 && parent[k - 1] == column && column - panels.first.back() < panel_width;
    if (!goes_on) panels.first.push_back(column);
    panels.of[k] = static_cast<Index>(panels.first.size()) - 1;
  }
  panels.first.push_back(static_cast<Index>(parent.size()));
  panels.next.resize(at(panels.count()));
  panels.parent.resize(at(panels.count()));
  for (std::size_t panel = 0; panel < panels.next.size(); ++panel) {
    const Index next = parent[at(panels.first[panel + 1] - 1)];
    panels.next[panel] = next;
    panels.parent[panel] = next < 0 ? -1 : panels.of[at(next)];
  }
  return panels;
}

PanelSlots find_slots(const EarlierNeighbours& graph, const Panels& panels, int threads) {
  PanelSlots slots;
  WalkedRows walked = walk_rows(graph, panels, threads, slots);
  allocate(slots, panels, graph.symmetric());
  place_records(walked, panels, threads, slots);
  return slots;
}

}  // namespace lufact
