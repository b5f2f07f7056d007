// SPDX-License-Identifier: BSD-3-Clause
// Sums and maxima over device arrays: a fixed number of blocks, then one block, so that the order
// of a sum depends on the length alone.
#pragma once
#include "gpu/runtime/buffer.hpp"

namespace lufact::gpu {

class Reductions {
 public:
  // Keeps a few kilobytes of resident memory.
  explicit Reductions(DeviceSession& session);

  double dot(const double* x, const double* y, Offset size);
  // Largest magnitude; NaN counts as infinity.
  double norm_inf(const double* x, Offset size);
  // VectorBackend::backward_error over columns of `rows` entries.
  double backward_error(double matrix_norm, const double* x, const double* b, const double* r,
                        Offset rows, Index columns);

 private:
  DeviceSession& session_;
  Buffer<double> partial_, result_;
};

}  // namespace lufact::gpu
