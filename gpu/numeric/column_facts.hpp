// SPDX-License-Identifier: BSD-3-Clause
// The facts of the numeric stages of the column family.
#pragma once
#include "gpu/facts/stage_facts.hpp"

namespace lufact::gpu {

const NumericFacts& dense_numeric_facts();
const NumericFacts& dense_fixed_numeric_facts();
const NumericFacts& binary_search_numeric_facts();
const NumericFacts& auto_numeric_facts();
const NumericFacts& persistent_numeric_facts();

}  // namespace lufact::gpu
