// SPDX-License-Identifier: BSD-3-Clause
// Products of neighbouring rows with one or more vectors by one warp.
#pragma once
#include "gpu/components/thread_group.cuh"
#include "gpu/matrix/device_products.hpp"

namespace lufact::gpu {

// A matrix and the vectors that it is multiplied by, whose entries come at the same time.
template <int columns>
struct Operands {
  PatternRef matrix;
  const double* values;
  const double* x[columns];
};

// A number for each column; without a constructor, so that it may be in shared memory.
template <int columns>
struct RowSums {
  double of[columns];

  __device__ void operator+=(const RowSums& other) {
#pragma unroll
    for (int c = 0; c < columns; ++c) of[c] += other.of[c];
  }
};

// Some entries of the matrix and the entries of x that they multiply; all loads of a kind overlap.
// Loads of x are not predicated: the compiler would move them between the others.
template <int count, int columns>
struct Terms {
  double value[count], factor[count][columns];

  // Loads the entries at `position`; any values where `real` is not set.
  __device__ Terms(const Operands<columns>& of, const Offset (&position)[count],
                   const bool (&real)[count]) {
    Index column[count];
#pragma unroll
    for (int k = 0; k < count; ++k) column[k] = real[k] ? of.matrix.col_idx[position[k]] : 0;
#pragma unroll
    for (int k = 0; k < count; ++k) value[k] = real[k] ? of.values[position[k]] : 0.0;
#pragma unroll
    for (int k = 0; k < count; ++k) {
#pragma unroll
      for (int c = 0; c < columns; ++c) factor[k][c] = of.x[c][column[k]];
    }
  }
  __device__ void add_to(RowSums<columns>& sum, int k) const {
#pragma unroll
    for (int c = 0; c < columns; ++c) sum.of[c] += value[k] * factor[k][c];
  }
};

// A tile of neighbouring rows. `Lanes` neighbouring threads add the products of a row, one row in
// each step. The steps of a tile are interleaved, since most rows have about as many entries as
// lanes, which would leave a thread with one load at a time. The whole warp calls every member.
template <int Lanes>
class RowTile {
 public:
  static constexpr int steps = 4;
  static constexpr int rows = steps * warp_size / Lanes;
  // Entries of the longest row that `Lanes` threads add; longer rows are left out.
  static constexpr int short_row = 8 * Lanes;

  __device__ RowTile(Index n, unsigned number) : n_(n), first_row_(number * rows) {}

  // The row whose sum this thread gets, and whether it is the first thread that does.
  __device__ unsigned own_row() const { return row(sublane() / sharers); }
  __device__ bool is_owner() const { return sublane() % sharers == 0 && own_row() < n_; }

  // The sums of this thread's own row, in an order that depends on its length alone; 0 for a long
  // row and for no row.
  template <int columns>
  __device__ RowSums<columns> sum(const Operands<columns>& of) const {
    Offset position[steps];
    int left[steps], most_left = 0;
#pragma unroll
    for (int s = 0; s < steps; ++s) {
      const bool real = row(s) < n_;
      const Offset* const range = of.matrix.row_ptr + row(s);
      const Offset begin = real ? range[0] : 0, end = real ? range[1] : 0;
      const auto length = static_cast<int>(end - begin);
      position[s] = begin + sublane();
      left[s] = length > short_row ? 0 : length - sublane();
      most_left = max(left[s], most_left);
    }
    RowSums<columns> sums[steps] = {};
#pragma unroll 1
    for (int done = 0; done < most_left; done += Lanes) {
      bool real[steps];
#pragma unroll
      for (int s = 0; s < steps; ++s) real[s] = done < left[s];
      const Terms<steps, columns> terms(of, position, real);
#pragma unroll
      for (int s = 0; s < steps; ++s) {
        if (real[s]) terms.add_to(sums[s], s);
        position[s] += Lanes;
      }
    }
    __syncwarp();
    RowSums<columns> own;
#pragma unroll
    for (int c = 0; c < columns; ++c) {
      own.of[c] = own_sum({sums[0].of[c], sums[1].of[c], sums[2].of[c], sums[3].of[c]});
    }
    return own;
  }

 private:
  static constexpr int sharers = Lanes / steps;  // threads that get the same sum
  static_assert(steps == 4 && Lanes % steps == 0);

  __device__ static int sublane() {
    return static_cast<int>(threadIdx.x % Lanes);
  }
  __device__ unsigned row(int step) const {
    return first_row_ + step * (warp_size / Lanes) + threadIdx.x % warp_size / Lanes;
  }

  // Adds over the lanes of a row by halves, as a butterfly does. With every exchange each half
  // keeps only the rows that it will own, which takes a third of the shuffles.
  __device__ static double own_sum(const double (&sums)[steps]) {
    const double low = exchange(sums[0], sums[2], Lanes / 2);
    const double high = exchange(sums[1], sums[3], Lanes / 2);
    double sum = exchange(low, high, Lanes / 4);
    for (unsigned distance = Lanes / 8; distance > 0; distance /= 2) {
      sum += __shfl_xor_sync(full_warp, sum, distance);
    }
    return sum;
  }
  // Adds with the lane at `distance`: the lower lane gets the sum of `low`, the other of `high`.
  __device__ static double exchange(double low, double high, unsigned distance) {
    const bool upper = (threadIdx.x & distance) != 0;
    return (upper ? high : low) + __shfl_xor_sync(full_warp, upper ? low : high, distance);
  }

  unsigned n_, first_row_;  // the tiles behind the last row do not reach 2^32
};

}  // namespace lufact::gpu
