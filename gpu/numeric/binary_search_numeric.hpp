// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>

#include "gpu/numeric/column_engine.hpp"

namespace lufact::gpu {

// `gpu-binary-search`: E2E Algorithms 2 and 6, right-looking over the levels of a schedule of the
// rule `exact` or `relaxed`, columns sorted, updates by atomics (not deterministic). The updates of
// a level are shared evenly among the warps of the card; with options.parallel_columns = N by N
// blocks in GLU 3.0's modes, or in the one of options.glu_mode (large_block: a block for a column,
// as E2E is printed).
const ColumnEngineKind& binary_search_engine();
std::unique_ptr<NumericStage> make_binary_search_numeric();

}  // namespace lufact::gpu
