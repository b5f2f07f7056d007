// SPDX-License-Identifier: BSD-3-Clause
// The dense kernels for vectors of LUFACT_VECTOR_BYTES, to be included by one source file for each
// instruction set, in a namespace of its own. Nothing here may be an inline function that other
// files share: the linker would keep one copy, of any instruction set.
#pragma once
#include "core/fronts/numeric/dense_kernels.hpp"

namespace lufact {
namespace {

#define LUFACT_INLINE inline __attribute__((always_inline))

template <class T, int count>
struct Pack {
  static constexpr Index lanes = count;
  typedef T Vector __attribute__((vector_size(count * sizeof(T))));
  Vector v;

  static LUFACT_INLINE Pack load(const T* from) {
    Pack pack;
    __builtin_memcpy(&pack.v, from, sizeof pack.v);
    return pack;
  }
  static LUFACT_INLINE Pack zero() { return {Vector{}}; }
  LUFACT_INLINE void store(T* to) const { __builtin_memcpy(to, &v, sizeof v); }
};

template <class T>
inline constexpr int vector_lanes = LUFACT_VECTOR_BYTES / int{sizeof(T)};
template <class T>
using Wide = Pack<T, vector_lanes<T>>;
// For rows that fill no wide vector; they come in multiples of row_unit.
template <class T>
using Narrow = Pack < T,
      vector_lanes<T><row_unit ? vector_lanes<T> : row_unit>;

// Registers: as many accumulators as leave room for operands.
inline constexpr int product_packs = LUFACT_VECTOR_BYTES == 16 ? 2 : 3;
inline constexpr int product_columns = LUFACT_VECTOR_BYTES == 64 ? 8 : 4;
inline constexpr int solve_packs = LUFACT_VECTOR_BYTES == 64 ? 4 : 2;
inline constexpr Index product_depth_block = 128;
inline constexpr Index product_column_block = 64;

// Calls body(row, pack, count) for strips of `packs` wide vectors, of one, and of narrow ones.
template <class T, int packs, class Body>
LUFACT_INLINE void for_strips(Index rows, const Body& body) {
  constexpr Index lanes = Wide<T>::lanes;
  Index i = 0;
  for (; i + packs * lanes <= rows; i += packs * lanes) body.template operator()<Wide<T>, packs>(i);
  for (; i + lanes <= rows; i += lanes) body.template operator()<Wide<T>, 1>(i);
  for (; i < rows; i += Narrow<T>::lanes) body.template operator()<Narrow<T>, 1>(i);
}

template <class T>
struct Operands {
  T* c;
  Offset c_stride;
  const T* a;
  Offset a_stride;
  const T* b;
  Offset b_stride;
};

template <class P, int packs, int columns, class T>
LUFACT_INLINE void multiply_tile(const Operands<T>& o, Index i, Index j, Index depth, bool fresh) {
  P sum[packs][columns];
  for (int p = 0; p < packs; ++p) {
    for (int c = 0; c < columns; ++c) sum[p][c] = P::zero();
  }
  // What is needed last comes from farthest.
  constexpr int line = 64 / int{sizeof(T)};
  for (int c = 0; c < columns; ++c) {
    for (int r = 0; r < packs * P::lanes; r += line) {
      __builtin_prefetch(o.c + i + r + (j + c) * o.c_stride, 1);
    }
  }
  const T* a = o.a + i;
  const T* b = o.b + j;
  for (Index k = 0; k < depth; ++k, a += o.a_stride, b += o.b_stride) {
    P left[packs];
    for (int p = 0; p < packs; ++p) left[p] = P::load(a + p * P::lanes);
    for (int c = 0; c < columns; ++c) {
      for (int p = 0; p < packs; ++p) sum[p][c].v += left[p].v * b[c];
    }
  }
  for (int c = 0; c < columns; ++c) {
    for (int p = 0; p < packs; ++p) {
      T* const to = o.c + i + p * P::lanes + (j + c) * o.c_stride;
      P result = fresh ? P::zero() : P::load(to);
      result.v -= sum[p][c].v;
      result.store(to);
    }
  }
}

template <class P, int packs, class T>
LUFACT_INLINE void multiply_strip(const Operands<T>& o, Index i, Index columns, Index depth,
                                  bool fresh) {
  Index j = 0;
  for (; j + product_columns <= columns; j += product_columns) {
    multiply_tile<P, packs, product_columns>(o, i, j, depth, fresh);
  }
  if constexpr (product_columns > 4) {
    if (j + 4 <= columns) {
      multiply_tile<P, packs, 4>(o, i, j, depth, fresh);
      j += 4;
    }
  }
  if (j + 2 <= columns) {
    multiply_tile<P, packs, 2>(o, i, j, depth, fresh);
    j += 2;
  }
  if (j < columns) multiply_tile<P, packs, 1>(o, i, j, depth, fresh);
}

// The kernel `multiply`, inlined so that the compiler sees arguments that are constant.
template <class T>
LUFACT_INLINE void multiply_blocks(T* c, Offset c_stride, const T* a, Offset a_stride, const T* b,
                                   Offset b_stride, Index rows, Index columns, Index depth,
                                   bool fresh) {
  for (Index k = 0; k < depth; k += product_depth_block) {
    const Index deep = depth - k < product_depth_block ? depth - k : product_depth_block;
    for (Index j = 0; j < columns; j += product_column_block) {
      const Index wide = columns - j < product_column_block ? columns - j : product_column_block;
      const Operands<T> o{c + j * c_stride,     c_stride, a + k * a_stride, a_stride,
                          b + j + k * b_stride, b_stride};
      for_strips<T, product_packs>(
          rows, [&]<class P, int packs>(Index i) __attribute__((always_inline)) {
            multiply_strip<P, packs>(o, i, wide, deep, fresh && k == 0);
          });
    }
  }
}

template <class T>
void multiply(T* c, Offset c_stride, const T* a, Offset a_stride, const T* b, Offset b_stride,
              Index rows, Index columns, Index depth, bool fresh) {
  multiply_blocks(c, c_stride, a, a_stride, b, b_stride, rows, columns, depth, fresh);
}

template <class P, int packs, int columns, class T>
LUFACT_INLINE void solve_columns(T* x, Offset stride, const T* t, Offset t_stride, const T* inverse,
                                 Index j) {
  P result[packs][columns];
  for (int c = 0; c < columns; ++c) {
    for (int p = 0; p < packs; ++p) {
      result[p][c] = P::load(x + (j + c) * stride + p * P::lanes);
    }
  }
  const T* from = x;
  const T* row = t + j;
  for (Index k = 0; k < j; ++k, from += stride, row += t_stride) {
    P left[packs];
    for (int p = 0; p < packs; ++p) left[p] = P::load(from + p * P::lanes);
    for (int c = 0; c < columns; ++c) {
      for (int p = 0; p < packs; ++p) result[p][c].v -= left[p].v * row[c];
    }
  }
  for (int c = 0; c < columns; ++c, row += t_stride) {
    for (int p = 0; p < packs; ++p) {
      if (inverse != nullptr) result[p][c].v *= inverse[j + c];
      for (int d = c + 1; d < columns; ++d) result[p][d].v -= result[p][c].v * row[d];
      result[p][c].store(x + (j + c) * stride + p * P::lanes);
    }
  }
}

template <class T>
void solve(T* x, Offset stride, Index rows, const T* t, Offset t_stride, const T* inverse,
           Index width) {
  for_strips<T, solve_packs>(
      rows, [&]<class P, int packs>(Index i) __attribute__((always_inline)) {
        Index j = 0;
        for (; j + 4 <= width; j += 4) {
          solve_columns<P, packs, 4>(x + i, stride, t, t_stride, inverse, j);
        }
        for (; j < width; ++j) solve_columns<P, packs, 1>(x + i, stride, t, t_stride, inverse, j);
      });
}

template <class T>
LUFACT_INLINE T magnitude(T value) {
  return value < 0 ? -value : value;
}

template <class T>
LUFACT_INLINE T watched_pivot(T pivot, PivotWatch<T>& watch) {
  const T size = magnitude(pivot);
  if (size < watch.threshold) {
    const T replaced = pivot < 0 ? -watch.threshold : watch.threshold;
    const T change = magnitude(replaced - pivot);
    ++watch.perturbed;
    if (change > watch.largest_change) watch.largest_change = change;
    return replaced;
  }
  if (!(size > 0) || !(size - size == 0)) ++watch.unusable;
  return pivot;
}

// Columns of a diagonal block that are eliminated in registers.
inline constexpr Index register_block = 8;

// A column of `rows` entries, 4 or 8, in as many vectors as it takes.
template <class T, int rows>
struct RegisterColumn {
  using P = Pack<T, (vector_lanes<T> < rows ? vector_lanes<T> : rows)>;
  static constexpr int packs = rows / P::lanes;
  P part[packs];

  static LUFACT_INLINE RegisterColumn load(const T* from) {
    RegisterColumn column;
    for (int p = 0; p < packs; ++p) column.part[p] = P::load(from + p * P::lanes);
    return column;
  }
  LUFACT_INLINE void store(T* to) const {
    for (int p = 0; p < packs; ++p) part[p].store(to + p * P::lanes);
  }
  LUFACT_INLINE T get(int i) const { return part[i / P::lanes].v[i % P::lanes]; }
  // This column's entries down to row k, those of `low` below row k.
  LUFACT_INLINE RegisterColumn above(int k, const RegisterColumn& low) const {
    RegisterColumn result;
    for (int p = 0; p < packs; ++p) {
      decltype(part[p].v < part[p].v) is_low{};
      for (int lane = 0; lane < P::lanes; ++lane) is_low[lane] = p * P::lanes + lane > k ? -1 : 0;
      result.part[p].v = is_low ? low.part[p].v : part[p].v;
    }
    return result;
  }
  LUFACT_INLINE RegisterColumn times(T factor) const {
    RegisterColumn result;
    for (int p = 0; p < packs; ++p) result.part[p].v = part[p].v * factor;
    return result;
  }
  LUFACT_INLINE void subtract(const RegisterColumn& other, T times) {
    for (int p = 0; p < packs; ++p) part[p].v -= other.part[p].v * times;
  }
};

// The LU of a block of `width` <= rows columns. multiplier[k] becomes column k of L below the
// diagonal, zeros above.
template <class T, int rows>
LUFACT_INLINE void factor_in_registers(T* d, Offset stride, Index width, T* inverse, T* upper,
                                       RegisterColumn<T, rows>* multiplier, PivotWatch<T>& watch) {
  using Column = RegisterColumn<T, rows>;
  Column column[rows];
#pragma GCC unroll 8
  for (int j = 0; j < rows; ++j) column[j] = Column::load(d + (j < width ? j : 0) * stride);
#pragma GCC unroll 8
  for (int k = 0; k < rows; ++k) {
    if (k >= width) break;
    const T pivot = watched_pivot(column[k].get(k), watch);
    inverse[k] = T(1) / pivot;
    const Column lower = column[k].times(inverse[k]);
    column[k].above(k, lower).store(d + k * stride);
    d[k * stride + k] = pivot;
    multiplier[k] = Column{}.above(k, lower);
#pragma GCC unroll 8
    for (int j = k + 1; j < rows; ++j) {
      const T u = column[j].get(k);
      upper[k * diagonal_block + j] = u;
      column[j].subtract(multiplier[k], u);
    }
  }
}

// Eliminates a block of register_block columns and updates `rest` columns right and rows below.
template <class T>
LUFACT_INLINE void factor_with_rest(T* d, Offset stride, Index rest, T* inverse, T* upper,
                                    PivotWatch<T>& watch) {
  using Column = RegisterColumn<T, register_block>;
  Column multiplier[register_block];
  factor_in_registers(d, stride, register_block, inverse, upper, multiplier, watch);
  for (Index j = register_block; j < register_block + rest; ++j) {
    Column column = Column::load(d + j * stride);
#pragma GCC unroll 8
    for (int k = 0; k < register_block; ++k) {
      const T u = column.get(k);
      upper[k * diagonal_block + j] = u;
      column.subtract(multiplier[k], u);
    }
    column.store(d + j * stride);
  }
  const Index rows = (rest + row_unit - 1) / row_unit * row_unit;
  T* const below = d + register_block;
  solve(below, stride, rows, upper, Offset{diagonal_block}, inverse, register_block);
  multiply_blocks(below + register_block * stride, stride, below, stride, upper + register_block,
                  Offset{diagonal_block}, rows, rest, register_block, false);
}

template <class T>
void factor(T* d, Offset stride, Index width, T* inverse, T* upper, PivotWatch<T>& watch) {
  while (width > register_block) {
    width -= register_block;
    factor_with_rest(d, stride, width, inverse, upper, watch);
    d += register_block * (stride + 1);
    upper += register_block * (diagonal_block + 1);
    inverse += register_block;
  }
  if (width > row_unit) {
    RegisterColumn<T, register_block> multiplier[register_block];
    factor_in_registers(d, stride, width, inverse, upper, multiplier, watch);
  } else {
    RegisterColumn<T, row_unit> multiplier[row_unit];
    factor_in_registers(d, stride, width, inverse, upper, multiplier, watch);
  }
}

template <class T>
T largest(const T* x, Offset count) {
  using P = Narrow<T>;
  P most = P::zero();
  for (Offset i = 0; i < count; i += P::lanes) {
    const P value = P::load(x + i);
    const typename P::Vector size = value.v < 0 ? -value.v : value.v;
    most.v = size > most.v ? size : most.v;
  }
  T result = 0;
  for (int lane = 0; lane < P::lanes; ++lane) {
    if (most.v[lane] > result) result = most.v[lane];
  }
  return result;
}

}  // namespace
}  // namespace lufact
