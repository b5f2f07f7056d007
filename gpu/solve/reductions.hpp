// SPDX-License-Identifier: BSD-3-Clause
// Sums over device arrays: a fixed number of blocks, then one block, so that the order depends on
// the length alone.
#pragma once
#include "gpu/runtime/buffer.hpp"

namespace lufact::gpu {

class Reductions {
 public:
  // Keeps a few kilobytes of resident memory.
  explicit Reductions(DeviceSession& session);

  double dot(const double* x, const double* y, Offset size);

 private:
  DeviceSession& session_;
  Buffer<double> partial_;
};

}  // namespace lufact::gpu
