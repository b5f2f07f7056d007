// SPDX-License-Identifier: BSD-3-Clause
// Between the matrices of a batch and a panel, which has equal entries of as many matrices as a
// vector has lanes side by side.
#pragma once
#include "core/array/array_problem.hpp"
#include "core/batch/cpu/lanes.hpp"

namespace lufact {
namespace {

// Entry (i, j) of a panel of n rows is vector j * stride + i. Odd beyond a few rows, so that the
// entries of a row do not share the few sets of a cache that a power of two has for them.
constexpr Offset panel_stride(Index n) {
  return n <= 8 ? n : n | 1;
}

// The matrices of a group: first addresses and the strides of their entries. Lanes that have no
// matrix repeat the last one, and are not stored.
template <class L>
struct GroupMatrices {
  using Real = typename L::Real;
  Real* first[L::count];
  Offset row_stride, column_stride;
  int lanes;          // that have a matrix
  bool side_by_side;  // interleaved, and every lane has a matrix

  // Whether a matrix of n rows is one run of entries, in memory as in a panel.
  bool columns_join(Index n) const {
    return row_stride == 1 && column_stride == n && panel_stride(n) == n;
  }
};

template <class L>
GroupMatrices<L> group_matrices(void* base, ArrayLayout layout, Index columns, Index ld,
                                Offset count, Offset begin, Offset end) {
  using Real = typename L::Real;
  GroupMatrices<L> group{};
  group.lanes = end - begin < L::count ? static_cast<int>(end - begin) : L::count;
  const bool interleaved = layout == ArrayLayout::interleaved;
  for (int lane = 0; lane < L::count; ++lane) {
    const Offset k = begin + (lane < group.lanes ? lane : group.lanes - 1);
    if (layout == ArrayLayout::pointers) {
      group.first[lane] = static_cast<Real* const*>(base)[k];
    } else {
      group.first[lane] = static_cast<Real*>(base) + k * (interleaved ? 1 : Offset{ld} * columns);
    }
  }
  group.row_stride = interleaved ? count : 1;
  group.column_stride = interleaved ? count * ld : ld;
  group.side_by_side = interleaved && group.lanes == L::count;
  return group;
}

// Entries [begin, end) of every lane, which are consecutive, into the vectors of these numbers:
// `size` at a time, what is left by halves of it.
template <class L, int size = L::count>
void pack_run(typename L::Real* const* from, Offset begin, Offset end, typename L::Real* panel) {
  for (; begin + size <= end; begin += size) {
    typename L::Vector rows[size];
    for (int row = 0; row < size; ++row) {
      rows[row] = parts_from<L, L::count, size>(from + row, begin);
    }
    transpose<L, size>(rows);
    for (int e = 0; e < size; ++e) vector_at<L>(panel, begin + e) = rows[e];
  }
  if constexpr (size > 1) pack_run<L, size / 2>(from, begin, end, panel);
}

// The way back, for the first `used` lanes.
template <class L, int size = L::count>
void unpack_run(const typename L::Real* panel, Offset begin, Offset end, int used,
                typename L::Real* const* to) {
  for (; begin + size <= end; begin += size) {
    typename L::Vector rows[size];
    for (int e = 0; e < size; ++e) rows[e] = vector_at<L>(panel, begin + e);
    transpose<L, size>(rows);
    for (int row = 0; row < size; ++row) {
      store_parts<L, size>(rows[row], used - row, to + row, begin);
    }
  }
  if constexpr (size > 1) unpack_run<L, size / 2>(panel, begin, end, used, to);
}

template <class L>
void pack(const GroupMatrices<L>& group, Index n, Index columns, typename L::Real* panel) {
  constexpr int lanes = L::count;
  if (group.columns_join(n)) return pack_run<L>(group.first, 0, Offset{n} * columns, panel);
  for (Index j = 0; j < columns; ++j) {
    typename L::Real* const column = panel + j * panel_stride(n) * lanes;
    typename L::Real* from[lanes];
    for (int lane = 0; lane < lanes; ++lane) {
      from[lane] = group.first[lane] + j * group.column_stride;
    }
    if (group.row_stride == 1) {
      pack_run<L>(from, 0, n, column);
      continue;
    }
    for (Index i = 0; i < n; ++i) {
      const Offset place = i * group.row_stride;
      if (group.side_by_side) {
        vector_at<L>(column, i) = *reinterpret_cast<const typename L::Anywhere*>(from[0] + place);
        continue;
      }
      for (int lane = 0; lane < lanes; ++lane) column[i * lanes + lane] = from[lane][place];
    }
  }
}

// Column j of the panel becomes column column_of[j * lanes + lane] of its lane's matrix; column j
// where `column_of` is null.
template <class L>
void unpack(const typename L::Real* panel, Index n, Index columns, const std::int32_t* column_of,
            const GroupMatrices<L>& group) {
  constexpr int lanes = L::count;
  if (column_of == nullptr && group.columns_join(n)) {
    return unpack_run<L>(panel, 0, Offset{n} * columns, group.lanes, group.first);
  }
  for (Index j = 0; j < columns; ++j) {
    const typename L::Real* const column = panel + j * panel_stride(n) * lanes;
    typename L::Real* to[lanes];
    for (int lane = 0; lane < lanes; ++lane) {
      const Index target = column_of == nullptr ? j : column_of[j * lanes + lane];
      to[lane] = group.first[lane] + target * group.column_stride;
    }
    if (group.row_stride == 1) {
      unpack_run<L>(column, 0, n, group.lanes, to);
      continue;
    }
    for (Index i = 0; i < n; ++i) {
      const Offset place = i * group.row_stride;
      if (group.side_by_side && column_of == nullptr) {
        *reinterpret_cast<typename L::Anywhere*>(to[0] + place) = vector_at<L>(column, i);
        continue;
      }
      for (int lane = 0; lane < group.lanes; ++lane) {
        to[lane][place] = column[i * lanes + lane];
      }
    }
  }
}

}  // namespace
}  // namespace lufact
