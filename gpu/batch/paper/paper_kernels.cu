// SPDX-License-Identifier: BSD-3-Clause
// The kernels of BATCH for one order and precision: shells that read a matrix once, call the
// component that does the work, and write once. See paper_facts.cpp for what each one is.
//   registers_*, kernels_*, augmented_inverse, fused_inverse: blocks of butterfly_width(n) x
//     matrices threads; kernels_*_solve and fused_inverse with inverse_tile_bytes() bytes of
//     dynamic shared memory a matrix
//   shared_1d_lu: blocks of n x 1, shared_2d_lu: of n x n threads, one matrix each
#include "gpu/batch/paper/inverse.hpp"
#include "gpu/batch/paper/matrix_access.cuh"
#include "gpu/batch/paper/shared_lu.hpp"
#include "gpu/batch/paper/warp_lanes.cuh"

namespace lufact::gpu::paper {
namespace {

using Real = LUFACT_BATCH_REAL;
constexpr int n = LUFACT_BATCH_ORDER;
constexpr int shared_ld = n | 1;  // lanes that exchange entries of a row meet in no bank

using Lanes = WarpLanes<butterfly_width(n)>;
using Access = MatrixAccess<Real, n>;
using Tile = InverseTile<Real, n>;
static_assert(sizeof(Tile) == inverse_tile_bytes(n, sizeof(Real)));

struct SquareBlock {
  __device__ int row() const { return static_cast<int>(threadIdx.x); }
  __device__ int column() const { return static_cast<int>(threadIdx.y); }
  __device__ void sync() const { __syncthreads(); }
};

// Of the thread's matrix.
__device__ Tile& tile_in_shared_memory() {
  extern __shared__ Tile tiles[];
  return tiles[threadIdx.y];
}

}  // namespace

extern "C" __global__ void registers_greedy_lu(const BatchKernelArguments arguments) {
  const Lanes lanes;
  const Access matrix(arguments, matrix_of_thread());
  Real row[n];
  PivotNotes notes;
  matrix.read_row(lanes.lane(), row);
  greedy_lu<n>(lanes, row, notes);
  matrix.write_row(lanes.lane(), row);
  matrix.write_notes(lanes.lane(), notes);
}

extern "C" __global__ void registers_lazy_lu(const BatchKernelArguments arguments) {
  const Lanes lanes;
  const Access matrix(arguments, matrix_of_thread());
  Real row[n];
  LazyRow<Real> own;
  PivotNotes notes;
  matrix.read_row(lanes.lane(), row);
  lazy_lu<n>(lanes, row, own, notes);
  matrix.write_row(own.position, row);
  matrix.write_notes(lanes.lane(), notes);
}

extern "C" __global__ void shared_1d_lu(const BatchKernelArguments arguments) {
  __shared__ Real a[n * shared_ld];
  const WarpLanes<n> lanes;
  const Access matrix(arguments, matrix_of_thread());
  const int lane = lanes.lane();
  Real row[n];
  PivotNotes notes;
  matrix.read_row(lane, row);
  LUFACT_UNROLL
  for (int j = 0; j < n; ++j) a[j * shared_ld + lane] = row[j];
  lanes.sync();
  shared_lu_by_rows<n, shared_ld>(lanes, a, notes);
  LUFACT_UNROLL
  for (int j = 0; j < n; ++j) row[j] = a[j * shared_ld + lane];
  matrix.write_row(lane, row);
  matrix.write_notes(lane, notes);
}

extern "C" __global__ void __launch_bounds__(n* n)
    shared_2d_lu(const BatchKernelArguments arguments) {
  __shared__ Real a[n * shared_ld];
  const SquareBlock threads;
  const Access matrix(arguments, batch_block());
  const int i = threads.row(), j = threads.column();
  PivotNotes notes;
  a[j * shared_ld + i] = matrix.read_entry(i, j);
  threads.sync();
  shared_lu_by_entries<n, shared_ld>(threads, a, notes);
  matrix.write_entry(i, j, a[j * shared_ld + i]);
  if (j == 0) matrix.write_notes(i, notes);
}

// The second of four launches: P I into the result.
extern "C" __global__ void kernels_interchanges(const BatchKernelArguments arguments) {
  const Lanes lanes;
  const Access matrix(arguments, matrix_of_thread());
  const int lane = lanes.lane();
  const int own = interchanged_row<n>(lanes, lane, matrix.read_pivot(lane));
  Real row[n];
  LUFACT_UNROLL
  for (int j = 0; j < n; ++j) row[j] = lanes.from(own, j) == lane ? Real{1} : Real{0};
  matrix.write_row(lane, row);
}

// The third: the factors are in a.
extern "C" __global__ void kernels_lower_solve(const BatchKernelArguments arguments) {
  const Lanes lanes;
  const Access matrix(arguments, matrix_of_thread());
  Tile& tile = tile_in_shared_memory();
  Real values[n], factors[n];
  matrix.read_row_of_result(lanes.lane(), values);
  rows_to_columns(lanes, values, tile);
  matrix.read_row(lanes.lane(), factors);
  put_factors(lanes, factors, tile);
  solve_lower<n, tile.ld>(tile.entries, values);
  lanes.sync();
  columns_to_rows(lanes, values, tile);
  matrix.write_row(lanes.lane(), values);
}

// The fourth.
extern "C" __global__ void kernels_upper_solve(const BatchKernelArguments arguments) {
  const Lanes lanes;
  const Access matrix(arguments, matrix_of_thread());
  Tile& tile = tile_in_shared_memory();
  Real values[n], factors[n];
  matrix.read_row_of_result(lanes.lane(), values);
  rows_to_columns(lanes, values, tile);
  matrix.read_row(lanes.lane(), factors);
  put_factors(lanes, factors, tile);
  solve_upper<n, tile.ld>(tile.entries, tile.reciprocals, values);
  lanes.sync();
  columns_to_rows(lanes, values, tile);
  matrix.write_inverse_row(lanes.lane(), values, matrix.read_info());
}

extern "C" __global__ void augmented_inverse(const BatchKernelArguments arguments) {
  const Lanes lanes;
  const Access matrix(arguments, matrix_of_thread());
  Real row[2 * n];
  LazyRow<Real> own;
  PivotNotes notes;
  matrix.read_row(lanes.lane(), row);
  invert_augmented<n>(lanes, row, own, notes);
  matrix.write_inverse_row(own.position, row, notes.info, n);
  matrix.write_notes(lanes.lane(), notes);
}

extern "C" __global__ void fused_inverse(const BatchKernelArguments arguments) {
  const Lanes lanes;
  const Access matrix(arguments, matrix_of_thread());
  Real row[n];
  PivotNotes notes;
  matrix.read_row(lanes.lane(), row);
  invert_fused<n>(lanes, row, tile_in_shared_memory(), notes);
  matrix.write_inverse_row(lanes.lane(), row, notes.info);
  matrix.write_notes(lanes.lane(), notes);
}

}  // namespace lufact::gpu::paper
