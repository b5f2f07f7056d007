// SPDX-License-Identifier: BSD-3-Clause
// What the tile of a product whose factors come by tensor maps does to the target.
#pragma once
#include <cstdint>

#include "gpu/dense/ours/mapped_panels.cuh"

namespace lufact::gpu::blocked {

// 16 bytes of a column: what is left of them after those of the sums.
__device__ inline double2 difference(double2 a, double2 b) {
  return make_double2(a.x - b.x, a.y - b.y);
}
__device__ inline float4 difference(float4 a, float4 b) {
  return make_float4(a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w);
}
// The first `count` entries, where these are fewer.
__device__ inline double2 load_some(const double* from, int count) {
  return make_double2(count > 0 ? __ldcg(from) : 0, count > 1 ? __ldcg(from + 1) : 0);
}
__device__ inline float4 load_some(const float* from, int count) {
  return make_float4(count > 0 ? __ldcg(from) : 0, count > 1 ? __ldcg(from + 1) : 0,
                     count > 2 ? __ldcg(from + 2) : 0, count > 3 ? __ldcg(from + 3) : 0);
}
__device__ inline void store_some(double* to, int count, double2 piece) {
  if (count > 0) __stcg(to, piece.x);
  if (count > 1) __stcg(to + 1, piece.y);
}
__device__ inline void store_some(float* to, int count, float4 piece) {
  if (count > 0) __stcg(to, piece.x);
  if (count > 1) __stcg(to + 1, piece.y);
  if (count > 2) __stcg(to + 2, piece.z);
  if (count > 3) __stcg(to + 3, piece.w);
}

// The part of the target that a tile takes its sums from.
template <class Tile, class T = typename Tile::Entry>
class MappedTarget {
 public:
  __device__ MappedTarget(const Product<T>& product, Index row, Index column)
      : first_(product.target + column * product.ld_target + row),
        ld_(product.ld_target),
        rows_(min(product.rows - row, Index{Tile::rows})),
        columns_(min(product.columns - column, Index{Tile::columns})) {}

  // Asks for it in the second-level cache, where it should be when the sums are complete.
  __device__ void prefetch() const {
    constexpr int line = 128 / sizeof(T), lines = Tile::rows / line;
    static_assert(Tile::columns * lines % Tile::threads == 0);
#pragma unroll
    for (int first = 0; first < Tile::columns * lines; first += Tile::threads) {
      const int k = first + static_cast<int>(threadIdx.x);
      const int i = k % lines * line, j = k / lines;
      if (i < rows_ && j < columns_) {
        asm volatile("prefetch.global.L2 [%0];" ::"l"(first_ + j * ld_ + i));
      }
    }
  }

  template <class Sums>
  __device__ void subtract(const MappedLane<Tile>& lane, const Sums& sums) const {
    const int row = Tile::first_row(lane), column = Tile::first_column(lane);
    T* const own = first_ + column * ld_ + row;
    const bool whole = rows_ == Tile::rows && columns_ == Tile::columns;
    const bool aligned =
        reinterpret_cast<std::uintptr_t>(first_) % piece_bytes == 0 && ld_ % piece_entries == 0;
    if (whole && aligned) {
      subtract_pieces<16>(sums, [&](int i, int j) { return WholePiece{own + j * ld_ + i}; });
    } else {
      subtract_pieces<8>(sums, [&](int i, int j) {
        return OpenPiece{own + j * ld_ + i, column + j < columns_ ? rows_ - row - i : 0};
      });
    }
  }

 private:
  static constexpr int piece_bytes = 16, piece_entries = piece_bytes / int{sizeof(T)};
  using Piece = decltype(load_some(static_cast<const T*>(nullptr), 0));

  struct WholePiece {
    T* place;
    __device__ Piece load() const { return __ldcg(reinterpret_cast<const Piece*>(place)); }
    __device__ void store(Piece piece) const { __stcg(reinterpret_cast<Piece*>(place), piece); }
  };
  // Some of whose entries are in the target, on any boundary.
  struct OpenPiece {
    T* place;
    int count;
    __device__ Piece load() const { return load_some(place, count); }
    __device__ void store(Piece piece) const { store_some(place, count, piece); }
  };

  // place(i, j): the piece so many rows and columns from the lane's first one. So many pieces of
  // the target are on their way at a time.
  template <int ahead, class Sums, class Place>
  __device__ static void subtract_pieces(const Sums& sums, const Place& place) {
    constexpr int count = Sums::row_pieces * Sums::column_pieces;
    const auto at = [&](int p) {
      return place(p / Sums::column_pieces * Sums::row_step,
                   p % Sums::column_pieces * Sums::column_step);
    };
    Piece pieces[ahead];
#pragma unroll
    for (int p = 0; p < ahead; ++p) pieces[p] = at(p).load();
#pragma unroll
    for (int p = 0; p < count; ++p) {
      Piece& old = pieces[p % ahead];
      const Piece sum = sums.piece(p / Sums::column_pieces, p % Sums::column_pieces);
      at(p).store(difference(old, sum));
      if (p + ahead < count) old = at(p + ahead).load();
    }
  }

  T* first_;
  Offset ld_;
  int rows_, columns_;
};

}  // namespace lufact::gpu::blocked
