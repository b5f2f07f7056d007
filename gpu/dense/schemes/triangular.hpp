// SPDX-License-Identifier: BSD-3-Clause
// Triangular systems with a thread for each of their columns or rows (DENSE section 3): one launch
// each. Bounded by the b^2 / 2 operations of a thread, one after the other. `blocked`: by blocks of
// blocked_step columns, whose effect on the others is subtracted as a product; the same bits.
#pragma once
#include <cuda_runtime_api.h>

#include "core/array/dense_settings.hpp"
#include "gpu/dense/schemes/factorization.hpp"
#include "gpu/dense/schemes/row_matrix.hpp"

namespace lufact::gpu::schemes {

inline constexpr Index blocked_step = 16;

// Where triangular systems are solved, and with what.
struct SolveSettings {
  DenseTriangular method = DenseTriangular::columns;
  DenseProduct product = DenseProduct::own;  // of `blocked`
  Offset most_blocks = 1;
  int threads = 1;  // of a block, of which these kernels take 256 at most
};

// a := L^-1 a with the unit lower triangle of `factors` (b x b); `a` has b rows. A thread a column.
template <class Real>
void solve_with_lower(cudaStream_t stream, const SolveSettings& settings,
                      const RowMatrix<Real>& factors, const RowMatrix<Real>& a,
                      SchemeCounts& counts);
// a := a U^-1 with the upper triangle; `a` has b columns. A thread a row. Below a zero pivot
// entries stay undivided, as elsewhere.
template <class Real>
void solve_with_upper(cudaStream_t stream, const SolveSettings& settings,
                      const RowMatrix<Real>& factors, const RowMatrix<Real>& a,
                      SchemeCounts& counts);

}  // namespace lufact::gpu::schemes
