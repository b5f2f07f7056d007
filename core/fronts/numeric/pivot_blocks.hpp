// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <vector>

#include "core/pipeline/stage.hpp"

namespace lufact {

// Square blocks of different orders, by columns, one after the other.
struct PivotBlocks {
  std::vector<Index> order;
  std::vector<double> values;
  Index left_out = 0;  // fronts with more pivots
};

// Factors as `cpu-multifrontal` does, in double, and keeps the block of pivots of every front with
// 1 to `largest` pivots as it is when the front is assembled and not yet eliminated; in the order
// of the fronts.
PivotBlocks pivot_blocks(const ProductPtr& matrix, const ProductPtr& tree,
                         const ProductPtr& schedule, Index largest, StageContext& context);

}  // namespace lufact
