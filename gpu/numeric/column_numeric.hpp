// SPDX-License-Identifier: BSD-3-Clause
// The numeric stage around an engine.
#pragma once
#include <memory>

#include "gpu/numeric/column_engine.hpp"

namespace lufact::gpu {

// `kind` must outlive the stage. Its run() refuses an unsafe schedule
// (core/pipeline/schedule_safety.hpp), and a budget below what it keeps with Error{oom_device,
// "device_budget"} before anything is allocated.
std::unique_ptr<NumericStage> make_column_numeric(const ColumnEngineKind& kind);

// What run() of that stage does, for a selector.
std::shared_ptr<Factors> factorize_columns(const ColumnEngineKind& kind, const ProductPtr& matrix,
                                           const ProductPtr& symbolic, const ProductPtr& schedule,
                                           StageContext& context);

}  // namespace lufact::gpu
