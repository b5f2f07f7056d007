// SPDX-License-Identifier: BSD-3-Clause
#include "core/dense/cpu/host_lu.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/dense/cpu/aligned_storage.hpp"
#include "core/matrix/parallel.hpp"

namespace lufact {
namespace {

// Tiles of an update of vectors: rows of L that stay in the second-level cache while they go by.
constexpr Index tile_rows = 192, tile_columns = 256;
// Rows of a panel that are packed together.
constexpr Index packed_rows = RowRuns::unit;
// Of what is shared by columns; blocks are multiples of the second.
constexpr Index some_columns = 64, least_columns = 8;
// Entries of a matrix below which one thread does all.
constexpr Offset worthwhile = 96 * 96;

Index padded(Index rows) {
  return (rows + row_unit - 1) / row_unit * row_unit;
}

// Columns an odd number of cache lines apart: a row of them is spread over all sets of the cache.
template <class T>
Offset stride_of(Index rows) {
  constexpr Offset line = line_bytes / sizeof(T);
  return ((Offset{rows} + line - 1) / line | 1) * line;
}

// Calls body(begin, end) for this thread's parts of [first, last), `some` columns each.
template <class Body>
void share_columns(const ThreadTeam& team, Index first, Index last, Index some, const Body& body) {
  if (first >= last) return;
  team.share((Offset{last} - first + some - 1) / some, [&](Offset part) {
    const auto begin = static_cast<Index>(first + part * some);
    body(begin, std::min(last, begin + some));
  });
}

// Calls body(row, rows, column, columns) for this thread's tiles.
template <class Body>
void share_product(const ThreadTeam& team, Index rows, Index columns, const Body& body) {
  if (rows <= 0 || columns <= 0) return;
  const Offset high = (Offset{rows} + tile_rows - 1) / tile_rows;
  const Offset wide = (Offset{columns} + tile_columns - 1) / tile_columns;
  team.share(high * wide, [&](Offset tile) {
    const auto row = static_cast<Index>(tile % high * tile_rows);
    const auto column = static_cast<Index>(tile / high * tile_columns);
    body(row, std::min(tile_rows, rows - row), column, std::min(tile_columns, columns - column));
  });
}

template <class Body>
void with_team(int threads, const Body& body) {
  if (threads == 1) return body(ThreadTeam());
#pragma omp parallel num_threads(threads)
  body(ThreadTeam::of_region());
}

}  // namespace

template <class T>
HostLu<T>::HostLu(Index m, Index n, ArrayPivoting pivoting, Index block, int threads)
    : a_{nullptr, stride_of<T>(m), m, padded(m), n},
      pivoting_(pivoting),
      block_(block),
      threads_(threads),
      pivots_(at(std::min(m, n))),
      panel_(pivoting, block, threads, pivots_) {
  resize_aligned(storage_, a_.stride * n);
  const Offset upper_columns = Offset{n} + some_columns + block;
  resize_aligned(beside_, upper_columns * block);
  const Offset below = n > block ? round_up(m, packed_rows) : 0;
  for (RawVector<T>& packed : packed_) resize_aligned(packed, below * block);
  a_.entries = aligned(storage_);
}

template <class T>
T* HostLu<T>::rows_of_u(Index column) {
  return aligned(beside_) + Offset{column} * block_;
}

template <class T>
int HostLu<T>::team_size(Offset work) const {
  return threads_for(work, worthwhile, threads_);
}

template <class T>
template <class Real>
void HostLu<T>::load(const Real* a, Offset ld) {
  with_team(team_size(Offset{a_.rows} * a_.columns), [&](const ThreadTeam& team) {
    share_columns(team, 0, a_.columns, some_columns, [&](Index begin, Index end) {
      for (Index j = begin; j < end; ++j) {
        const Real* const from = a + Offset{j} * ld;
        T* const to = &a_(0, j);
        for (Index i = 0; i < a_.rows; ++i) to[i] = static_cast<T>(from[i]);
        std::fill(to + a_.rows, to + a_.padded_rows, T(0));
      }
    });
  });
}

template <class T>
template <class Real>
void HostLu<T>::store(Real* a, Offset ld) const {
  with_team(team_size(Offset{a_.rows} * a_.columns), [&](const ThreadTeam& team) {
    share_columns(team, 0, a_.columns, some_columns, [&](Index begin, Index end) {
      for (Index j = begin; j < end; ++j) std::copy_n(&a_(0, j), a_.rows, a + Offset{j} * ld);
    });
  });
}

template <class T>
template <class Other>
void HostLu<T>::take_factors(const HostLu<Other>& other) {
  load(other.a_.entries, other.a_.stride);
  std::ranges::copy(other.pivots_, pivots_.begin());
  info_ = other.info_;
  inverse_.clear();
}

template <class T>
std::int32_t HostLu<T>::factor() {
  info_ = 0;
  inverse_.clear();
  panel_.restart();
  with_team(team_size(Offset{a_.rows} * a_.columns),
            [&](const ThreadTeam& team) { factor_with(team); });
  return info_;
}

// While some threads bring the columns of the next panel up to date and eliminate it, the others
// update what is behind it, a few columns at a time; who is through first helps (look-ahead:
// Strazdins, "A comparison of lookahead and algorithmic blocking techniques", 1998). Exchanges of
// rows in the columns of L are left to the end.
template <class T>
void HostLu<T>::factor_with(const ThreadTeam& region) {
  const ThreadTeam team = region.first(region.size(), everyone_);
  const Index order = std::min(a_.rows, a_.columns);
  if (team.leads()) taken_[0] = 0;
  eliminate_panel(team.first(panel_threads(team, 0, 0), meeting_), 0, std::min(block_, order));
  team.wait();
  for (Index first = 0; first < order; first += block_) {
    const Index width = std::min(block_, order - first), next = first + width;
    const Index behind = next + std::min(block_, order - next);
    std::atomic<Offset>& taken = taken_[at(first / block_ % 2)];
    if (team.leads()) taken_[at((first / block_ + 1) % 2)] = 0;
    const ThreadTeam part = team.first(panel_threads(team, next, a_.columns - behind), meeting_);
    if (next < behind && part.joined()) {
      update_next_panel(part, first, width, behind - next);
      eliminate_panel(part, next, behind - next);
    }
    update_behind(team, first, width, behind, taken);
    team.wait();
  }
  exchange_in_l(team);
}

// Of a panel from row `first` on, with `behind` columns that are updated beside it: as many as its
// share of the work, an operation of the panel being taken for two of a product's, and for four
// where every column waits for a pivot. More are no loss, for they help behind it when they are
// through; with fewer all others would wait.
template <class T>
int HostLu<T>::panel_threads(const ThreadTeam& team, Index first, Index behind) const {
  constexpr Index least_rows = 128;
  const Offset weight = pivoting_ == ArrayPivoting::none ? 2 : 4;
  const Offset panel = weight * block_, rest = Offset{behind};
  const Offset share = (team.size() * panel + (panel + rest) / 2) / (panel + rest);
  const Offset most = (Offset{a_.rows} - first) / least_rows;
  return static_cast<int>(std::clamp<Offset>(std::min(share, most), 1, team.size()));
}

// The rows below the panel are then packed for the products with them.
template <class T>
void HostLu<T>::eliminate_panel(const ThreadTeam& part, Index first, Index width) {
  if (!part.joined()) return;
  panel_.eliminate(part, a_, first, width, info_);
  const Index next = first + width;
  if (next >= a_.columns) return;
  for_packed(part, next, [&](Index row, Index rows, T* packed) {
    for (Index k = 0; k < width; ++k) {
      std::copy_n(&a_(row, first + k), rows, packed + k * packed_rows);
    }
  });
}

// Calls body(row, rows, place in packed_) for pieces of this thread's run of the rows from `next`
// on, that are below a panel. The panel that begins there is shared in the same runs.
template <class T>
template <class Body>
void HostLu<T>::for_packed(const ThreadTeam& team, Index next, const Body& body) {
  if (next >= a_.padded_rows) return;
  RawVector<T>& packed = packed_[at((next + block_ - 1) / block_ % 2)];
  const RowRuns runs(next, a_.padded_rows, team.size());
  const Index end = runs.end(team.rank());
  for (Index row = runs.begin(team.rank()); row < end; row += packed_rows) {
    body(row, std::min(packed_rows, end - row), aligned(packed) + Offset{row - next} * block_);
  }
}

// Columns [begin, end) behind a panel [first, first + width) get its exchanges and become rows of
// U, which `upper` then has as solve_upper() says.
template <class T>
void HostLu<T>::solve_rows_of_u(Index first, Index width, Index begin, Index end, T* upper,
                                Offset stride) {
  if (pivoting_ != ArrayPivoting::none) {
    exchange_rows<T>(a_, pivots_, first, first + width, begin, end);
  }
  solve_upper(a_, first, width, begin, end, upper, stride);
}

// This thread's rows below the panel, less what the panel and `upper` have to do with them.
template <class T>
void HostLu<T>::multiply(const ThreadTeam& team, Index first, Index width, Index begin, Index end,
                         const T* upper, Offset stride) {
  for_packed(team, first + width, [&](Index row, Index rows, const T* packed) {
    dense_kernels<T>().multiply(&a_(row, begin), a_.stride, packed, Offset{packed_rows}, upper,
                                stride, rows, end - begin, width, false);
  });
}

// The columns of the panel behind the one at `first`, by the threads that will eliminate it.
template <class T>
void HostLu<T>::update_next_panel(const ThreadTeam& part, Index first, Index width, Index columns) {
  const Index next = first + width, end = next + columns;
  T* const upper = rows_of_u(a_.columns + some_columns);
  share_columns(part, next, end, least_columns, [&](Index begin, Index stop) {
    solve_rows_of_u(first, width, begin, stop, upper + (begin - next), Offset{block_});
  });
  part.wait();
  multiply(part, first, width, next, end, upper, Offset{block_});
  part.wait();
}

// The columns from `begin` on, which threads take as they come.
template <class T>
void HostLu<T>::update_behind(const ThreadTeam& team, Index first, Index width, Index begin,
                              std::atomic<Offset>& taken) {
  constexpr Index parts = 6;  // of every thread, since threads are not equally fast
  const Index columns = a_.columns - begin;
  const Index some = std::clamp(round_up(columns / (parts * team.size()), least_columns),
                                2 * least_columns, some_columns);
  for (Offset part = taken++; part * some < columns; part = taken++) {
    const auto from = static_cast<Index>(begin + part * some);
    const Index to = std::min(a_.columns, from + some);
    T* const upper = rows_of_u(from);
    solve_rows_of_u(first, width, from, to, upper, Offset{some});
    multiply(ThreadTeam(), first, width, from, to, upper, Offset{some});
  }
}

template <class T>
void HostLu<T>::exchange_in_l(const ThreadTeam& team) {
  if (pivoting_ == ArrayPivoting::none) return;
  const Index order = std::min(a_.rows, a_.columns);
  share_columns(team, 0, order, least_columns, [&](Index begin, Index end) {
    const Index behind = std::min(order, (begin / block_ + 1) * block_);
    exchange_rows<T>(a_, pivots_, behind, order, begin, end);
  });
}

template <class T>
bool HostLu<T>::finite() const {
  for (Index j = 0; j < a_.columns; ++j) {
    for (Index i = 0; i < a_.rows; ++i) {
      if (!std::isfinite(a_(i, j))) return false;
    }
  }
  return true;
}

template <class T>
void HostLu<T>::solve(T* x, Offset ldx, Index columns) {
  const Index n = a_.columns;
  if (inverse_.empty()) {
    inverse_.resize(at(n));
    for (Index k = 0; k < n; ++k) inverse_[at(k)] = T(1) / a_(k, k);
  }
  vectors_.resize(checked_bytes(Offset{padded(n)} * columns, sizeof(T)) / sizeof(T));
  of_block_.resize(at(Offset{block_} * columns));
  with_team(team_size(Offset{n} * n), [&](const ThreadTeam& team) {
    load_vectors(team, x, ldx, columns);
    const Index last = (n - 1) / block_ * block_;
    for (Index first = 0; first < n; first += block_) {
      const Index width = std::min(block_, n - first);
      solve_block(team, first, width, columns, false);
      update_vectors(team, first, width, columns, first + width, padded(n));
    }
    for (Index first = last; first >= 0; first -= block_) {
      solve_block(team, first, std::min(block_, n - first), columns, true);
      update_vectors(team, first, std::min(block_, n - first), columns, 0, first);
    }
    store_vectors(team, x, ldx, columns);
  });
}

template <class T>
void HostLu<T>::load_vectors(const ThreadTeam& team, const T* x, Offset ldx, Index columns) {
  const Index n = a_.columns;
  team.share(columns, [&](Offset c) {
    T* const to = vectors_.data() + c * padded(n);
    std::copy_n(x + c * ldx, n, to);
    std::fill(to + n, to + padded(n), T(0));
    for (Index k = 0; k < n && pivoting_ != ArrayPivoting::none; ++k) {
      std::swap(to[k], to[pivots_[at(k)] - 1]);
    }
  });
  team.wait();
}

template <class T>
void HostLu<T>::store_vectors(const ThreadTeam& team, T* x, Offset ldx, Index columns) {
  const Index n = a_.columns;
  team.share(columns,
             [&](Offset c) { std::copy_n(vectors_.data() + c * padded(n), n, x + c * ldx); });
}

// The rows of a diagonal block, which of_block_ then has for the product.
template <class T>
void HostLu<T>::solve_block(const ThreadTeam& team, Index first, Index width, Index columns,
                            bool upper) {
  const Index sides = columns == 1 ? 1 : side_by_side;
  const auto begin = inverse_.begin() + first;
  const bool divides =
      upper && !std::all_of(begin, begin + width, [](T v) { return std::isfinite(v); });
  const T* const diagonal = &a_(first, first);
  team.share((Offset{columns} + sides - 1) / sides, [&](Offset group) {
    const auto c0 = static_cast<Index>(group * sides);
    const Index some = std::min(sides, columns - c0);
    std::vector<T> y(at(Offset{width} * sides), T(0));
    for (Index s = 0; s < some; ++s) {
      const T* const from = vectors_.data() + Offset{c0 + s} * padded(a_.columns) + first;
      for (Index k = 0; k < width; ++k) y[at(Offset{k} * sides + s)] = from[k];
    }
    if (!upper) {
      dense_kernels<T>().forward(y.data(), diagonal, a_.stride, width, sides);
    } else if (!divides) {
      dense_kernels<T>().backward(y.data(), diagonal, a_.stride, &*begin, width, sides);
    } else {
      for (Index k = width - 1; k >= 0; --k) {  // a pivot without a reciprocal
        for (Index s = 0; s < sides; ++s) {
          T& value = y[at(Offset{k} * sides + s)];
          value /= diagonal[k * a_.stride + k];
          for (Index i = 0; i < k; ++i) {
            y[at(Offset{i} * sides + s)] -= diagonal[k * a_.stride + i] * value;
          }
        }
      }
    }
    for (Index s = 0; s < some; ++s) {
      T* const to = vectors_.data() + Offset{c0 + s} * padded(a_.columns) + first;
      for (Index k = 0; k < width; ++k) {
        to[k] = y[at(Offset{k} * sides + s)];
        of_block_[at(Offset{k} * columns + c0 + s)] = to[k];
      }
    }
  });
  team.wait();
}

// Rows [begin, end) of the vectors, less what the block's rows have to do with them.
template <class T>
void HostLu<T>::update_vectors(const ThreadTeam& team, Index first, Index width, Index columns,
                               Index begin, Index end) {
  if (begin < a_.rows) {
    const Offset stride = padded(a_.columns);
    share_product(team, end - begin, columns, [&](Index row, Index rows, Index column, Index some) {
      dense_kernels<T>().multiply(vectors_.data() + column * stride + begin + row, stride,
                                  &a_(begin + row, first), a_.stride, of_block_.data() + column,
                                  Offset{columns}, rows, some, width, false);
    });
  }
  team.wait();
}

#define LUFACT_HOST_LU_OF(T, Other)                             \
  template class HostLu<T>;                                     \
  template void HostLu<T>::load<float>(const float*, Offset);   \
  template void HostLu<T>::load<double>(const double*, Offset); \
  template void HostLu<T>::store<T>(T*, Offset) const;          \
  template void HostLu<T>::take_factors<Other>(const HostLu<Other>&);
LUFACT_HOST_LU_OF(float, double)
LUFACT_HOST_LU_OF(double, float)
#undef LUFACT_HOST_LU_OF

}  // namespace lufact
