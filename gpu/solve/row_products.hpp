// SPDX-License-Identifier: BSD-3-Clause
// Products of the unscaled matrix with blocks of vectors, by rows. Vectors have n doubles, one
// after another; the order of each sum depends on the matrix alone.
#pragma once
#include "gpu/matrix/device_products.hpp"
#include "gpu/solve/backward_error.cuh"

namespace lufact::gpu {

// A matrix by rows, without its scales.
struct MatrixRows {
  PatternRef pattern;
  Offset nnz = 0;
  const double* values = nullptr;
};
inline MatrixRows rows_of(const DevicePermutedMatrix& matrix) {
  return {matrix.pattern(), matrix.nnz, matrix.values.data()};
}

// y = B x.
void multiply_rows(DeviceSession& session, const MatrixRows& matrix, const double* x, double* y,
                   Index columns);

class ResidualRows {
 public:
  // Keeps a few kilobytes of resident memory.
  explicit ResidualRows(DeviceSession& session);

  // r = b - B x; returns what VectorBackend::residual does. One launch, and one control read.
  double run(const MatrixRows& matrix, double matrix_norm, const double* x, const double* b,
             double* r, Index columns);
  // The same in two steps: queue() puts the launch on the stream, take() has the result.
  void queue(const MatrixRows& matrix, double matrix_norm, const double* x, const double* b,
             double* r, Index columns);
  double take();

 private:
  void launch_one(const MatrixRows& matrix, double matrix_norm, const double* x, const double* b,
                  double* r, Index columns, double* error);

  DeviceSession& session_;
  Offset queued_ = 0;         // launches of the last queue()
  Buffer<double> errors_;     // of each, in pinned memory; made by the first queue()
  Buffer<ErrorTally> tally_;  // zero between launches
};

}  // namespace lufact::gpu
