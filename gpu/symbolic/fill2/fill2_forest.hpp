// SPDX-License-Identifier: BSD-3-Clause
// The elimination forest of the symmetric part of a pattern, the entries whose mirror image is an
// entry too.
#pragma once
#include "gpu/matrix/device_products.hpp"

namespace lufact::gpu {

// A step from v towards its root. One step passes ancestors with consecutive labels that share a
// word of a bitmap: v .. last are a path, and `next` is the parent of last (-1: none).
struct alignas(8) ForestStep {
  Index last = -1, next = -1;
};

struct ForestRef {
  const ForestStep* steps = nullptr;
};

struct SymmetricForest {
  Buffer<Index> parent;  // -1: a root
  Buffer<ForestStep> steps;
  Offset one_sided = 0;  // entries without a mirror image

  ForestRef ref() const noexcept { return {steps.data()}; }
};

// Columns of `matrix` ascend in each row. One control read.
SymmetricForest build_symmetric_forest(DeviceSession& session, const PatternRef& matrix,
                                       Offset nnz);

}  // namespace lufact::gpu
