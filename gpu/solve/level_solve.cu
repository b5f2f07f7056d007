// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <bit>
#include <cub/device/device_radix_sort.cuh>

#include "gpu/solve/sync_free.cuh"
#include "gpu/solve/triangular_rows.cuh"

namespace lufact::gpu {
namespace {

constexpr int threads = 256;
constexpr int group_threads = warp_size * warp_size;

__device__ unsigned warp_max(unsigned value) {
  for (int offset = warp_size / 2; offset > 0; offset /= 2) {
    const unsigned other = __shfl_xor_sync(0xffffffffU, value, offset);
    value = value < other ? other : value;
  }
  return value;
}

// One warp per row: levels[row] becomes 1 + the largest level of the rows that it depends on.
template <Triangle triangle, class T>
__global__ void __launch_bounds__(group_threads, 1)
    find_levels(RowFactors<T> factors, unsigned* levels, unsigned* ticket) {
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const auto groups = static_cast<unsigned>(ceil_div(factors.n, warp_size));
  for (;;) {
    const unsigned drawn = draw_group(ticket);
    if (drawn >= groups) return;
    const RowGroup<triangle> group(drawn, factors.n);
    const Index row = group.first + static_cast<Index>(threadIdx.x) / warp_size;
    if (row >= group.end) continue;
    const RowRange range = strict_part<triangle>(factors, row);
    unsigned level = 0;
    for (Offset p = range.begin + lane; p < range.end; p += warp_size) {
      const unsigned* const place = levels + factors.col_idx[p];
      level = max(level, wait_for(place, peek(place)));
    }
    level = warp_max(level);
    if (lane == 0) make_known(levels + row, level + 1);
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
  const int lane = static_cast<int>(thread % warp_size);
  const Offset end = level_ptr[1];
  for (Offset place = level_ptr[0] + thread / warp_size; place < end; place += warps) {
    const Index row = rows[place];
    T sum[Columns];
    row_sums<Columns>(
        factors, strict_part<triangle>(factors, row), rhs.count, lane,
        [&](Index j, int c) { return rhs.from[j + c * rhs.n]; },
        [](Index, int, double x) { return x; }, sum);
    for (int c = 0; c < rhs.count && lane == 0; ++c) {
      const T rest = static_cast<T>(rhs.from[row + c * rhs.n]) - sum[c];
      rhs.to[row + c * rhs.n] = static_cast<double>(rest / divisor<triangle>(factors, row));
    }
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
                              Triangle triangle, double* workspace) {
  const Index n = factors.n;
  SolveLevels result;
  if (n == 0) return result;
  auto* const levels = reinterpret_cast<unsigned*>(workspace);
  auto* const ticket = levels + n;
  LUFACT_CUDA(
      cudaMemsetAsync(levels, unknown_byte, checked_bytes(n, sizeof(unsigned)), session.stream()));
  LUFACT_CUDA(cudaMemsetAsync(ticket, 0, sizeof(unsigned), session.stream()));
  launch(session, {std::min<Offset>(ceil_div(n, warp_size), session.sm_count()), group_threads},
         triangle == Triangle::lower ? find_levels<Triangle::lower, T>
                                     : find_levels<Triangle::upper, T>,
         factors, levels, ticket);
  result.rows = {session, MemoryRole::resident, n, "rows by level of the solve"};
  Buffer<unsigned> sorted(session, MemoryRole::scratch, n, "levels in order");
  sort_rows(session, levels, sorted.data(), n, result.rows.data());
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
  for (Index c = 0; c < columns; c += solve_columns) {
    double* const first = x + c * n;
    const RhsRef rhs{first, first, n, std::min(solve_columns, columns - c)};
    if (rhs.count == 1) {
      sweep<Triangle::lower, 1>(session, factors, lower, rhs);
      sweep<Triangle::upper, 1>(session, factors, upper, rhs);
    } else {
      sweep<Triangle::lower, solve_columns>(session, factors, lower, rhs);
      sweep<Triangle::upper, solve_columns>(session, factors, upper, rhs);
    }
  }
}

template SolveLevels make_solve_levels(DeviceSession&, const RowFactors<float>&, Triangle, double*);
template SolveLevels make_solve_levels(DeviceSession&, const RowFactors<double>&, Triangle,
                                       double*);
template void level_solve(DeviceSession&, const RowFactors<float>&, const SolveLevels&,
                          const SolveLevels&, double*, Index);
template void level_solve(DeviceSession&, const RowFactors<double>&, const SolveLevels&,
                          const SolveLevels&, double*, Index);

}  // namespace lufact::gpu
