// SPDX-License-Identifier: BSD-3-Clause
// The numeric stage around an engine.
#pragma once
#include <memory>

#include "gpu/numeric/column_engine.hpp"

namespace lufact::gpu {

// `kind` must outlive the stage. run() refuses an unsafe schedule
// (core/pipeline/schedule_safety.hpp), and throws Error{oom_device, "device_budget"}, before it
// allocates, where the budget is below the memory that it keeps.
std::unique_ptr<NumericStage> make_column_numeric(const ColumnEngineKind& kind);

// The work of that stage's run(), for a selector.
std::shared_ptr<Factors> factorize_columns(const ColumnEngineKind& kind, const ProductPtr& matrix,
                                           const ProductPtr& symbolic, const ProductPtr& schedule,
                                           StageContext& context);

}  // namespace lufact::gpu
