// SPDX-License-Identifier: BSD-3-Clause
// Partial pivoting among the pivot rows of a tile: chooses the rows that the pivots of a step come
// from, and exchanges them in the registers that hold the tile.
#pragma once
#include "core/pipeline/pivoting.hpp"
#include "gpu/components/quick_reciprocal.cuh"
#include "gpu/fronts/tasks/tile_layout.cuh"
#include "gpu/numeric/pivots.cuh"

namespace lufact::gpu {

// Static pivoting.
struct FixedRows {
  static constexpr bool exchanges = false;
};

// A key ordered as magnitudes are, a double's to 20 bits; 0 for NaN.
__device__ inline unsigned magnitude_key(double x) {
  return isnan(x) ? 0U : static_cast<unsigned>(__double2hiint(fabs(x)));
}
__device__ inline unsigned magnitude_key(float x) {
  return isnan(x) ? 0U : __float_as_uint(fabs(x));
}
template <class T>
__device__ T magnitude_of(unsigned key) {
  if constexpr (sizeof(T) == sizeof(double)) {
    return __hiloint2double(static_cast<int>(key), 0);
  } else {
    return __uint_as_float(key);
  }
}

// Lane l of every warp of the group holds the rows at positions l and l + 32 of the tile. Every
// warp computes the same, so that no warp waits for another. All lanes call members together; a
// position given to a member is the same in all lanes of a warp.
template <class T, class Group>
class RowExchange {
 public:
  static constexpr bool exchanges = true;

  __device__ RowExchange() {
#pragma unroll
    for (int r = 0; r < rows_per_lane; ++r) source_[r] = place(r);
  }

  // LU of the panel of the pivots from `first` on, 8 at most: pivot k comes from the first of the
  // positions k .. pivots whose entry is nearly the largest. `panel` holds their columns as the
  // tile has them. Returns whether a row changes its position.
  __device__ bool choose(const T* panel, int first, int pivots, const PivotRule<T>& rule) {
    Rows row;
#pragma unroll
    for (int r = 0; r < rows_per_lane; ++r) {
      origin_[r] = place(r);
#pragma unroll
      for (int c = 0; c < block_order; ++c) row[r][c] = panel[c * leading + place(r)];
    }
    const int before = exchanged_;
    constexpr int half = block_order / 2;
    eliminate_columns<block_order>(row, first, first + half, pivots, rule);
    eliminate_columns<half>(row, first + half, first + block_order, pivots, rule);
    if (exchanged_ != before) follow();
    return exchanged_ != before;
  }

  // Publishes rows that move into the pivots' block from beyond it, by the pivot they become.
  __device__ void publish(const Fragment<T>& tile_entries, int first, T* from_beyond) const {
#pragma unroll 1
    for (int k = first; k < first + block_order; ++k) {
      const int origin = at(origin_, k);
      if (origin < first + block_order) continue;
      T* const to = from_beyond + (k - first) * leading + Group::first_column() + lane_.column;
#pragma unroll
      for (int x = 0; x < warp_blocks; ++x) {
        if (position(x) != origin) continue;
#pragma unroll
        for (int y = 0; y < warp_blocks; ++y) {
          to[y * block_order] = tile_entries.entry[y][x][0];
          to[y * block_order + 1] = tile_entries.entry[y][x][1];
        }
      }
    }
  }

  // Moves every row that changes its position: from `block`, the 8 rows of the pivots' block, or
  // from `from_beyond`.
  __device__ void take(Fragment<T>& tile_entries, int first, const T* block,
                       const T* from_beyond) const {
    const int own =
        rows_per_lane == 1 || Group::first_row() == 0 ? origin_[0] : origin_[rows_per_lane - 1];
#pragma unroll
    for (int x = 0; x < warp_blocks; ++x) {
      const int origin = __shfl_sync(full_warp, own, x * block_order + lane_.row);
      if (origin == position(x)) continue;
      const T* const row = origin < first + block_order
                               ? block + (origin - first) * leading
                               : from_beyond + (position(x) - first) * leading;
      const T* const from = row + Group::first_column() + lane_.column;
#pragma unroll
      for (int y = 0; y < warp_blocks; ++y) {
        tile_entries.entry[y][x][0] = from[y * block_order];
        tile_entries.entry[y][x][1] = from[y * block_order + 1];
      }
    }
  }

  // The row of the assembled tile that is now at `position`.
  __device__ int source(int position) const {
    return at(source_, position);
  }
  __device__ void store_sources(unsigned char* to, int pivots) const {
    if (Group::warp() != 0) return;
#pragma unroll
    for (int r = 0; r < rows_per_lane; ++r) {
      if (place(r) < pivots) to[place(r)] = static_cast<unsigned char>(source_[r]);
    }
  }
  // Pivots that came from another position than their own.
  __device__ int exchanged() const {
    return exchanged_;
  }

 private:
  static constexpr int leading = Group::leading;
  static constexpr int rows_per_lane = Group::order / warp_size;
  using Rows = T[rows_per_lane][block_order];

  __device__ static int place(int r) {
    return lane_number() + r * warp_size;
  }
  // Position of the lane's row in block row x of its fragment.
  __device__ int position(int x) const {
    return Group::first_row() + x * block_order + lane_.row;
  }

  // The pivots first .. end of a panel of which `columns` columns are left.
  template <int columns>
  __device__ void eliminate_columns(Rows& row, int first, int end, int pivots,
                                    const PivotRule<T>& rule) {
#pragma unroll 1
    for (int k = first; k < min(end, pivots); ++k) {
      const int p = pivot_position(row, k, pivots);
      T pivot[columns];
      fetch(row, p, pivot);
      if (p != k) exchange(row, k, p, pivot);
      eliminate(row, pivot, rule);
    }
  }

  // The value for `position`, from the lane that holds it.
  template <class V>
  __device__ static V at(const V (&values)[rows_per_lane], int position) {
    const V value = position < warp_size ? values[0] : values[rows_per_lane - 1];
    return __shfl_sync(full_warp, value, position % warp_size);
  }
  template <int columns>
  __device__ static void fetch(const Rows& row, int position, T (&entry)[columns]) {
#pragma unroll
    for (int c = 0; c < columns; ++c) {
      const T value = position < warp_size ? row[0][c] : row[rows_per_lane - 1][c];
      entry[c] = __shfl_sync(full_warp, value, position % warp_size);
    }
  }

  __device__ static int pivot_position(const Rows& row, int k, int pivots) {
    const auto candidate = [&](int r) { return place(r) >= k && place(r) < pivots; };
    unsigned largest = 0;
#pragma unroll
    for (int r = 0; r < rows_per_lane; ++r) {
      if (candidate(r)) largest = max(largest, magnitude_key(row[r][0]));
    }
    const T enough = magnitude_of<T>(warp_largest(largest)) * T(nearly_largest);
#pragma unroll
    for (int r = 0; r < rows_per_lane; ++r) {
      const unsigned found = __ballot_sync(full_warp, candidate(r) && fabs(row[r][0]) >= enough);
      if (found != 0) return r * warp_size + __ffs(found) - 1;
    }
    return k;
  }

  template <int columns>
  __device__ void exchange(Rows& row, int k, int p, const T (&pivot)[columns]) {
    ++exchanged_;
    T displaced[columns];
    fetch(row, k, displaced);
    const int origin_k = at(origin_, k), origin_p = at(origin_, p);
#pragma unroll
    for (int r = 0; r < rows_per_lane; ++r) {
      if (place(r) != k && place(r) != p) continue;
      origin_[r] = place(r) == k ? origin_p : origin_k;
#pragma unroll
      for (int c = 0; c < columns; ++c) row[r][c] = place(r) == k ? pivot[c] : displaced[c];
    }
  }

  // Updates the columns behind the pivot's and moves each one place to the left, so that the next
  // pivot is always in the first. Rows that are pivots already become meaningless.
  template <int columns>
  __device__ static void eliminate(Rows& row, const T (&pivot)[columns], const PivotRule<T>& rule) {
    const T inverse = inverse_of(pivot[0], rule);
#pragma unroll
    for (int r = 0; r < rows_per_lane; ++r) {
      const T factor = row[r][0] * inverse;
#pragma unroll
      for (int c = 1; c < columns; ++c) row[r][c - 1] = fma(-factor, pivot[c], row[r][c]);
    }
  }

  // Without a division unless the pivot is to be replaced, or far from 1.
  __device__ static T inverse_of(T pivot, const PivotRule<T>& rule) {
    const T inverse = quick_reciprocal(pivot);
    if (__builtin_expect(is_quick(pivot) & (fabs(pivot) >= rule.threshold), true)) return inverse;
    return T(1) / rule.apply(pivot);
  }

  __device__ void follow() {
    int source[rows_per_lane];
#pragma unroll
    for (int r = 0; r < rows_per_lane; ++r) {
      const int low = __shfl_sync(full_warp, source_[0], origin_[r] % warp_size);
      const int high = __shfl_sync(full_warp, source_[rows_per_lane - 1], origin_[r] % warp_size);
      source[r] = origin_[r] < warp_size ? low : high;
    }
#pragma unroll
    for (int r = 0; r < rows_per_lane; ++r) source_[r] = source[r];
  }

  LanePlace lane_;
  int source_[rows_per_lane];  // of the rows at the lane's positions
  int origin_[rows_per_lane];  // their positions before this step
  int exchanged_ = 0;
};

template <class T, class Group, Pivoting pivoting>
using TileRows =
    std::conditional_t<pivoting == Pivoting::fixed_rows, FixedRows, RowExchange<T, Group>>;

}  // namespace lufact::gpu
