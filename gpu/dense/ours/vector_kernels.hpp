// SPDX-License-Identifier: BSD-3-Clause
// What refinement does to matrices and vectors on the device, beside products and solutions. All
// calls are asynchronous, every sum is taken in a fixed order, and pointers are to device memory.
// Vectors of several columns follow each other, n entries each.
#pragma once
#include <cuda_runtime_api.h>

#include "core/base/types.hpp"

namespace lufact::gpu::blocked {

// Of each of n rows: the sum of its magnitudes, and the largest; NaN where an entry is.
void measure_rows(cudaStream_t stream, const double* a, Offset ld, Index n, double* sums,
                  double* largest);
// Of each column of x: the largest magnitude, NaN where an entry is.
void largest_magnitudes(cudaStream_t stream, const double* x, Index n, Index columns,
                        double* largest);

// to := factor * from, rounded to float; n x n.
void round_matrix(cudaStream_t stream, const double* from, Offset ld_from, double factor, float* to,
                  Offset ld_to, Index n);
// to := from; *nonfinite becomes 1 where an entry is NaN or infinite, else 0.
void widen_matrix(cudaStream_t stream, const float* from, Offset ld_from, double* to, Offset ld_to,
                  Index n, int* nonfinite);

// Column k of the others belongs to column list[k] of `x`, `residual` and `b`.
struct RefinementStep {
  Index n = 0, columns = 0;  // columns of the list
  const Index* list = nullptr;
  const double *x = nullptr, *residual = nullptr, *b = nullptr;
  double* size = nullptr;       // of each column: what its residual is divided by
  float* correction = nullptr;  // of the residual so divided
  double *candidate = nullptr, *left = nullptr;
};
// size := the residual's largest magnitude, or 1 where that is 0 or not finite;
// correction := residual / size.
void scale_residuals(cudaStream_t stream, const RefinementStep& step);
// candidate := x + factor * size * correction, left := b.
void add_corrections(cudaStream_t stream, const RefinementStep& step, double factor);

// products[j] := x' vector j, for `count` vectors.
void multiply_vectors(cudaStream_t stream, const double* vectors, Index n, int count,
                      const double* x, double* products);
// x -= vectors * factors.
void subtract_vectors(cudaStream_t stream, const double* vectors, Index n, int count,
                      const double* factors, double* x);
// to := factor * from.
void scale_vector(cudaStream_t stream, const double* from, double factor, Index n, double* to);

}  // namespace lufact::gpu::blocked
