// SPDX-License-Identifier: BSD-3-Clause
// Between the matrices of a batch and a panel, which has equal entries of as many matrices as a
// vector has lanes side by side.
#pragma once
#include "core/array/array_problem.hpp"
#include "core/batch/cpu/lanes.hpp"

namespace lufact {
namespace {

// Entry (i, j) of a panel of n rows is vector j * stride + i. Odd, so that the entries of a row do
// not share the few sets of a cache that a power of two has for them.
constexpr Offset panel_stride(Index n) {
  return n | 1;
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

// `length` consecutive entries of every lane into vectors from `panel` on.
template <class L>
void pack_run(typename L::Real* const* from, Offset length, typename L::Real* panel) {
  constexpr int lanes = L::count;
  Offset p = 0;
  for (; p + lanes <= length; p += lanes) {
    typename L::Vector rows[lanes];
    for (int lane = 0; lane < lanes; ++lane) {
      rows[lane] = *reinterpret_cast<const typename L::Anywhere*>(from[lane] + p);
    }
    transpose<L>(rows);
    for (int e = 0; e < lanes; ++e) vector_at<L>(panel, p + e) = rows[e];
  }
  for (; p < length; ++p) {
    for (int lane = 0; lane < lanes; ++lane) panel[p * lanes + lane] = from[lane][p];
  }
}

// The way back, for the first `used` lanes.
template <class L>
void unpack_run(const typename L::Real* panel, Offset length, int used,
                typename L::Real* const* to) {
  constexpr int lanes = L::count;
  Offset p = 0;
  for (; p + lanes <= length; p += lanes) {
    typename L::Vector rows[lanes];
    for (int e = 0; e < lanes; ++e) rows[e] = vector_at<L>(panel, p + e);
    transpose<L>(rows);
    for (int lane = 0; lane < used; ++lane) {
      *reinterpret_cast<typename L::Anywhere*>(to[lane] + p) = rows[lane];
    }
  }
  for (; p < length; ++p) {
    for (int lane = 0; lane < used; ++lane) to[lane][p] = panel[p * lanes + lane];
  }
}

template <class L>
void pack(const GroupMatrices<L>& group, Index n, Index columns, typename L::Real* panel) {
  constexpr int lanes = L::count;
  for (Index j = 0; j < columns; ++j) {
    typename L::Real* const column = panel + j * panel_stride(n) * lanes;
    typename L::Real* from[lanes];
    for (int lane = 0; lane < lanes; ++lane) {
      from[lane] = group.first[lane] + j * group.column_stride;
    }
    if (group.row_stride == 1) {
      pack_run<L>(from, n, column);
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
  for (Index j = 0; j < columns; ++j) {
    const typename L::Real* const column = panel + j * panel_stride(n) * lanes;
    typename L::Real* to[lanes];
    for (int lane = 0; lane < lanes; ++lane) {
      const Index target = column_of == nullptr ? j : column_of[j * lanes + lane];
      to[lane] = group.first[lane] + target * group.column_stride;
    }
    if (group.row_stride == 1) {
      unpack_run<L>(column, n, group.lanes, to);
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
