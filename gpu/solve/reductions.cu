// SPDX-License-Identifier: BSD-3-Clause
#include <cub/block/block_reduce.cuh>

#include "gpu/runtime/launch.cuh"
#include "gpu/solve/reductions.hpp"

namespace lufact::gpu {
namespace {

constexpr int threads = 256;
constexpr int partials = 256;  // blocks of the first step; the second step is one block of as many
static_assert(partials == threads);

using BlockReduce = cub::BlockReduce<double, threads>;

// Block b sums its share of the products; one thread per item in turn.
__global__ void dot_partials(const double* x, const double* y, Offset size, double* partial) {
  __shared__ typename BlockReduce::TempStorage storage;
  constexpr Offset stride = static_cast<Offset>(threads) * partials;
  double sum = 0;
  for (Offset i = blockIdx.x * static_cast<Offset>(threads) + threadIdx.x; i < size; i += stride) {
    sum += x[i] * y[i];
  }
  sum = BlockReduce(storage).Sum(sum);
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

// One block, one thread per partial sum.
__global__ void sum_partials(const double* partial, double* result) {
  __shared__ typename BlockReduce::TempStorage storage;
  const double sum = BlockReduce(storage).Sum(partial[threadIdx.x]);
  if (threadIdx.x == 0) *result = sum;
}

}  // namespace

Reductions::Reductions(DeviceSession& session)
    : session_(session), partial_(session, MemoryRole::resident, partials, "partial sums") {}

double Reductions::dot(const double* x, const double* y, Offset size) {
  launch(session_, {partials, threads}, dot_partials, x, y, size, partial_.data());
  launch(session_, {1, threads}, sum_partials, partial_.data(), control_place<double>(session_));
  return take_value<double>(session_);
}

}  // namespace lufact::gpu
