// SPDX-License-Identifier: BSD-3-Clause
#include "core/columns/panel_rows.hpp"

#include <algorithm>

#include "core/matrix/counting_sort.hpp"
#include "core/matrix/first_touch.hpp"
#include "core/matrix/parallel.hpp"

namespace lufact {
namespace {

// Calls body(block, begin) for the upper words of a panel's slots, 64 slots at a time and
// transposed: bit s of block[c] says whether slot begin + s has column c of the panel.
template <class Body>
void for_upper_blocks(const PanelSlots& slots, Index panel, int width, const Body& body) {
  const Word* const words = slots.upper_words().data();
  const Offset end = slots.ptr[at(panel) + 1];
  for (Offset begin = slots.ptr[at(panel)]; begin < end; begin += panel_width) {
    const auto count = static_cast<int>(std::min(end - begin, Offset{panel_width}));
    WordBlock block;
    transpose(words + begin, count, width, block);
    body(block, begin);
  }
}

// Appends rows[s] for every bit s of `word`, ascending; returns the new end.
Index* write_rows(Word word, const Index* rows, Index* out) noexcept {
  if (word == ~Word{0}) return std::copy_n(rows, panel_width, out);
  for_each_bit(word, [&](int s) { *out++ = rows[s]; });
  return out;
}

}  // namespace

// Calls body(panel) for all of them, in pieces of about the same `work`, a prefix sum by panel.
template <class Body>
void PanelRows::for_panels(const std::vector<Offset>& work, const Body& body) const {
  constexpr int pieces_per_thread = 16;
  const std::vector<Index> first = balanced_ranges(work, pieces_per_thread * threads_);
  parallel_for(static_cast<Offset>(first.size()) - 1, threads_, [&](Offset piece) {
    for (Index panel = first[at(piece)]; panel < first[at(piece) + 1]; ++panel) body(panel);
  });
}

PanelRows::PanelRows(const Panels& panels, PanelSlots& slots, bool symmetric, int threads)
    : panels_(panels), slots_(slots), threads_(threads) {
  const std::size_t n = panels.of.size();
  row_ptr_.assign(n + 1, 0);
  diagonal_.resize(n);
  for_panels(slots.ptr, [&](Index panel) {
    if (symmetric) mirror_diagonal(panel);
    count_panel(panel);
  });
  for (std::size_t i = 0; i < n; ++i) {
    diagonal_[i] += row_ptr_[i];
    row_ptr_[i + 1] += row_ptr_[i];
  }
}

void PanelRows::mirror_diagonal(Index panel) noexcept {
  Word* const rows = slots_.diagonal.data() + panels_.first[at(panel)];
  const int width = panels_.width(panel);
  WordBlock block;
  transpose(rows, width, width, block);
  for (int r = 0; r < width; ++r) rows[r] |= block[at(r)];
}

void PanelRows::count_panel(Index panel) noexcept {
  const Index first = panels_.first[at(panel)];
  const int width = panels_.width(panel);
  for (int r = 0; r < width; ++r) {
    const Index row = first + r;
    const Word inside = slots_.diagonal[row];
    Offset lower = std::popcount(inside & bits_below(r));
    for (Offset p = slots_.row_ptr[at(row)]; p < slots_.row_ptr[at(row) + 1]; ++p) {
      lower += std::popcount(slots_.lower[slots_.row_slot[p]]);
    }
    diagonal_[at(row)] = lower;
    row_ptr_[at(row) + 1] = lower + std::popcount(inside & ~bits_below(r));
  }
  for_upper_blocks(slots_, panel, width, [&](const WordBlock& block, Offset) {
    for (int c = 0; c < width; ++c) row_ptr_[at(first + c) + 1] += std::popcount(block[at(c)]);
  });
}

Index* PanelRows::write_lower(Index row, Index* out) const noexcept {
  for (Offset p = slots_.row_ptr[at(row)]; p < slots_.row_ptr[at(row) + 1]; ++p) {
    out =
        write_labels(slots_.lower[slots_.row_slot[p]], panels_.first[at(slots_.row_panel[p])], out);
  }
  return out;
}

void PanelRows::write_panel(Index panel, Index* columns) const noexcept {
  const Index first = panels_.first[at(panel)];
  const int width = panels_.width(panel);
  std::array<Index*, panel_width> end;
  for (int r = 0; r < width; ++r) {
    Index* const out = write_lower(first + r, columns + row_ptr_[at(first + r)]);
    end[at(r)] = write_labels(slots_.diagonal[first + r], first, out);
  }
  for_upper_blocks(slots_, panel, width, [&](const WordBlock& block, Offset begin) {
    const Index* const rows = slots_.row.data() + begin;
    for (int c = 0; c < width; ++c) end[at(c)] = write_rows(block[at(c)], rows, end[at(c)]);
  });
}

ColumnPattern PanelRows::write() {
  const auto n = static_cast<Index>(panels_.of.size());
  std::vector<Offset> work(panels_.first.size());
  for (std::size_t panel = 0; panel < work.size(); ++panel) {
    work[panel] = row_ptr_[at(panels_.first[panel])];
  }
  ColumnPattern result;
  result.rows.n_rows = result.rows.n_cols = n;
  result.rows.col_idx = zeros_touched_by<Index>(threads_, entries());
  for_panels(work, [&](Index panel) { write_panel(panel, result.rows.col_idx.data()); });
  result.rows.row_ptr = std::move(row_ptr_);
  result.diagonal = std::move(diagonal_);
  return result;
}

}  // namespace lufact
