// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "gpu/solve/sync_free.cuh"
#include "gpu/solve/triangular_rows.cuh"

namespace lufact::gpu {
namespace {

constexpr int threads = warp_size * warp_size;  // a warp for each row of a group

// Whether the row has all columns between the group's far end and its diagonal.
template <Triangle triangle, class T>
__device__ bool spans_group(const RowFactors<T>& factors, const RowGroup<triangle>& group,
                            Index row) {
  const Offset diagonal = factors.diagonal[row];
  if constexpr (triangle == Triangle::lower) {
    const Offset first = diagonal - (row - group.first);
    return first >= factors.row_ptr[row] && factors.col_idx[first] == group.first;
  } else {
    const Offset last = diagonal + (group.end - 1 - row);
    return last < factors.row_ptr[row + 1] && factors.col_idx[last] == group.end - 1;
  }
}

// The square of a group that is one dense triangle, and its partly solved right-hand sides.
template <int Columns, class T>
struct GroupSquare {
  T values[warp_size][warp_size + 1];
  T rest[Columns][warp_size];
};

// Solves the square by one warp, lane r has row r; stores every unknown as soon as it is known.
template <Triangle triangle, int Columns, class T>
__device__ void solve_square(const RowFactors<T>& factors, const RowGroup<triangle>& group,
                             const GroupSquare<Columns, T>& square, const RhsRef& rhs, int lane) {
  const int size = group.end - group.first;
  T rest[Columns];
#pragma unroll
  for (int c = 0; c < Columns; ++c) rest[c] = lane < size ? square.rest[c][lane] : T(0);
  const T divide_by = lane < size ? divisor<triangle>(factors, group.first + lane) : T(1);
  const T inverse = T(1) / divide_by;
  for (int step = 0; step < size; ++step) {
    const int k = triangle == Triangle::lower ? step : size - 1 - step;
    const bool later = triangle == Triangle::lower ? lane > k : lane < k;
    const T factor = later ? square.values[lane][k] : T(0);
#pragma unroll
    for (int c = 0; c < Columns; ++c) {
      const T own = isfinite(inverse) ? rest[c] * inverse : rest[c] / divide_by;
      const T x = __shfl_sync(0xffffffffU, own, k);
      if (later) rest[c] -= factor * x;
      if (lane == k && c < rhs.count) {
        make_known(rhs.to + group.first + k + c * rhs.n, static_cast<double>(x));
      }
    }
  }
}

// Moves the entries of the row that lie in the group's square from the range there.
template <Triangle triangle, int Columns, class T>
__device__ void take_square(const RowFactors<T>& factors, const RowGroup<triangle>& group,
                            int place, int lane, RowRange& range, GroupSquare<Columns, T>& square) {
  if constexpr (triangle == Triangle::lower) {
    range.end -= place;
    if (lane < place) square.values[place][lane] = factors.values[range.end + lane];
  } else {
    const int inside = group.end - group.first - 1 - place;
    if (lane < inside) square.values[place][place + 1 + lane] = factors.values[range.begin + lane];
    range.begin += inside;
  }
}

// One row by one warp; its right-hand sides, less the sums, go to the square, or, divided, out.
template <Triangle triangle, int Columns, class T>
__device__ void solve_row(const RowFactors<T>& factors, const RowGroup<triangle>& group, int place,
                          bool dense, const RhsRef& rhs, GroupSquare<Columns, T>& square) {
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const Index row = group.first + place;
  RowRange range = strict_part<triangle>(factors, row);
  if (dense) take_square(factors, group, place, lane, range, square);
  T sum[Columns];
  row_sums<Columns>(
      factors, range, rhs.count, lane, [&](Index j, int c) { return peek(rhs.to + j + c * rhs.n); },
      [&](Index j, int c, double x) { return wait_for(rhs.to + j + c * rhs.n, x); }, sum);
  if (lane != 0) return;
  for (int c = 0; c < rhs.count; ++c) {
    const T rest = static_cast<T>(rhs.from[row + c * rhs.n]) - sum[c];
    if (dense) {
      square.rest[c][place] = rest;
    } else {
      make_known(rhs.to + row + c * rhs.n,
                 static_cast<double>(rest / divisor<triangle>(factors, row)));
    }
  }
}

// One block per group of rows, one warp per row. Where the group's square is dense, the warps
// subtract the entries outside it, and one warp solves the square: a chain of `warp_size` rows then
// costs one exchange through memory. Otherwise each row waits for its own entries.
template <Triangle triangle, int Columns, class T>
__global__ void __launch_bounds__(threads, 1)
    sync_free_kernel(RowFactors<T> factors, unsigned* ticket, RhsRef rhs) {
  __shared__ GroupSquare<Columns, T> square;
  const int warp = static_cast<int>(threadIdx.x) / warp_size;
  const auto groups = static_cast<unsigned>(ceil_div(factors.n, warp_size));
  for (;;) {
    const unsigned drawn = draw_group(ticket);
    if (drawn >= groups) return;
    const RowGroup<triangle> group(drawn, factors.n);
    const bool mine = group.first + warp < group.end;
    const bool dense =
        __syncthreads_and(!mine || spans_group(factors, group, group.first + warp)) != 0;
    if (mine) solve_row(factors, group, warp, dense, rhs, square);
    if (!dense) continue;
    __syncthreads();
    if (warp == 0) {
      solve_square(factors, group, square, rhs, static_cast<int>(threadIdx.x) % warp_size);
    }
  }
}

template <Triangle triangle, int Columns, class T>
void sweep(DeviceSession& session, const RowFactors<T>& factors, unsigned* ticket,
           const RhsRef& rhs) {
  const std::size_t bytes = checked_bytes(rhs.n * rhs.count, sizeof(double));
  LUFACT_CUDA(cudaMemsetAsync(rhs.to, unknown_byte, bytes, session.stream()));
  LUFACT_CUDA(cudaMemsetAsync(ticket, 0, sizeof(unsigned), session.stream()));
  const Offset blocks = std::min<Offset>(ceil_div(rhs.n, warp_size), session.sm_count());
  launch(session, {blocks, threads}, sync_free_kernel<triangle, Columns, T>, factors, ticket, rhs);
}

// y = L \ x goes to the workspace, x = U \ y back.
template <int Columns, class T>
void solve_pass(DeviceSession& session, const RowFactors<T>& factors, double* workspace, double* x,
                int count) {
  const Offset n = factors.n;
  auto* const ticket = reinterpret_cast<unsigned*>(workspace + n * solve_columns);
  sweep<Triangle::lower, Columns>(session, factors, ticket, {x, workspace, n, count});
  sweep<Triangle::upper, Columns>(session, factors, ticket, {workspace, x, n, count});
}

}  // namespace

template <class T>
void sync_free_solve(DeviceSession& session, const RowFactors<T>& factors, double* workspace,
                     double* x, Index columns) {
  for (Index c = 0; c < columns; c += solve_columns) {
    const int count = std::min(solve_columns, columns - c);
    double* const first = x + Offset{c} * factors.n;
    if (count == 1) {
      solve_pass<1>(session, factors, workspace, first, count);
    } else {
      solve_pass<solve_columns>(session, factors, workspace, first, count);
    }
  }
}

template void sync_free_solve(DeviceSession&, const RowFactors<float>&, double*, double*, Index);
template void sync_free_solve(DeviceSession&, const RowFactors<double>&, double*, double*, Index);

}  // namespace lufact::gpu
