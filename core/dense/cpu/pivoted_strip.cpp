// SPDX-License-Identifier: BSD-3-Clause
#include "core/dense/cpu/pivoted_strip.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace lufact {
namespace {

// Rows that a thread takes at a time: a strip of them stays in the first-level cache.
constexpr Index rows_at_once = 480;

}  // namespace

// A thread's rows of the strip below its own numbers.
template <class T>
struct PivotedStrip<T>::Share {
  const PaddedColumns<T>& a;
  Index first, width, begin, end;

  T* column(Index j) const { return &a(0, first + j); }
  void scale(Index k, T factor) const {
    if (begin >= end) return;
    dense_kernels<T>().eliminate(column(k) + begin, a.stride, end - begin, factor, nullptr, 0);
  }
  void divide(Index k, T pivot) const {
    for (Index i = begin; i < end; ++i) column(k)[i] /= pivot;
  }
};

// A thread's copy of the rows of the strip's own numbers. Column by column as the rows below; rows
// of U that are finished are beside them, for the kernels go over all rows.
template <class T>
class PivotedStrip<T>::Top {
 public:
  Top(const PaddedColumns<T>& a, Index first, Index width)
      : a_(a), first_(first), width_(width), rows_(std::min(strip_columns, a.rows - first)) {
    for (Index j = 0; j < width; ++j) std::copy_n(&a(first, j + first), rows_, column(j));
  }

  // The entries of U above row k of column k.
  const T* solve_above(Index k) {
    std::copy_n(column(k), k, upper_[k]);
    dense_kernels<T>().forward(upper_[k], block_, Offset{strip_columns}, k, 1);
    return upper_[k];
  }
  void next_column(Index k, T factor) {
    dense_kernels<T>().next_column(block_, strip_columns, strip_columns, k, factor, upper_[k]);
  }
  // The first of the largest entries from row k on; k where that is NaN, as in LAPACK.
  Index largest(Index k) const {
    Index best = k;
    for (Index i = k + 1; i < rows_; ++i) {
      if (std::abs(column(k)[i]) > std::abs(column(k)[best])) best = i;
    }
    return best;
  }
  T at(Index i, Index j) const { return column(j)[i]; }
  void exchange(Index i, Index k) {
    for (Index j = 0; j < width_; ++j) std::swap(column(j)[i], column(j)[k]);
  }
  // Row k changes places with a row that is elsewhere.
  void exchange_with(T* row, Index k) {
    for (Index j = 0; j < width_; ++j) std::swap(row[j], column(j)[k]);
  }
  void divide(Index k, T pivot) {
    for (Index i = k + 1; i < strip_columns; ++i) column(k)[i] /= pivot;
  }
  // U(k, k), for row k stays where it is.
  T finish(Index k) {
    upper_[k][k] = column(k)[k];
    return upper_[k][k];
  }
  void store(T factor) const {
    for (Index j = 0; j < width_; ++j) {
      T* const to = &a_(first_, first_ + j);
      const T scale = j + 1 == width_ ? factor : T(1);
      std::copy_n(upper_[j], j + 1, to);
      for (Index i = j + 1; i < rows_; ++i) to[i] = column(j)[i] * scale;
    }
  }

 private:
  T* column(Index j) { return block_ + j * strip_columns; }
  const T* column(Index j) const { return block_ + j * strip_columns; }

  const PaddedColumns<T>& a_;
  Index first_, width_, rows_;
  alignas(64) T block_[strip_columns * strip_columns] = {};
  T upper_[strip_columns][strip_columns] = {};  // upper_[j][k] = U(k, j)
};

template <class T>
PivotedStrip<T>::PivotedStrip(int threads)
    : candidates_{std::vector<Candidate>(at(threads)), std::vector<Candidate>(at(threads))} {}

template <class T>
void PivotedStrip<T>::restart() {
  for (auto& of_threads : candidates_) {
    for (Candidate& candidate : of_threads) candidate.column = 0;
  }
}

template <class T>
std::int32_t PivotedStrip<T>::eliminate(const ThreadTeam& team, const PaddedColumns<T>& a,
                                        const RowRuns& rows, Index first, std::span<Index> pivots) {
  const auto width = static_cast<Index>(pivots.size());
  const Share own{a, first, width, std::max(rows.begin(team.rank()), first + strip_columns),
                  rows.end(team.rank())};
  std::optional<Top> top;
  std::int32_t zero = 0;
  T factor = 1;
  for (Index k = 0; k < width; ++k) {
    offer(team, own, k, factor, k > 0 ? top->solve_above(k) : nullptr);
    if (k > 0) top->next_column(k, factor);
    const std::span<const Candidate> offers = await_offers(team, first + k);
    if (k == 0) top.emplace(a, first, width);
    pivots[at(k)] = take_pivot(team, own, k, offers, *top);
    const T pivot = top->finish(k);
    if (pivot == 0 && zero == 0) zero = first + k + 1;
    factor = 1;
    if (has_reciprocal(pivot)) {
      factor /= pivot;
    } else if (pivot != 0) {  // as getrf; a column under a zero stays as it is
      own.divide(k, pivot);
      top->divide(k, pivot);
    }
  }
  own.scale(width - 1, factor);
  if (width == 1) team.wait();  // until every thread has its copy
  if (team.rank() == rows.owner(first)) top->store(factor);
  return zero;
}

// The thread's candidate in column k of the strip, which its rows are brought up to date with.
template <class T>
void PivotedStrip<T>::offer(const ThreadTeam& team, const Share& own, Index k, T factor,
                            const T* above) {
  Candidate& best = candidates_[at(k % 2)][at(team.rank())];
  best.size = 0;
  Index piece = own.begin;
  for (Index i = own.begin; i < own.end; i += rows_at_once) {
    const T size = dense_kernels<T>().next_column(
        own.column(0) + i, own.a.stride, std::min(rows_at_once, own.end - i), k, factor, above);
    if (!(size > best.size)) continue;
    best.size = size;
    piece = i;
  }
  if (best.size > 0) {
    best.row =
        piece + dense_kernels<T>().first_of(own.column(k) + piece, own.end - piece, best.size);
    for (Index j = 0; j < own.width; ++j) best.entries[j] = own.column(j)[best.row];
  }
  best.column.store(static_cast<std::uint32_t>(own.first + k) + 1, std::memory_order_release);
  if (team.size() > 1) best.column.notify_all();
}

template <class T>
auto PivotedStrip<T>::await_offers(const ThreadTeam& team, Index column) const
    -> std::span<const Candidate> {
  const auto wanted = static_cast<std::uint32_t>(column) + 1;
  const auto offers = std::span(candidates_[at(column % 2)]).first(at(team.size()));
  for (const Candidate& offer : offers) {
    for (std::uint32_t seen = offer.column.load(std::memory_order_acquire); seen != wanted;
         seen = offer.column.load(std::memory_order_acquire)) {
      wait_for_change(offer.column, seen);
    }
  }
  return offers;
}

// The row that becomes row k of the strip. Rows of threads follow each other, and those of the top
// are before them: the first of equal candidates is in the first row.
template <class T>
Index PivotedStrip<T>::take_pivot(const ThreadTeam& team, const Share& own, Index k,
                                  std::span<const Candidate> offers, Top& top) const {
  const Index in_top = top.largest(k);
  const Candidate* largest = nullptr;
  T size = std::abs(top.at(in_top, k));
  for (const Candidate& offer : offers) {
    if (!(offer.size > size)) continue;
    size = offer.size;
    largest = &offer;
  }
  if (largest == nullptr) {
    top.exchange(in_top, k);
    return own.first + in_top;
  }
  T row[strip_columns];
  std::ranges::copy(largest->entries, row);
  top.exchange_with(row, k);
  if (largest == &offers[at(team.rank())]) {
    for (Index j = 0; j < own.width; ++j) own.column(j)[largest->row] = row[j];
  }
  return largest->row;
}

template class PivotedStrip<float>;
template class PivotedStrip<double>;

}  // namespace lufact
