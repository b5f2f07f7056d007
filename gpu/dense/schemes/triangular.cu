// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "gpu/dense/schemes/elimination.cuh"
#include "gpu/dense/schemes/launch_on.cuh"
#include "gpu/dense/schemes/product.hpp"
#include "gpu/dense/schemes/triangular.hpp"

namespace lufact::gpu::schemes {
namespace {

__device__ Offset grid_rank() {
  return static_cast<Offset>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ Offset grid_size() {
  return static_cast<Offset>(gridDim.x) * blockDim.x;
}

template <class Real>
__global__ void lower_kernel(RowMatrix<Real> factors, RowMatrix<Real> a) {
  for (Offset j = grid_rank(); j < a.columns; j += grid_size()) {
    for (Index i = 1; i < factors.rows; ++i) {
      Real value = a(i, j);
      for (Index k = 0; k < i; ++k) value = eliminated(value, factors(i, k), a(k, j));
      a(i, j) = value;
    }
  }
}

template <class Real>
__global__ void upper_kernel(RowMatrix<Real> factors, RowMatrix<Real> a) {
  for (Offset i = grid_rank(); i < a.rows; i += grid_size()) {
    for (Index j = 0; j < factors.columns; ++j) {
      Real value = a(i, j);
      for (Index k = 0; k < j; ++k) value = eliminated(value, a(i, k), factors(k, j));
      a(i, j) = multiplier(value, factors(j, j));
    }
  }
}

// A thread for each of `systems`.
template <class Real>
void launch_striped(cudaStream_t stream, const SolveSettings& settings, Offset systems,
                    void (*kernel)(RowMatrix<Real>, RowMatrix<Real>),
                    const RowMatrix<Real>& factors, const RowMatrix<Real>& a,
                    SchemeCounts& counts) {
  if (systems == 0) return;
  const Offset blocks = std::min(settings.most_blocks, ceil_div(systems, settings.threads));
  launch_on(stream, {blocks, settings.threads}, kernel, factors, a);
  counts.add_grid(blocks, settings.threads);
}

Index step_of(const SolveSettings& settings, Index order) {
  return settings.method == DenseTriangular::blocked ? std::min(blocked_step, order) : order;
}

}  // namespace

template <class Real>
void solve_with_lower(cudaStream_t stream, const SolveSettings& settings,
                      const RowMatrix<Real>& factors, const RowMatrix<Real>& a,
                      SchemeCounts& counts) {
  for (Index k = 0; k < factors.rows; k += step_of(settings, factors.rows)) {
    const Index step = std::min(step_of(settings, factors.rows), factors.rows - k);
    const Index next = k + step;
    const RowMatrix<Real> solved = a.part(k, 0, step, a.columns);
    launch_striped(stream, settings, a.columns, lower_kernel<Real>, factors.part(k, k, step, step),
                   solved, counts);
    subtract_product(stream, settings.product, settings.most_blocks,
                     factors.part(next, k, factors.rows - next, step), solved, a.rest(next, 0),
                     counts);
  }
}

template <class Real>
void solve_with_upper(cudaStream_t stream, const SolveSettings& settings,
                      const RowMatrix<Real>& factors, const RowMatrix<Real>& a,
                      SchemeCounts& counts) {
  for (Index k = 0; k < factors.rows; k += step_of(settings, factors.rows)) {
    const Index step = std::min(step_of(settings, factors.rows), factors.rows - k);
    const Index next = k + step;
    const RowMatrix<Real> solved = a.part(0, k, a.rows, step);
    launch_striped(stream, settings, a.rows, upper_kernel<Real>, factors.part(k, k, step, step),
                   solved, counts);
    subtract_product(stream, settings.product, settings.most_blocks, solved,
                     factors.part(k, next, step, factors.rows - next), a.rest(0, next), counts);
  }
}

#define LUFACT_TRIANGULAR_OF(Real)                                                           \
  template void solve_with_lower(cudaStream_t, const SolveSettings&, const RowMatrix<Real>&, \
                                 const RowMatrix<Real>&, SchemeCounts&);                     \
  template void solve_with_upper(cudaStream_t, const SolveSettings&, const RowMatrix<Real>&, \
                                 const RowMatrix<Real>&, SchemeCounts&);
LUFACT_TRIANGULAR_OF(float)
LUFACT_TRIANGULAR_OF(double)
#undef LUFACT_TRIANGULAR_OF

}  // namespace lufact::gpu::schemes
