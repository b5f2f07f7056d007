// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <bit>
#include <cub/device/device_radix_sort.cuh>

#include "gpu/solve/sync_free.cuh"
#include "gpu/solve/triangular_rows.cuh"

namespace lufact::gpu {
namespace {

constexpr int threads = 256;
constexpr int block_columns = 4;

__device__ unsigned warp_max(unsigned value) {
  for (int offset = warp_size / 2; offset > 0; offset /= 2) {
    const unsigned other = __shfl_xor_sync(0xffffffffU, value, offset);
    value = value < other ? other : value;
  }
  return value;
}

// One warp per row, rows drawn in order: flag[row] becomes 1 + the largest flag of the rows that it
// depends on, which tells at once that it is known.
template <Triangle triangle, class T>
__global__ void find_levels(RowFactors<T> factors, SyncRef sync) {
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  for (;;) {
    const Index row = draw_row<triangle>(sync, factors.n, lane);
    if (row < 0) return;
    const Offset diagonal = factors.diagonal[row];
    const bool lower = triangle == Triangle::lower;
    const Offset end = lower ? diagonal : factors.row_ptr[row + 1];
    unsigned level = 0;
    for (Offset p = (lower ? factors.row_ptr[row] : diagonal + 1) + lane; p < end; p += warp_size) {
      level = max(level, wait_for(sync, factors.col_idx[p], 1));
    }
    level = warp_max(level);
    if (lane == 0) publish(sync, row, level + 1);
    __syncwarp();
  }
}

// One thread per row.
__global__ void number_rows(Index* rows, Index n) {
  const Offset i = blockIdx.x * static_cast<Offset>(blockDim.x) + threadIdx.x;
  if (i < n) rows[i] = static_cast<Index>(i);
}

// One thread per place of the sorted rows: the first of a level (from 1) writes where it begins.
__global__ void mark_level_starts(const unsigned* sorted, Index n, Index* level_ptr) {
  const Offset i = blockIdx.x * static_cast<Offset>(blockDim.x) + threadIdx.x;
  if (i >= n) return;
  if (i == 0 || sorted[i] != sorted[i - 1]) level_ptr[sorted[i] - 1] = static_cast<Index>(i);
  if (i == n - 1) level_ptr[sorted[i]] = n;
}

void sort_rows(DeviceSession& session, const unsigned* levels, unsigned* sorted, Index n,
               Index* rows_by_level) {
  Buffer<Index> rows(session, MemoryRole::scratch, n, "row numbers");
  launch(session, {ceil_div(n, threads), threads}, number_rows, rows.data(), n);
  const int bits = std::bit_width(static_cast<unsigned>(n));
  std::size_t bytes = 0;
  const auto sort = [&](void* temporary) {
    LUFACT_CUDA(cub::DeviceRadixSort::SortPairs(temporary, bytes, levels, sorted, rows.data(),
                                                rows_by_level, n, 0, bits, session.stream()));
  };
  sort(nullptr);
  Buffer<unsigned char> temporary(session, MemoryRole::scratch, static_cast<Offset>(bytes),
                                  "sorting rows by level");
  sort(temporary.data());
}

// Warps in turn take the rows of one level, which depend on earlier levels alone.
template <Triangle triangle, int Columns, class T>
__global__ void level_kernel(RowFactors<T> factors, const Index* rows, const Index* level_ptr,
                             RhsRef rhs) {
  const Offset thread = blockIdx.x * static_cast<Offset>(blockDim.x) + threadIdx.x;
  const Offset warps = gridDim.x * static_cast<Offset>(blockDim.x) / warp_size;
  const Offset end = level_ptr[1];
  for (Offset place = level_ptr[0] + thread / warp_size; place < end; place += warps) {
    solve_row<triangle, Columns>(factors, rows[place], rhs, static_cast<int>(thread % warp_size),
                                 [](Index) {});
  }
}

template <Triangle triangle, int Columns, class T>
void sweep(DeviceSession& session, const RowFactors<T>& factors, const SolveLevels& levels,
           const RhsRef& rhs) {
  // The widths of levels stay on the device: a grid for the mean width, at least a quarter of the
  // card's warps where the rows are that many.
  const Offset quarter = std::min<Offset>(session.max_resident_warps() / 4, factors.n);
  const Offset warps = std::max<Offset>(quarter, factors.n / std::max(levels.levels, 1));
  const LaunchShape shape{
      ceil_div(std::min<Offset>(warps, session.max_resident_warps()) * warp_size, threads),
      threads};
  for (Index level = 0; level < levels.levels; ++level) {
    launch(session, shape, level_kernel<triangle, Columns, T>, factors, levels.rows.data(),
           levels.level_ptr.data() + level, rhs);
  }
}

}  // namespace

template <class T>
SolveLevels make_solve_levels(DeviceSession& session, const RowFactors<T>& factors,
                              Triangle triangle, unsigned* words) {
  const Index n = factors.n;
  SolveLevels result;
  if (n == 0) return result;
  LUFACT_CUDA(
      cudaMemsetAsync(words, 0, checked_bytes(sync_words(n), sizeof(unsigned)), session.stream()));
  launch(session, sweep_shape(session, n, threads),
         triangle == Triangle::lower ? find_levels<Triangle::lower, T>
                                     : find_levels<Triangle::upper, T>,
         factors, sync_ref(words, n, triangle));
  result.rows = {session, MemoryRole::resident, n, "rows by level of the solve"};
  Buffer<unsigned> sorted(session, MemoryRole::scratch, n, "levels in order");
  sort_rows(session, words, sorted.data(), n, result.rows.data());
  result.levels = static_cast<Index>(read_value(session, sorted.data() + n - 1));
  result.level_ptr = {session, MemoryRole::resident, result.levels + Offset{1},
                      "level offsets of the solve"};
  launch(session, {ceil_div(n, threads), threads}, mark_level_starts, sorted.data(), n,
         result.level_ptr.data());
  return result;
}

template <class T>
void level_solve(DeviceSession& session, const RowFactors<T>& factors, const SolveLevels& lower,
                 const SolveLevels& upper, double* x, Index columns) {
  const Offset n = factors.n;
  for (Index c = 0; c < columns; c += block_columns) {
    const RhsRef rhs{x + c * n, n, std::min(block_columns, columns - c)};
    if (rhs.count == 1) {
      sweep<Triangle::lower, 1>(session, factors, lower, rhs);
      sweep<Triangle::upper, 1>(session, factors, upper, rhs);
    } else {
      sweep<Triangle::lower, block_columns>(session, factors, lower, rhs);
      sweep<Triangle::upper, block_columns>(session, factors, upper, rhs);
    }
  }
}

template SolveLevels make_solve_levels(DeviceSession&, const RowFactors<float>&, Triangle,
                                       unsigned*);
template SolveLevels make_solve_levels(DeviceSession&, const RowFactors<double>&, Triangle,
                                       unsigned*);
template void level_solve(DeviceSession&, const RowFactors<float>&, const SolveLevels&,
                          const SolveLevels&, double*, Index);
template void level_solve(DeviceSession&, const RowFactors<double>&, const SolveLevels&,
                          const SolveLevels&, double*, Index);

}  // namespace lufact::gpu
