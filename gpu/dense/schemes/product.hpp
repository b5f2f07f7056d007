// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cuda_runtime_api.h>

#include "core/array/dense_settings.hpp"
#include "gpu/dense/schemes/factorization.hpp"
#include "gpu/dense/schemes/row_matrix.hpp"

namespace lufact::gpu::schemes {

// a := a - l u, the terms of an entry one after the other in ascending order, by at most
// `most_blocks` blocks. `own`: tiles of 64 x 64 with 4 x 4 entries a thread, bounded by memory for
// few columns of l, by shared memory for many; `simple`: a thread an entry, which reads both
// factors from memory. One launch, none for an empty matrix.
template <class Real>
void subtract_product(cudaStream_t stream, DenseProduct product, Offset most_blocks,
                      const RowMatrix<Real>& l, const RowMatrix<Real>& u, const RowMatrix<Real>& a,
                      SchemeCounts& counts);

}  // namespace lufact::gpu::schemes
