// SPDX-License-Identifier: BSD-3-Clause
#include "core/fronts/numeric/front_elimination.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

namespace lufact {
namespace {

// Size of the pieces that members of a team take, multiples of row_unit.
constexpr Index piece_rows = 96, piece_columns = 64, piece_pivots = 16;

constexpr Index padded(Index rows) noexcept {
  return round_up(rows, row_unit);
}

// to[row[i] - shift] += from[i]; rows ascend, and are often consecutive.
template <class T>
void add_rows(T* to, std::span<const Index> row, Index shift, const T* from) {
  const auto count = static_cast<Index>(row.size());
  if (count == 0) return;
  to -= shift;
  if (row.back() - row.front() == count - 1) {
    T* const run = to + row.front();
    for (Index i = 0; i < count; ++i) run[i] += from[i];
    return;
  }
  for (Index i = 0; i < count; ++i) to[row[at(i)]] += from[i];
}

// Relative indices of a child: its rows in the parent's front, rows of the parent's pivots first.
struct ChildRows {
  std::span<const Index> all;
  Index pivots = 0;  // how many

  ChildRows(const FrontTree& tree, const FrontSchedule& schedule, Index child, Index parent_pivots)
      : all(schedule.parent_row.data() + tree.row_ptr[at(child)], at(tree.contributions(child))),
        pivots(position(parent_pivots)) {}
  // How many of the child's rows are smaller than `row`.
  Index position(Index row) const {
    return static_cast<Index>(std::lower_bound(all.begin(), all.end(), row) - all.begin());
  }
  std::span<const Index> of_pivots() const { return all.first(at(pivots)); }
  std::span<const Index> beyond() const { return all.subspan(at(pivots)); }
};

}  // namespace

template <class T>
FrontElimination<T>::FrontElimination(const FrontWork<T>& work, FrontScratch<T>& own,
                                      FrontScratch<T>& leader, const ThreadTeam& team)
    : work_(work), own_(own), leader_(leader), team_(team), kernels_(dense_kernels<T>()) {}

template <class T>
void FrontElimination<T>::run(Index f) {
  number_ = f;
  front_ = &work_.schedule.front[at(f)];
  if (front_->pivots == 0) return;
  d_ = work_.values + front_->values;
  lower_ = work_.values + front_->lower();
  upper_ = work_.values + front_->upper();
  inverse_ = work_.inverse_pivot + work_.tree.first[at(f)];
  assemble();
  // The other members wait for the leader, who is the first to change the block.
  if (work_.observer != nullptr && team_.leads()) {
    (*work_.observer)(f, d_, front_->pivot_stride());
  }
  const Index block =
      work_.row_source == nullptr ? diagonal_block : pivot_tile_width(front_->pivots);
  for (Index k = 0; k < front_->pivots; k += block) {
    eliminate_block(k, std::min(block, front_->pivots - k));
  }
  watch_growth();
  contribute();
}

template <class T>
void FrontElimination<T>::assemble() {
  team_.share_pieces(front_->pivots, piece_pivots, [&](Index begin, Index count) {
    for_columns(begin, count,
                [](T* values, Offset entries) { std::fill_n(values, entries, T(0)); });
  });
  team_.wait();
  if (team_.leads()) add_entries();
  team_.wait();
  team_.share_pieces(front_->pivots, piece_pivots,
                     [&](Index begin, Index count) { add_to_pivot_columns(begin, begin + count); });
  team_.share_pieces(front_->rows, piece_rows, [&](Index begin, Index count) {
    add_to_pivot_rows(front_->pivots + begin, front_->pivots + begin + count);
  });
  team_.wait();
}

// Calls body(first, entries) for the values of pivots begin .. begin + count.
template <class T>
template <class Body>
void FrontElimination<T>::for_columns(Index begin, Index count, const Body& body) {
  if (count == front_->pivots) return body(d_, front_->end() - front_->values);
  body(d_ + begin * front_->pivot_stride(), count * front_->pivot_stride());
  body(lower_ + begin * front_->row_stride(), count * front_->row_stride());
  body(upper_ + begin * front_->row_stride(), count * front_->row_stride());
}

template <class T>
void FrontElimination<T>::add_entries() {
  const FrontTree& tree = work_.tree;
  double largest = own_.largest_input;
  for (Offset e = tree.entry_ptr[at(number_)]; e < tree.entry_ptr[at(number_) + 1]; ++e) {
    const double value = work_.matrix_values[tree.entry_source[at(e)]] * work_.entry_scale[e];
    work_.values[work_.schedule.entry_to[at(e)]] = static_cast<T>(value);
    largest = std::max(largest, std::abs(value));
  }
  own_.largest_input = largest;
}

template <class T>
template <class Body>
void FrontElimination<T>::for_children(const Body& body) const {
  for (Index c = front_->child_begin; c < front_->child_end; ++c) {
    const Index number = work_.schedule.child[at(c)];
    const ScheduledFront& child = work_.schedule.front[at(number)];
    if (child.rows == 0) continue;
    body(child, ChildRows(work_.tree, work_.schedule, number, front_->pivots),
         contribution_of(child));
  }
}

// Adds the children's entries of columns that are pivots begin .. end.
template <class T>
void FrontElimination<T>::add_to_pivot_columns(Index begin, Index end) {
  const Offset pivot_stride = front_->pivot_stride(), row_stride = front_->row_stride();
  for_children([&](const ScheduledFront& child, const ChildRows& rows, const T* block) {
    const Offset stride = child.row_stride();
    const Index last = rows.position(end);
    for (Index j = rows.position(begin); j < last; ++j) {
      const Offset pivot = rows.all[at(j)];
      const T* const column = block + j * stride;
      add_rows(d_ + pivot * pivot_stride, rows.of_pivots(), 0, column);
      add_rows(lower_ + pivot * row_stride, rows.beyond(), front_->pivots, column + rows.pivots);
    }
  });
}

// Adds the children's entries of pivot rows in columns begin .. end, which are not pivots.
template <class T>
void FrontElimination<T>::add_to_pivot_rows(Index begin, Index end) {
  const Offset row_stride = front_->row_stride();
  for_children([&](const ScheduledFront& child, const ChildRows& rows, const T* block) {
    const Offset stride = child.row_stride();
    const Index last = rows.position(end);
    for (Index j = rows.position(begin); j < last; ++j) {
      T* const to = upper_ + rows.all[at(j)] - front_->pivots;
      const T* const column = block + j * stride;
      for (Index i = 0; i < rows.pivots; ++i) to[rows.all[at(i)] * row_stride] += column[i];
    }
  });
}

template <class T>
void FrontElimination<T>::eliminate_block(Index k, Index width) {
  const Offset stride = front_->pivot_stride(), row_stride = front_->row_stride();
  T* const diagonal = d_ + k * stride + k;
  T* const inverse = inverse_ + k;
  if (team_.leads()) factor_block(k, width);
  team_.wait();
  if (leader_.exchanges) {
    team_.share_pieces(k, piece_pivots, [&](Index begin, Index count) {
      exchange_rows(d_ + begin * stride + k, stride, width, count);
    });
  }
  const auto solve_rows = [&](T* x, Offset x_stride, Index rows) {
    team_.share_pieces(padded(rows), piece_rows, [&](Index begin, Index count) {
      kernels_.solve(x + begin, x_stride, count, leader_.upper, diagonal_block, inverse, width);
    });
  };
  const Index behind = front_->pivots - k - width;
  if (behind > 0) {
    solve_rows(diagonal + width, stride, behind);
    eliminate_right_of(k, width);
  }
  solve_rows(lower_ + k * row_stride, row_stride, front_->rows);
  team_.share_pieces(padded(front_->rows), piece_rows, [&](Index begin, Index count) {
    T* const rows = upper_ + k * row_stride + begin;
    if (leader_.exchanges) exchange_columns(rows, row_stride, width, count);
    kernels_.solve(rows, row_stride, count, diagonal, stride, nullptr, width);
  });
  team_.wait();
  if (behind > 0) update_behind(k, width);
}

template <class T>
void FrontElimination<T>::factor_block(Index k, Index width) {
  const Offset stride = front_->pivot_stride();
  T* const diagonal = d_ + k * stride + k;
  T* const inverse = inverse_ + k;
  if (work_.row_source == nullptr) {
    return kernels_.factor(diagonal, stride, width, inverse, leader_.upper, leader_.watch);
  }
  kernels_.factor_with_exchanges(diagonal, stride, width, inverse, leader_.upper, leader_.exchange,
                                 leader_.watch);
  std::uint8_t* const source = work_.row_source + work_.tree.first[at(number_)] + k;
  std::iota(source, source + width, std::uint8_t{0});
  leader_.exchanges = false;
  for (Index c = 0; c < width; ++c) {
    std::swap(source[c], source[leader_.exchange[c]]);
    leader_.exchanges |= leader_.exchange[c] != c;
  }
}

// Exchanges the block's rows in the columns outside the block as well.
template <class T>
void FrontElimination<T>::exchange_rows(T* first, Offset stride, Index width, Index columns) const {
  for (Index j = 0; j < columns; ++j, first += stride) {
    for (Index c = 0; c < width; ++c) std::swap(first[c], first[leader_.exchange[c]]);
  }
}

// The same for pivot rows that are stored as columns.
template <class T>
void FrontElimination<T>::exchange_columns(T* first, Offset stride, Index width, Index rows) const {
  for (Index c = 0; c < width; ++c) {
    const Index other = leader_.exchange[c];
    if (other == c) continue;
    std::swap_ranges(first + c * stride, first + c * stride + rows, first + other * stride);
  }
}

// The pivot rows k .. k + width right of the diagonal block: solved as columns of their transpose,
// which stays in the leader's scratch.
template <class T>
void FrontElimination<T>::eliminate_right_of(Index k, Index width) {
  const Index first = k + width, columns = front_->pivots - first;
  const Offset stride = front_->pivot_stride(), right_stride = padded(columns);
  const T* const diagonal = d_ + k * stride + k;
  team_.share_pieces(columns, piece_columns, [&](Index begin, Index count) {
    T* const right = leader_.right + begin;
    T* const rows = d_ + (first + begin) * stride + k;
    if (leader_.exchanges) exchange_rows(rows, stride, width, count);
    for (Index c = 0; c < width; ++c) {
      for (Index j = 0; j < count; ++j) right[c * right_stride + j] = rows[j * stride + c];
      for (Index j = count; j < padded(count); ++j) right[c * right_stride + j] = 0;
    }
    kernels_.solve(right, right_stride, padded(count), diagonal, stride, nullptr, width);
    for (Index j = 0; j < count; ++j) {
      for (Index c = 0; c < width; ++c) rows[j * stride + c] = right[c * right_stride + j];
    }
  });
}

// Updates the columns and rows of the pivots behind the block.
template <class T>
void FrontElimination<T>::update_behind(Index k, Index width) {
  const Index first = k + width, behind = front_->pivots - first;
  const Offset stride = front_->pivot_stride(), row_stride = front_->row_stride();
  const T* const block = d_ + k * stride + first;
  const T* const right = leader_.right;
  const Offset right_stride = padded(behind);
  const auto update = [&](T* c, Offset c_stride, const T* a, const T* b, Offset b_stride,
                          Index rows) {
    team_.share_tiles(rows, piece_rows, behind, piece_columns,
                      [&](Index i, Index height, Index j, Index columns) {
                        kernels_.multiply(c + i + j * c_stride, c_stride, a + i, c_stride, b + j,
                                          b_stride, height, columns, width, false);
                      });
  };
  update(d_ + first * stride + first, stride, block, right, right_stride, padded(behind));
  update(lower_ + first * row_stride, row_stride, lower_ + k * row_stride, right, right_stride,
         padded(front_->rows));
  update(upper_ + first * row_stride, row_stride, upper_ + k * row_stride, block, stride,
         padded(front_->rows));
  team_.wait();
}

template <class T>
void FrontElimination<T>::watch_growth() {
  team_.share_pieces(front_->pivots, piece_pivots, [&](Index begin, Index count) {
    for_columns(begin, count, [&](const T* values, Offset entries) {
      own_.watch.largest = std::max(own_.watch.largest, kernels_.largest(values, entries));
    });
  });
}

template <class T>
void FrontElimination<T>::contribute() {
  if (front_->rows == 0) return team_.wait();
  T* const block = contribution_of(*front_);
  const Offset stride = front_->row_stride();
  team_.share_tiles(padded(front_->rows), piece_rows, front_->rows, piece_columns,
                    [&](Index i, Index height, Index j, Index columns) {
                      kernels_.multiply(block + i + j * stride, stride, lower_ + i, stride,
                                        upper_ + j, stride, height, columns, front_->pivots, true);
                    });
  team_.wait();
  team_.share_pieces(front_->rows, piece_pivots, [&](Index begin, Index count) {
    add_to_contribution(block, front_->pivots + begin, front_->pivots + begin + count);
  });
  team_.wait();
}

// Adds the children's entries of columns begin .. end, which are not pivots, below the pivots.
template <class T>
void FrontElimination<T>::add_to_contribution(T* to, Index begin, Index end) {
  for_children([&](const ScheduledFront& child, const ChildRows& rows, const T* block) {
    const Index last = rows.position(end);
    for (Index j = rows.position(begin); j < last; ++j) {
      add_rows(to + (rows.all[at(j)] - front_->pivots) * front_->row_stride(), rows.beyond(),
               front_->pivots, block + j * child.row_stride() + rows.pivots);
    }
  });
}

template <class T>
T* FrontElimination<T>::contribution_of(const ScheduledFront& front) const {
  return (front.shared ? work_.shared_arena : own_.arena) + front.contribution;
}

template class FrontElimination<float>;
template class FrontElimination<double>;

}  // namespace lufact
