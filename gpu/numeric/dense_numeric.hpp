// SPDX-License-Identifier: BSD-3-Clause
// The engines with dense work columns. Both are right-looking over the levels of a schedule of the
// rule `exact` or `relaxed`, update by atomics (not deterministic), and take work columns as
// scratch during an elimination; where not one fits they throw Error{oom_device, "device_budget"}.
#pragma once
#include <memory>

#include "gpu/numeric/column_engine.hpp"

namespace lufact::gpu {

// `gpu-dense`: GLU 3.0, a kernel mode for each level.
const ColumnEngineKind& dense_engine();
std::unique_ptr<NumericStage> make_dense_numeric();

// `gpu-dense-fixed`: GLU 1.0 and 2.0, the same blocks of 32 warps for every level, as many as the
// card holds.
const ColumnEngineKind& dense_fixed_engine();
std::unique_ptr<NumericStage> make_dense_fixed_numeric();

}  // namespace lufact::gpu
