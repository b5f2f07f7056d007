// SPDX-License-Identifier: BSD-3-Clause
#include <bit>
#include <limits>
#include <stdexcept>

#include "gpu/components/magnitude.cuh"
#include "gpu/components/thread_group.cuh"
#include "gpu/matrix/new_values.hpp"
#include "gpu/runtime/launch.cuh"

namespace lufact::gpu {
namespace {

constexpr int threads = 256;
constexpr int lanes = 8;  // neighbouring threads that share a row
constexpr int groups = threads / lanes;
constexpr int steps = norm_piece / lanes;
static_assert(norm_piece % lanes == 0 && warp_size % lanes == 0);

// Source is Index or Offset.
template <class Source>
struct Placement {
  PatternRef matrix;
  const Source* source;
  const double* values_of_a;
  const double *row_scale, *col_scale;
  double* values;

  __device__ double value_of(Source position) const {
    return position < 0 ? 0.0 : values_of_a[position];
  }

  // Places entries [begin, end) of a row, norm_piece at most, and returns in every lane of the
  // group the sum of their scaled magnitudes, added in order. The whole warp calls it. All that a
  // lane reads is on its way at a time.
  __device__ double place_piece(Offset row, Offset begin, Offset end) const {
    const int lane = static_cast<int>(threadIdx.x) % lanes;
    double value[steps], scale[steps];
#pragma unroll
    for (int k = 0; k < steps; ++k) {
      const Offset p = begin + k * lanes + lane;
      value[k] = p < end ? value_of(source[p]) : 0.0;
      scale[k] = p < end ? col_scale[matrix.col_idx[p]] : 0.0;
    }
    const double of_row = begin < end ? row_scale[row] : 0.0;
    double sum = 0;
#pragma unroll
    for (int k = 0; k < steps; ++k) {
      const Offset first = begin + k * lanes;
      if (!__any_sync(full_warp, first < end)) break;
      const bool mine = first + lane < end;
      if (mine) values[first + lane] = value[k];
      // Rounded after each product and sum, as on the host.
      const double scaled = __dmul_rn(__dmul_rn(of_row, value[k]), scale[k]);
      const double term = mine ? fabs(scaled) : 0.0;
      for (int other = 0; other < lanes; ++other) {
        sum = __dadd_rn(sum, __shfl_sync(full_warp, term, other, lanes));
      }
    }
    return sum;
  }

  // The same for a whole row, by all threads of the block, for which `of_group` has a place a
  // group.
  __device__ double place_long_row(Offset row, double* of_group) const {
    const int group = static_cast<int>(threadIdx.x) / lanes;
    const Offset end = matrix.row_ptr[row + 1];
    double total = 0;
    for (Offset begin = matrix.row_ptr[row]; begin < end; begin += groups * norm_piece) {
      const Offset first = begin + static_cast<Offset>(group) * norm_piece;
      const Offset last = first + norm_piece < end ? first + norm_piece : end;
      const double sum = place_piece(row, first, last);
      if (threadIdx.x % lanes == 0) of_group[group] = sum;
      __syncthreads();
      for (int g = 0; g < groups; ++g) total = __dadd_rn(total, of_group[g]);
      __syncthreads();
    }
    return total;
  }
};

// Sums that are NaN do not count.
__device__ unsigned long long sum_bits(double sum) {
  return isnan(sum) ? 0ULL : magnitude_bits(sum);
}

// `lanes` threads per row; then all threads of the block for each of its long rows. Raises *norm.
template <class Source>
__global__ void __launch_bounds__(threads)
    placement_kernel(Placement<Source> placement, unsigned long long* norm) {
  __shared__ Offset row_left[groups];
  __shared__ double of_group[groups];
  __shared__ int rows_left;
  if (threadIdx.x == 0) rows_left = 0;
  __syncthreads();
  const PatternRef& matrix = placement.matrix;
  const Offset row = (blockIdx.x * static_cast<Offset>(threads) + threadIdx.x) / lanes;
  const bool real = row < matrix.n;
  const Offset begin = real ? matrix.row_ptr[row] : 0, end = real ? matrix.row_ptr[row + 1] : 0;
  const bool left = end - begin > norm_piece;
  if (left && threadIdx.x % lanes == 0) row_left[atomicAdd(&rows_left, 1)] = row;
  unsigned long long largest = sum_bits(placement.place_piece(row, begin, left ? begin : end));
  __syncthreads();
  for (int r = 0; r < rows_left; ++r) {
    const unsigned long long bits = sum_bits(placement.place_long_row(row_left[r], of_group));
    largest = largest < bits ? bits : largest;
  }
  largest = warp_largest(largest);
  if (threadIdx.x % warp_size == 0) raise_to(norm, largest);
}

template <class Source>
void launch_placement(DeviceSession& session, const Source* source, const double* values_of_a,
                      const DevicePermutedMatrix& matrix, unsigned long long* norm) {
  launch(session, {ceil_div(static_cast<Offset>(matrix.n) * lanes, threads), threads},
         placement_kernel<Source>,
         Placement<Source>{matrix.pattern(), source, values_of_a, matrix.row_scale.data(),
                           matrix.col_scale.data(), matrix.values.data()},
         norm);
}

Buffer<Index> upload_narrow(DeviceSession& session, std::span<const Offset> source) {
  Buffer<Index> narrow(session, MemoryRole::resident, static_cast<Offset>(source.size()),
                       "the sources of entries in A");
  session.copy_to_device(narrow.data(), narrow.bytes(),
                         [&](std::byte* stage, std::size_t first, std::size_t bytes) {
                           auto* const to = reinterpret_cast<Index*>(stage);
                           const Offset* const from = source.data() + first / sizeof(Index);
                           for (std::size_t k = 0; k < bytes / sizeof(Index); ++k) {
                             to[k] = static_cast<Index>(from[k]);
                           }
                         });
  return narrow;
}

}  // namespace

EntrySources upload_sources(DeviceSession& session, std::span<const Offset> source,
                            Offset entries_of_a) {
  EntrySources sources;
  if (entries_of_a <= std::numeric_limits<Index>::max()) {
    sources.narrow = upload_narrow(session, source);
  } else {
    sources.wide =
        upload_copy(session, MemoryRole::resident, source, "the sources of entries in A");
  }
  return sources;
}

double place_new_values(DeviceSession& session, std::span<const double> values_of_a,
                        const DevicePermutedMatrix& matrix) {
  if (matrix.source.size() != matrix.nnz) throw std::logic_error("a matrix without its sources");
  const auto given = upload_copy(session, MemoryRole::scratch, values_of_a, "the new values of A");
  Buffer<unsigned long long> norm(session, MemoryRole::scratch, 1, "the norm of new values");
  norm.fill_bytes(0);
  if (matrix.source.wide.size() > 0) {
    launch_placement(session, matrix.source.wide.data(), given.data(), matrix, norm.data());
  } else {
    launch_placement(session, matrix.source.narrow.data(), given.data(), matrix, norm.data());
  }
  return std::bit_cast<double>(read_value(session, norm.data()));
}

}  // namespace lufact::gpu
