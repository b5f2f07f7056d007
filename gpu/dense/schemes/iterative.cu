// SPDX-License-Identifier: BSD-3-Clause
#include <string>

#include "core/base/error.hpp"
#include "gpu/components/grid.cuh"
#include "gpu/dense/schemes/elimination.cuh"
#include "gpu/dense/schemes/iterative.hpp"
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

LaunchShape step_shape(const GridRequest& request, Index order, Index columns) {
  return {request.blocks_for(order), request.threads_for(columns)};
}

template <class Real>
class KernelAStep final : public Factorization<Real> {
 public:
  KernelAStep(DeviceSession& session, const GridRequest& request, HostWaits waits)
      : session_(session), request_(request), waits_(waits) {}

  void factor(const RowMatrix<Real>& a, SchemeCounts& counts, PhaseRecorder*) override {
    const LaunchShape shape = step_shape(request_, a.order(), a.columns);
    for (Index k = 0; k < a.order(); ++k) {
      launch(session_, shape, step_kernel<Real>, a, Offset{k});
      if (waits_ == HostWaits::yes) session_.synchronize();
      counts.add_grid(shape.blocks, shape.threads);
    }
  }

 private:
  DeviceSession& session_;
  const GridRequest request_;
  const HostWaits waits_;
};

// A chain of kernel nodes, ready to be launched.
class KernelChain {
 public:
  KernelChain() { LUFACT_CUDA(cudaGraphCreate(&graph_, 0)); }
  ~KernelChain() {
    if (ready_ != nullptr) LUFACT_CUDA_NOEXCEPT(cudaGraphExecDestroy(ready_));
    LUFACT_CUDA_NOEXCEPT(cudaGraphDestroy(graph_));
  }
  KernelChain(const KernelChain&) = delete;
  KernelChain& operator=(const KernelChain&) = delete;

  // `arguments` are read before it returns.
  void add(const void* kernel, const LaunchShape& shape, void** arguments) {
    cudaKernelNodeParams node{};
    node.func = const_cast<void*>(kernel);
    node.gridDim = dim3(static_cast<unsigned>(shape.blocks));
    node.blockDim = dim3(static_cast<unsigned>(shape.threads));
    node.kernelParams = arguments;
    const cudaGraphNode_t before = last_;
    LUFACT_CUDA(cudaGraphAddKernelNode(&last_, graph_, &before, before == nullptr ? 0 : 1, &node));
  }
  void make_ready() { LUFACT_CUDA(cudaGraphInstantiate(&ready_, graph_, 0)); }
  void launch(cudaStream_t stream) { LUFACT_CUDA(cudaGraphLaunch(ready_, stream)); }

 private:
  cudaGraph_t graph_ = nullptr;
  cudaGraphNode_t last_ = nullptr;
  cudaGraphExec_t ready_ = nullptr;
};

template <class Real>
class StepGraph final : public Factorization<Real> {
 public:
  StepGraph(DeviceSession& session, const GridRequest& request, const RowMatrix<Real>& a)
      : session_(session), shape_(step_shape(request, a.order(), a.columns)) {
    RowMatrix<Real> matrix = a;
    for (Offset k = 0; k < a.order(); ++k) {
      void* arguments[] = {&matrix, &k};
      chain_.add(reinterpret_cast<const void*>(step_kernel<Real>), shape_, arguments);
    }
    chain_.make_ready();
  }

  void factor(const RowMatrix<Real>&, SchemeCounts& counts, PhaseRecorder*) override {
    chain_.launch(session_.stream());
    counts.add_grid(shape_.blocks, shape_.threads);
  }

 private:
  DeviceSession& session_;
  const LaunchShape shape_;
  KernelChain chain_;
};

template <class Real>
class SingleKernel final : public Factorization<Real> {
 public:
  SingleKernel(DeviceSession& session, const GridRequest& request)
      : session_(session), request_(request) {}

  void check(Index, Index columns) const override {
    const int threads = request_.threads_for(columns);
    const Offset most = resident_blocks(threads);
    if (!request_.blocks || *request_.blocks <= most) return;
    throw Error(Outcome::unsupported, "too_many_blocks",
                "blocks that wait for each other run at once, which on this device " +
                    std::to_string(most) + " of " + std::to_string(threads) + " threads do, not " +
                    std::to_string(*request_.blocks) + "; accepted: --blocks half, or 1 to " +
                    std::to_string(most));
  }

  void factor(const RowMatrix<Real>& a, SchemeCounts& counts, PhaseRecorder*) override {
    const LaunchShape shape = shape_for(a);
    launch_cooperative(session_, shape, all_steps_kernel<Real>, a, a.order());
    counts.add_grid(shape.blocks, shape.threads);
    counts.grid_barriers += a.order();
  }

  void run_barriers(const RowMatrix<Real>& a) override {
    launch_cooperative(session_, shape_for(a), barriers_kernel, a.order());
  }

 private:
  LaunchShape shape_for(const RowMatrix<Real>& a) const {
    LaunchShape shape = step_shape(request_, a.order(), a.columns);
    shape.blocks = std::min(shape.blocks, resident_blocks(shape.threads));
    return shape;
  }

  Offset resident_blocks(int threads) const {
    int of_one = 0;
    LUFACT_CUDA(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_one, all_steps_kernel<Real>, threads, 0));
    return Offset{of_one} * session_.sm_count();
  }

  DeviceSession& session_;
  const GridRequest request_;
};

}  // namespace

template <class Real>
std::unique_ptr<Factorization<Real>> make_kernel_a_step(DeviceSession& session,
                                                        const GridRequest& request,
                                                        HostWaits waits) {
  return std::make_unique<KernelAStep<Real>>(session, request, waits);
}

template <class Real>
std::unique_ptr<Factorization<Real>> make_step_graph(DeviceSession& session,
                                                     const GridRequest& request,
                                                     const RowMatrix<Real>& a) {
  return std::make_unique<StepGraph<Real>>(session, request, a);
}

template <class Real>
std::unique_ptr<Factorization<Real>> make_single_kernel(DeviceSession& session,
                                                        const GridRequest& request) {
  return std::make_unique<SingleKernel<Real>>(session, request);
}

#define LUFACT_ITERATIVE_OF(Real)                                                                  \
  template std::unique_ptr<Factorization<Real>> make_kernel_a_step(DeviceSession&,                 \
                                                                   const GridRequest&, HostWaits); \
  template std::unique_ptr<Factorization<Real>> make_step_graph(                                   \
      DeviceSession&, const GridRequest&, const RowMatrix<Real>&);                                 \
  template std::unique_ptr<Factorization<Real>> make_single_kernel(DeviceSession&,                 \
                                                                   const GridRequest&);
LUFACT_ITERATIVE_OF(float)
LUFACT_ITERATIVE_OF(double)
#undef LUFACT_ITERATIVE_OF

}  // namespace lufact::gpu::schemes
