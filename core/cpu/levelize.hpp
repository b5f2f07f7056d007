// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "core/pipeline/column_products.hpp"

namespace lufact {

// The columns of the pattern by level under `rule` (core/cpu/dependency.hpp). O(nnz), one core.
ColumnSchedule column_schedule(const ColumnPattern& pattern, DependencyRule rule);

}  // namespace lufact
