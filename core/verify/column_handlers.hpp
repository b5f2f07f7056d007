// SPDX-License-Identifier: BSD-3-Clause
// The handlers of the column family's products: validators and sections of the record.
#pragma once
#include <memory>
#include <vector>

#include "core/pipeline/product_handler.hpp"

namespace lufact {

// column_pattern: pattern "exact", its hash, counts, and the levels of all three rules;
// flops_per_nnz is flops over nnz(L + U). Ratios to a zero count stay empty.
// column_schedule: levels, the largest width and the hash; needs the column pattern upstream. The
// level count of its own rule in levels_by_rule becomes that of the schedule itself.
// column_factors: the hash of the values; validated by L U against the scaled matrix.
std::vector<std::unique_ptr<ProductHandler>> column_product_handlers();

}  // namespace lufact
