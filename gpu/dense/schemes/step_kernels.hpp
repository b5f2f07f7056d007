// SPDX-License-Identifier: BSD-3-Clause
// The kernels of the iterative schemes (iterative.hpp): a step, all steps with a grid barrier after
// each, and these barriers alone.
#pragma once
#include <cuda_runtime_api.h>

#include "core/base/types.hpp"
#include "gpu/dense/schemes/row_matrix.hpp"
#include "gpu/runtime/session.hpp"

namespace lufact::gpu::schemes {

struct StepGrid {
  Offset blocks = 0;
  int threads = 0;
};

// On the session's stream.
template <class Real>
void launch_step(DeviceSession& session, const StepGrid& grid, const RowMatrix<Real>& a, Offset k);
// As a node of `graph` behind `before`, which may be null.
template <class Real>
cudaGraphNode_t add_step(cudaGraph_t graph, cudaGraphNode_t before, const StepGrid& grid,
                         const RowMatrix<Real>& a, Offset k);

// Cooperative launches, which fail with more blocks than resident_step_blocks(), of the whole card.
template <class Real>
void launch_all_steps(DeviceSession& session, const StepGrid& grid, const RowMatrix<Real>& a);
void launch_barriers(DeviceSession& session, const StepGrid& grid, Index barriers);
template <class Real>
Offset resident_step_blocks(const DeviceSession& session, int threads);

}  // namespace lufact::gpu::schemes
