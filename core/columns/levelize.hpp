// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <vector>

#include "core/pipeline/column_products.hpp"

namespace lufact {

// The columns of the pattern by level under `rule` (core/columns/dependency.hpp). O(nnz), one core.
ColumnSchedule column_schedule(const ColumnPattern& pattern, DependencyRule rule);

// The schedule whose levels are known.
ColumnSchedule column_schedule(DependencyRule rule, std::vector<Index> level_of);

}  // namespace lufact
