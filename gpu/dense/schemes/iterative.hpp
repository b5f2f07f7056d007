// SPDX-License-Identifier: BSD-3-Clause
// The iterative schemes of DENSE (section 2). Step k subtracts multiples of pivot row k from the
// rows below: a block takes rows k + 1 + its number, + the blocks there are, ...; its threads take
// columns in the same way. Bounded by memory: n steps pass over 2 n^3 / 3 numbers in all, each read
// and written, beside a launch or a barrier a step.
#pragma once
#include <memory>

#include "gpu/dense/schemes/factorization.hpp"
#include "gpu/runtime/session.hpp"

namespace lufact::gpu::schemes {

// Whether the host waits for each kernel.
enum class HostWaits { no, yes };

// `mkr`: a kernel a step ("multi kernel"), any number of blocks. Without waits it is `mkr-async`.
template <class Real>
std::unique_ptr<Factorization<Real>> make_kernel_a_step(DeviceSession& session,
                                                        const GridRequest& request,
                                                        HostWaits waits);

// `mkr-graph`: the same kernels as one CUDA graph, made here for the matrix `a`, the only one that
// it then factors.
template <class Real>
std::unique_ptr<Factorization<Real>> make_step_graph(DeviceSession& session,
                                                     const GridRequest& request,
                                                     const RowMatrix<Real>& a);

// `skr`: all steps in one cooperative launch, with a grid barrier after each ("single kernel"). All
// blocks run at once: more than can is an error that says how many can, half the order takes the
// smaller of the two.
template <class Real>
std::unique_ptr<Factorization<Real>> make_single_kernel(DeviceSession& session,
                                                        const GridRequest& request);

}  // namespace lufact::gpu::schemes
