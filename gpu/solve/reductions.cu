// SPDX-License-Identifier: BSD-3-Clause
#include <cub/block/block_reduce.cuh>
#include <cuda/std/limits>

#include "gpu/runtime/launch.cuh"
#include "gpu/solve/reductions.hpp"

namespace lufact::gpu {
namespace {

constexpr int threads = 256;
constexpr int partials = 256;  // blocks of the first step; the second step is one block of as many
static_assert(partials == threads);

using BlockReduce = cub::BlockReduce<double, threads>;

struct Larger {
  __device__ double operator()(double a, double b) const { return a < b ? b : a; }
};

// NaN counts as infinity, so that it is never lost in a maximum.
__device__ double magnitude(double value) {
  return isnan(value) ? cuda::std::numeric_limits<double>::infinity() : fabs(value);
}

__device__ Offset first_item() {
  return blockIdx.x * static_cast<Offset>(threads) + threadIdx.x;
}
constexpr Offset stride = static_cast<Offset>(threads) * partials;

// All threads of the block call it; thread 0 gets the result.
__device__ double block_largest(const double* x, Offset begin, Offset size, Offset step) {
  __shared__ typename BlockReduce::TempStorage storage;
  double largest = 0;
  for (Offset i = begin; i < size; i += step) largest = Larger{}(largest, magnitude(x[i]));
  __syncthreads();  // the storage of the previous call is free only now
  return BlockReduce(storage).Reduce(largest, Larger{});
}

// Block b sums its share of the products; one thread per item in turn.
__global__ void dot_partials(const double* x, const double* y, Offset size, double* partial) {
  __shared__ typename BlockReduce::TempStorage storage;
  double sum = 0;
  for (Offset i = first_item(); i < size; i += stride) sum += x[i] * y[i];
  sum = BlockReduce(storage).Sum(sum);
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

// One block, one thread per partial sum.
__global__ void sum_partials(const double* partial, double* result) {
  __shared__ typename BlockReduce::TempStorage storage;
  const double sum = BlockReduce(storage).Sum(partial[threadIdx.x]);
  if (threadIdx.x == 0) *result = sum;
}

__global__ void largest_partials(const double* x, Offset size, double* partial) {
  const double largest = block_largest(x, first_item(), size, stride);
  if (threadIdx.x == 0) partial[blockIdx.x] = largest;
}

// The same for three vectors, one after another in `partial`, each by as many blocks.
struct ThreeVectors {
  const double* of[3];
};
__global__ void largest_partials_of(ThreeVectors vectors, Offset size, double* partial) {
  const unsigned vector = blockIdx.x / partials;
  const Offset first = blockIdx.x % partials * static_cast<Offset>(threads) + threadIdx.x;
  const double largest = block_largest(vectors.of[vector], first, size, stride);
  if (threadIdx.x == 0) partial[blockIdx.x] = largest;
}

// One block.
__global__ void largest_of_partials(const double* partial, double* result) {
  const double largest = block_largest(partial, threadIdx.x, partials, threads);
  if (threadIdx.x == 0) *result = largest;
}

// One block: the partial maxima of r, x and b, one after another, to the error of a column, folded
// into the largest so far.
__global__ void fold_backward_error(const double* partial, double matrix_norm, bool first,
                                    double* result) {
  const double r = block_largest(partial, threadIdx.x, partials, threads);
  const double x = block_largest(partial + partials, threadIdx.x, partials, threads);
  const double b = block_largest(partial + 2 * partials, threadIdx.x, partials, threads);
  if (threadIdx.x != 0) return;
  const bool finite = isfinite(r) && isfinite(x) && isfinite(b);
  const double error = r == 0 && finite ? 0.0 : r / (matrix_norm * x + b);
  const double worst = first ? 0.0 : *result;
  *result =
      Larger{}(worst, finite ? magnitude(error) : cuda::std::numeric_limits<double>::infinity());
}

}  // namespace

Reductions::Reductions(DeviceSession& session)
    : session_(session),
      partial_(session, MemoryRole::resident, 3 * partials, "partial sums"),
      result_(session, MemoryRole::resident, 1, "a sum") {}

double Reductions::dot(const double* x, const double* y, Offset size) {
  launch(session_, {partials, threads}, dot_partials, x, y, size, partial_.data());
  launch(session_, {1, threads}, sum_partials, partial_.data(), result_.data());
  return read_value(session_, result_.data());
}

double Reductions::norm_inf(const double* x, Offset size) {
  launch(session_, {partials, threads}, largest_partials, x, size, partial_.data());
  launch(session_, {1, threads}, largest_of_partials, partial_.data(), result_.data());
  return read_value(session_, result_.data());
}

double Reductions::backward_error(double matrix_norm, const double* x, const double* b,
                                  const double* r, Offset rows, Index columns) {
  if (columns == 0) return 0;
  for (Index c = 0; c < columns; ++c) {
    const Offset column = c * rows;
    launch(session_, {3 * partials, threads}, largest_partials_of,
           ThreeVectors{{r + column, x + column, b + column}}, rows, partial_.data());
    launch(session_, {1, threads}, fold_backward_error, partial_.data(), matrix_norm, c == 0,
           result_.data());
  }
  return read_value(session_, result_.data());
}

}  // namespace lufact::gpu
