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

// So many unknowns of a system are in a thread's registers at a time.
constexpr int panel = 32;
constexpr int most_threads = 256;  // of a block: registers for panels of all

// x_i -= factor(i, k) x_k for the unknowns before the panel, then within it, in ascending k.
template <class Real>
__global__ void __launch_bounds__(most_threads)
    lower_kernel(RowMatrix<Real> factors, RowMatrix<Real> a) {
  for (Offset j = grid_rank(); j < a.columns; j += grid_size()) {
    for (Index begin = 0; begin < factors.rows; begin += panel) {
      const Index size = min(panel, factors.rows - begin);
      Real x[panel];
#pragma unroll
      for (int i = 0; i < panel; ++i) x[i] = i < size ? a(begin + i, j) : Real{0};
      for (Index k = 0; k < begin; ++k) {
        const Real known = a(k, j);
#pragma unroll
        for (int i = 0; i < panel; ++i) {
          if (i < size) x[i] = eliminated(x[i], factors(begin + i, k), known);
        }
      }
#pragma unroll
      for (int k = 0; k < panel; ++k) {
#pragma unroll
        for (int i = k + 1; i < panel; ++i) {
          if (i < size) x[i] = eliminated(x[i], factors(begin + i, begin + k), x[k]);
        }
      }
#pragma unroll
      for (int i = 0; i < panel; ++i) {
        if (i < size) a(begin + i, j) = x[i];
      }
    }
  }
}

// The same along a row, with a division where an unknown is final.
template <class Real>
__global__ void __launch_bounds__(most_threads)
    upper_kernel(RowMatrix<Real> factors, RowMatrix<Real> a) {
  for (Offset i = grid_rank(); i < a.rows; i += grid_size()) {
    for (Index begin = 0; begin < factors.columns; begin += panel) {
      const Index size = min(panel, factors.columns - begin);
      Real x[panel];
#pragma unroll
      for (int j = 0; j < panel; ++j) x[j] = j < size ? a(i, begin + j) : Real{0};
      for (Index k = 0; k < begin; ++k) {
        const Real known = a(i, k);
#pragma unroll
        for (int j = 0; j < panel; ++j) {
          if (j < size) x[j] = eliminated(x[j], known, factors(k, begin + j));
        }
      }
#pragma unroll
      for (int k = 0; k < panel; ++k) {
        if (k < size) x[k] = multiplier(x[k], factors(begin + k, begin + k));
#pragma unroll
        for (int j = k + 1; j < panel; ++j) {
          if (j < size) x[j] = eliminated(x[j], x[k], factors(begin + k, begin + j));
        }
      }
#pragma unroll
      for (int j = 0; j < panel; ++j) {
        if (j < size) a(i, begin + j) = x[j];
      }
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
  const int threads = std::min(settings.threads, most_threads);
  const Offset blocks = std::min(settings.most_blocks, ceil_div(systems, threads));
  launch_on(stream, {blocks, threads}, kernel, factors, a);
  counts.add_grid(blocks, threads);
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
