// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "gpu/runtime/launch.cuh"
#include "gpu/solve/row_product.cuh"
#include "gpu/systems/system_values.hpp"

namespace lufact::gpu {
namespace {

constexpr int threads = row_product_threads;
constexpr int warps = threads / warp_size;
// Placing: lanes that take the entries of a row and add them up, entries that a lane of a long row
// takes at a time, and systems that take sources and scales together.
constexpr int row_lanes = 8;
constexpr int batch = 4;
constexpr int systems_together = 4;

// A block's place among those of its system, or its group of systems.
struct SystemBlock {
  Index system;
  unsigned number;

  __device__ explicit SystemBlock(unsigned per_system)
      : system(static_cast<Index>(blockIdx.x / per_system)),
        number(blockIdx.x - static_cast<unsigned>(system) * per_system) {}
};

template <class Source>
struct Placing {
  PatternRef matrix;
  Offset nnz;
  const Source* source;
  const double *row_scale, *col_scale, *given;
  Offset given_entries;
  double* values;
  unsigned long long* scaled_norm;
  Index systems;
};

// Neighbouring systems, what is given of the first and where its values go.
struct PlacedSystems {
  Index first, count;
  const double* given;
  double* values;

  template <class Source>
  __device__ PlacedSystems(const Placing<Source>& placing, Index group)
      : first(group * systems_together),
        count(min(placing.systems - first, systems_together)),
        given(placing.given + first * placing.given_entries),
        values(placing.values + first * placing.nnz) {}
};

__device__ unsigned long long sum_bits(double sum) {
  return isnan(sum) ? 0ULL : magnitude_bits(sum);
}

// Places `count` entries p, p + row_lanes and so on, those before `end`, and adds their magnitudes
// to each system's sum in this order. All are loaded before any is stored, so that loads overlap.
template <int count, class Source>
__device__ void place_batch(const Placing<Source>& placing, const PlacedSystems& of, Offset p,
                            Offset end, double (&sum)[systems_together]) {
  double value[count][systems_together] = {}, scale[count];
#pragma unroll
  for (int k = 0; k < count; ++k) {
    const Offset entry = p + k * row_lanes;
    if (entry >= end) continue;
    const auto from = static_cast<Offset>(placing.source[entry]);
    scale[k] = placing.col_scale[placing.matrix.col_idx[entry]];
#pragma unroll
    for (int s = 0; s < systems_together; ++s) {
      if (from >= 0 && s < of.count) value[k][s] = of.given[s * placing.given_entries + from];
    }
  }
#pragma unroll
  for (int k = 0; k < count; ++k) {
    const Offset entry = p + k * row_lanes;
    if (entry >= end) break;
#pragma unroll
    for (int s = 0; s < systems_together; ++s) {
      if (s < of.count) of.values[s * placing.nnz + entry] = value[k][s];
      sum[s] += fabs(value[k][s]) * scale[k];
    }
  }
}

// The sum of each system's scaled magnitudes in a row, in the first of row_lanes threads. Most rows
// have one entry a lane, for which a batch of several would be slower.
template <class Source>
__device__ void place_row(const Placing<Source>& placing, const PlacedSystems& of, Offset begin,
                          Offset end, double (&sum)[systems_together]) {
  Offset p = begin + threadIdx.x % row_lanes;
  place_batch<1>(placing, of, p, end, sum);
#pragma unroll 1
  for (p += row_lanes; p < end; p += batch * row_lanes) {
    place_batch<batch>(placing, of, p, end, sum);
  }
#pragma unroll
  for (int s = 0; s < systems_together; ++s) {
#pragma unroll
    for (int distance = row_lanes / 2; distance > 0; distance /= 2) {
      sum[s] += __shfl_xor_sync(full_warp, sum[s], distance);
    }
  }
}

// row_lanes threads a row, the blocks of one group of systems after those of another.
template <class Source>
__global__ void __launch_bounds__(threads)
    placing_kernel(Placing<Source> placing, unsigned blocks_per_group) {
  const SystemBlock block(blocks_per_group);
  const PlacedSystems of(placing, block.system);
  const Offset row = block.number * Offset{threads / row_lanes} + threadIdx.x / row_lanes;
  const bool real = row < placing.matrix.n;
  const Offset begin = real ? placing.matrix.row_ptr[row] : 0;
  const Offset end = real ? placing.matrix.row_ptr[row + 1] : 0;
  const double row_scale = real ? placing.row_scale[row] : 0;
  double sum[systems_together] = {};
  place_row(placing, of, begin, end, sum);
#pragma unroll
  for (int s = 0; s < systems_together; ++s) {
    const unsigned long long largest = warp_largest(sum_bits(row_scale * sum[s]));
    const bool raises = threadIdx.x % warp_size == 0 && s < of.count;
    if (raises) raise_to(placing.scaled_norm + of.first + s, largest);
  }
}

template <class Source>
void launch_placing(DeviceSession& session, const Placing<Source>& placing) {
  const Offset blocks = ceil_div(placing.matrix.n, threads / row_lanes);
  launch(session, {blocks * ceil_div(placing.systems, systems_together), threads},
         placing_kernel<Source>, placing, static_cast<unsigned>(blocks));
}

// As the residuals of one system are used, but for the norms, which each block raises itself.
struct SystemResiduals {
  const double *b, *x;
  double* r;

  struct Entry {
    double b = 0, x = 0;
  };
  __device__ Entry load(bool mine, Offset place) const {
    return mine ? Entry{b[place], x[place]} : Entry{};
  }
  __device__ void store(bool mine, Index c, Offset place, const Entry& entry,
                        double product) const {
    const double residual = entry.b - product;
    if (mine) r[place] = residual;
    BackwardError::raise(c, {{mine ? magnitude_bits(residual) : 0, magnitude_bits(entry.x),
                              magnitude_bits(entry.b)}});
  }
};

template <int Lanes>
__global__ void __launch_bounds__(threads)
    residual_kernel(PatternRef matrix, Offset nnz, SystemVectors vectors,
                    unsigned blocks_per_system) {
  constexpr unsigned rows = RowTile<Lanes>::rows;
  const SystemBlock block(blocks_per_system);
  const Offset shift = Offset{block.system} * matrix.n;
  const RowProduct<SystemResiduals> product{
      matrix, vectors.values + block.system * nnz, vectors.x + shift, 1,
      SystemResiduals{vectors.b + shift, vectors.x + shift, vectors.r + shift}};
  const unsigned tiles = (static_cast<unsigned>(matrix.n) + rows - 1) / rows;
  const unsigned warp = threadIdx.x / warp_size;
  BackwardError::begin(1);
  __syncthreads();
  for (unsigned first = block.number; first < tiles; first += warps * blocks_per_system) {
    product.template take_tile<Lanes>(first + warp * blocks_per_system);
  }
  __syncthreads();
  if (threadIdx.x < ColumnNorms::count) {
    raise_to(&vectors.norms[block.system].of[threadIdx.x],
             BackwardError::block_norms()[0].of[threadIdx.x]);
  }
}

// A thread per system.
__global__ void error_kernel(SystemVectors vectors, Index systems) {
  const Index k = static_cast<Index>(blockIdx.x * blockDim.x + threadIdx.x);
  if (k >= systems) return;
  vectors.error[k] = column_error(vectors.norms[k], vectors.matrix_norm[k]);
  vectors.norms[k] = {};
}

// A warp for each tile, four tiles of a warp where there are that many.
template <int Lanes>
void launch_residuals(DeviceSession& session, const DevicePermutedMatrix& matrix, Index systems,
                      const SystemVectors& vectors) {
  const Offset tiles = ceil_div(matrix.n, RowTile<Lanes>::rows);
  const Offset blocks = ceil_div(tiles, Offset{4} * warps);
  launch(session, {blocks * systems, threads}, residual_kernel<Lanes>, matrix.pattern(), matrix.nnz,
         vectors, static_cast<unsigned>(blocks));
}

// A thread per entry of all systems.
__global__ void add_kernel(Index n, Offset entries, const unsigned char* of, const double* step,
                           double* x, double* before) {
  const Offset i = blockIdx.x * static_cast<Offset>(threads) + threadIdx.x;
  if (i >= entries || of[i / n] == 0) return;
  before[i] = x[i];
  x[i] += step[i];
}
__global__ void take_back_kernel(Index n, Offset entries, const unsigned char* of,
                                 const double* before, double* x) {
  const Offset i = blockIdx.x * static_cast<Offset>(threads) + threadIdx.x;
  if (i < entries && of[i / n] != 0) x[i] = before[i];
}

}  // namespace

void place_system_values(DeviceSession& session, const DevicePermutedMatrix& matrix,
                         const EntrySources& source, Index systems, const double* given,
                         Offset given_entries, double* values, unsigned long long* scaled_norm) {
  const auto place = [&](const auto* from) {
    launch_placing(
        session, Placing<std::remove_cvref_t<decltype(*from)>>{
                     matrix.pattern(), matrix.nnz, from, matrix.row_scale.data(),
                     matrix.col_scale.data(), given, given_entries, values, scaled_norm, systems});
  };
  source.wide.size() > 0 ? place(source.wide.data()) : place(source.narrow.data());
}

void system_residuals(DeviceSession& session, const DevicePermutedMatrix& matrix, Index systems,
                      const SystemVectors& vectors) {
  const Offset n = matrix.n;
  if (matrix.nnz <= 6 * n) {
    launch_residuals<4>(session, matrix, systems, vectors);
  } else if (matrix.nnz <= 24 * n) {
    launch_residuals<8>(session, matrix, systems, vectors);
  } else {
    launch_residuals<warp_size>(session, matrix, systems, vectors);
  }
  launch(session, {ceil_div(systems, threads), threads}, error_kernel, vectors, systems);
}

void add_steps(DeviceSession& session, Index systems, Index n, const unsigned char* of,
               const double* step, double* x, double* before) {
  const Offset entries = Offset{systems} * n;
  launch(session, {ceil_div(entries, threads), threads}, add_kernel, n, entries, of, step, x,
         before);
}

void take_steps_back(DeviceSession& session, Index systems, Index n, const unsigned char* of,
                     const double* before, double* x) {
  const Offset entries = Offset{systems} * n;
  launch(session, {ceil_div(entries, threads), threads}, take_back_kernel, n, entries, of, before,
         x);
}

}  // namespace lufact::gpu
