// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/components/grid.cuh"
#include "gpu/dense/schemes/elimination.cuh"
#include "gpu/dense/schemes/step_kernels.hpp"
#include "gpu/runtime/launch.cuh"

namespace lufact::gpu::schemes {
namespace {

constexpr int most_threads = 1024;

// One step, by all blocks of a grid.
template <class Real>
__device__ void eliminate(const RowMatrix<Real>& a, Offset k) {
  const Real pivot = a(k, k);
  for (Offset i = k + 1 + blockIdx.x; i < a.rows; i += gridDim.x) {
    const Real l = multiplier(a(i, k), pivot);
    for (Offset j = k + 1 + threadIdx.x; j < a.columns; j += blockDim.x) {
      a(i, j) = eliminated(a(i, j), l, a(k, j));
    }
    __syncthreads();  // all threads have read what the first one overwrites
    if (threadIdx.x == 0) a(i, k) = l;
  }
}

template <class Real>
__global__ void __launch_bounds__(most_threads) step_kernel(RowMatrix<Real> a, Offset k) {
  eliminate(a, k);
}

template <class Real>
__global__ void __launch_bounds__(most_threads) all_steps_kernel(RowMatrix<Real> a, Index steps) {
  const Grid grid;
  for (Index k = 0; k < steps; ++k) {
    eliminate(a, k);
    grid.sync();
  }
}

__global__ void __launch_bounds__(most_threads) barriers_kernel(Index barriers) {
  const Grid grid;
  for (Index k = 0; k < barriers; ++k) grid.sync();
}

}  // namespace

template <class Real>
void launch_step(DeviceSession& session, const StepGrid& grid, const RowMatrix<Real>& a, Offset k) {
  launch(session, {grid.blocks, grid.threads}, step_kernel<Real>, a, k);
}

template <class Real>
cudaGraphNode_t add_step(cudaGraph_t graph, cudaGraphNode_t before, const StepGrid& grid,
                         const RowMatrix<Real>& a, Offset k) {
  RowMatrix<Real> matrix = a;
  void* arguments[] = {&matrix, &k};
  cudaKernelNodeParams node{};
  node.func = reinterpret_cast<void*>(step_kernel<Real>);
  node.gridDim = dim3(static_cast<unsigned>(grid.blocks));
  node.blockDim = dim3(static_cast<unsigned>(grid.threads));
  node.kernelParams = arguments;
  cudaGraphNode_t added = nullptr;
  LUFACT_CUDA(cudaGraphAddKernelNode(&added, graph, &before, before == nullptr ? 0 : 1, &node));
  return added;
}

template <class Real>
void launch_all_steps(DeviceSession& session, const StepGrid& grid, const RowMatrix<Real>& a) {
  launch_cooperative(session, {grid.blocks, grid.threads}, all_steps_kernel<Real>, a, a.order());
}

void launch_barriers(DeviceSession& session, const StepGrid& grid, Index barriers) {
  launch_cooperative(session, {grid.blocks, grid.threads}, barriers_kernel, barriers);
}

template <class Real>
Offset resident_step_blocks(const DeviceSession& session, int threads) {
  int of_one = 0;
  LUFACT_CUDA(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_one, all_steps_kernel<Real>, threads, 0));
  return Offset{of_one} * session.sm_count();
}

#define LUFACT_STEP_KERNELS_OF(Real)                                                          \
  template void launch_step(DeviceSession&, const StepGrid&, const RowMatrix<Real>&, Offset); \
  template cudaGraphNode_t add_step(cudaGraph_t, cudaGraphNode_t, const StepGrid&,            \
                                    const RowMatrix<Real>&, Offset);                          \
  template void launch_all_steps(DeviceSession&, const StepGrid&, const RowMatrix<Real>&);    \
  template Offset resident_step_blocks<Real>(const DeviceSession&, int);
LUFACT_STEP_KERNELS_OF(float)
LUFACT_STEP_KERNELS_OF(double)
#undef LUFACT_STEP_KERNELS_OF

}  // namespace lufact::gpu::schemes
