// SPDX-License-Identifier: BSD-3-Clause
#include "core/dense/cpu/host_lu.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/matrix/parallel.hpp"

namespace lufact {
namespace {

// Tiles of the update: rows of L that stay in the second-level cache while columns go by.
constexpr Index tile_rows = 192, tile_columns = 256;
constexpr Index some_columns = 64;  // of what is shared by columns
// Entries of a matrix below which one thread does all.
constexpr Offset worthwhile = 96 * 96;

Index padded(Index rows) {
  return (rows + row_unit - 1) / row_unit * row_unit;
}

// Columns a multiple of a page apart would share a few sets of the cache.
template <class T>
Offset stride_of(Index rows) {
  constexpr Offset page = 4096 / sizeof(T), line = 64 / sizeof(T);
  const Offset stride = (padded(rows) + line - 1) / line * line;
  return stride % page == 0 ? stride + line : stride;
}

// Calls body(begin, end) for this thread's parts of [first, last).
template <class Body>
void share_columns(const ThreadTeam& team, Index first, Index last, const Body& body) {
  if (first >= last) return;
  team.share((Offset{last} - first + some_columns - 1) / some_columns, [&](Offset part) {
    const auto begin = static_cast<Index>(first + part * some_columns);
    body(begin, std::min(last, begin + some_columns));
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
      panel_(pivoting, block, threads),
      pivots_(at(std::min(m, n))) {
  storage_.resize(checked_bytes(a_.stride * n, sizeof(T)) / sizeof(T));
  beside_.resize(checked_bytes(Offset{padded(n)} * block, sizeof(T)) / sizeof(T));
  a_.entries = storage_.data();
}

template <class T>
int HostLu<T>::team_size(Offset work) const {
  return threads_for(work, worthwhile, threads_);
}

template <class T>
template <class Real>
void HostLu<T>::load(const Real* a, Offset ld) {
  with_team(team_size(Offset{a_.rows} * a_.columns), [&](const ThreadTeam& team) {
    share_columns(team, 0, a_.columns, [&](Index begin, Index end) {
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
    share_columns(team, 0, a_.columns, [&](Index begin, Index end) {
      for (Index j = begin; j < end; ++j) std::copy_n(&a_(0, j), a_.rows, a + Offset{j} * ld);
    });
  });
}

template <class T>
template <class Other>
void HostLu<T>::take_factors(const HostLu<Other>& other) {
  load(other.a_.entries, other.a_.stride);
  pivots_ = other.pivots_;
  info_ = other.info_;
  inverse_.clear();
}

template <class T>
std::int32_t HostLu<T>::factor() {
  info_ = 0;
  inverse_.clear();
  with_team(team_size(Offset{a_.rows} * a_.columns),
            [&](const ThreadTeam& team) { factor_with(team); });
  return info_;
}

template <class T>
void HostLu<T>::factor_with(const ThreadTeam& team) {
  const Index order = std::min(a_.rows, a_.columns);
  for (Index first = 0; first < order; first += block_) {
    const Index width = std::min(block_, order - first);
    panel_.eliminate(team, a_, first, width, pivots_.data(), info_);
    exchange_beside(team, first, width);
    solve_rows_of_u(team, first, width);
    update_rest(team, first, width);
  }
}

template <class T>
void HostLu<T>::exchange_beside(const ThreadTeam& team, Index first, Index width) {
  if (pivoting_ == ArrayPivoting::none) return;
  const auto exchange = [&](Index begin, Index end) {
    for (Index j = begin; j < end; ++j) {
      for (Index k = first; k < first + width; ++k) std::swap(a_(k, j), a_(pivots_[at(k)] - 1, j));
    }
  };
  share_columns(team, 0, first, exchange);
  share_columns(team, first + width, a_.columns, exchange);
  team.wait();
}

// The rows of U beside the panel as columns of beside_, where the product takes them from.
template <class T>
void HostLu<T>::solve_rows_of_u(const ThreadTeam& team, Index first, Index width) {
  const Index behind = first + width;
  const Offset stride = padded(a_.columns);
  share_columns(team, behind, a_.columns, [&](Index begin, Index end) {
    T* const part = beside_.data() + (begin - behind);
    const Index columns = end - begin;
    for (Index i = 0; i < width; ++i) {
      for (Index j = 0; j < columns; ++j) part[i * stride + j] = a_(first + i, begin + j);
      std::fill(part + i * stride + columns, part + i * stride + padded(columns), T(0));
    }
    dense_kernels<T>().solve(part, stride, padded(columns), &a_(first, first), a_.stride, nullptr,
                             width);
    for (Index j = 0; j < columns; ++j) {
      for (Index i = 0; i < width; ++i) a_(first + i, begin + j) = part[i * stride + j];
    }
  });
  team.wait();
}

template <class T>
void HostLu<T>::update_rest(const ThreadTeam& team, Index first, Index width) {
  const Index behind = first + width;
  if (behind < a_.rows) {
    share_product(team, a_.padded_rows - behind, a_.columns - behind,
                  [&](Index row, Index rows, Index column, Index columns) {
                    dense_kernels<T>().multiply(&a_(behind + row, behind + column), a_.stride,
                                                &a_(behind + row, first), a_.stride,
                                                beside_.data() + column, Offset{padded(a_.columns)},
                                                rows, columns, width, false);
                  });
  }
  team.wait();
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
