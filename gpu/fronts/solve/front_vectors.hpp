// SPDX-License-Identifier: BSD-3-Clause
// What the triangular solves with fronts take: plain data, for those who launch and for kernels.
#pragma once
#include "core/base/types.hpp"

namespace lufact::gpu {

// Right-hand sides and solutions, n x columns doubles by columns and by B's labels. x may be b: the
// sweep with L reads b, the sweep with U writes x. Scalings by labels, or null for 1.
struct FrontVectors {
  const double* b = nullptr;
  double* x = nullptr;
  const double* row_scale = nullptr;
  const double* col_scale = nullptr;
};

// The words of a factorization that the launch before runs, beside which a solve may begin: 1 where
// a small front's factors are stored, where a tile of a larger one is, and once all is complete.
struct RunningFactorization {
  const unsigned *stored = nullptr, *flag = nullptr, *complete = nullptr;  // null: it is complete
};

}  // namespace lufact::gpu
