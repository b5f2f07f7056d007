// SPDX-License-Identifier: BSD-3-Clause
// The handlers of the front family's products: validators and sections of the record.
#pragma once
#include <memory>
#include <vector>

#include "core/pipeline/product_handler.hpp"

namespace lufact {

// front_tree: pattern "bound", the entries that fronts store, the exact count where the pattern is
// symmetric, and the operations on stored entries. task_graph: tasks and the critical path; needs
// the front tree upstream. front_schedule: fronts with pivots as tasks, and the critical path on
// one thread; needs the front tree upstream. front_factors: the hash of the values; validated by
// the residuals of a few systems solved with them.
std::vector<std::unique_ptr<ProductHandler>> front_product_handlers();

}  // namespace lufact
