// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/dense/schemes/iterative.hpp"

#include <algorithm>
#include <string>

#include "core/base/error.hpp"
#include "gpu/dense/schemes/step_kernels.hpp"
#include "gpu/runtime/check.hpp"

namespace lufact::gpu::schemes {
namespace {

StepGrid step_grid(const GridRequest& request, Index order, Index columns) {
  return {request.blocks_for(order), request.threads_for(columns)};
}

template <class Real>
class KernelAStep final : public Factorization<Real> {
 public:
  KernelAStep(DeviceSession& session, const GridRequest& request, HostWaits waits)
      : session_(session), request_(request), waits_(waits) {}

  void factor(const RowMatrix<Real>& a, SchemeCounts& counts, PhaseRecorder*) override {
    const StepGrid grid = step_grid(request_, a.order(), a.columns);
    for (Index k = 0; k < a.order(); ++k) {
      launch_step(session_, grid, a, k);
      if (waits_ == HostWaits::yes) session_.synchronize();
      counts.add_grid(grid.blocks, grid.threads);
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

  template <class Real>
  void add(const StepGrid& grid, const RowMatrix<Real>& a, Offset k) {
    last_ = add_step(graph_, last_, grid, a, k);
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
      : session_(session), grid_(step_grid(request, a.order(), a.columns)) {
    for (Offset k = 0; k < a.order(); ++k) chain_.add(grid_, a, k);
    chain_.make_ready();
  }

  void factor(const RowMatrix<Real>&, SchemeCounts& counts, PhaseRecorder*) override {
    chain_.launch(session_.stream());
    counts.add_grid(grid_.blocks, grid_.threads);
  }

 private:
  DeviceSession& session_;
  const StepGrid grid_;
  KernelChain chain_;
};

template <class Real>
class SingleKernel final : public Factorization<Real> {
 public:
  SingleKernel(DeviceSession& session, const GridRequest& request)
      : session_(session), request_(request) {}

  void check(Index, Index columns) const override {
    const int threads = request_.threads_for(columns);
    const Offset most = resident_step_blocks<Real>(session_, threads);
    if (!request_.blocks || *request_.blocks <= most) return;
    throw Error(Outcome::unsupported, "too_many_blocks",
                "blocks that wait for each other run at once, which on this device " +
                    std::to_string(most) + " of " + std::to_string(threads) + " threads do, not " +
                    std::to_string(*request_.blocks) + "; accepted: --blocks half, or 1 to " +
                    std::to_string(most));
  }

  void factor(const RowMatrix<Real>& a, SchemeCounts& counts, PhaseRecorder*) override {
    const StepGrid grid = grid_for(a);
    launch_all_steps(session_, grid, a);
    counts.add_grid(grid.blocks, grid.threads);
    counts.grid_barriers += a.order();
  }

  void run_barriers(const RowMatrix<Real>& a) override {
    launch_barriers(session_, grid_for(a), a.order());
  }

 private:
  StepGrid grid_for(const RowMatrix<Real>& a) const {
    StepGrid grid = step_grid(request_, a.order(), a.columns);
    grid.blocks = std::min(grid.blocks, resident_step_blocks<Real>(session_, grid.threads));
    return grid;
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
