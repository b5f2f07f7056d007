// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>

#include "core/pipeline/column_products.hpp"
#include "core/pipeline/stage.hpp"
#include "core/preprocess/nd/nested_dissection.hpp"

namespace lufact {

struct DissectedOrder {
  Ordering ordering;
  OrderingCost cost;  // hubs, which come last, left out
  bool has_hubs = false;
  Choice choice;  // how the separator was ordered, and why
};

// Nested dissection on all threads of the options (nd/nested_dissection.hpp); of its two orders of
// the separator the one of smaller forecast. Sub-phases go to the context.
DissectedOrder order_by_dissection(const CsrPattern& pa, StageContext& context,
                                   const nd::DissectionRules& rules = {});
// The same with steps that run elsewhere.
DissectedOrder order_by_dissection(const CsrPattern& pa, StageContext& context,
                                   const nd::DissectionRules& rules, nd::DissectionSteps& steps);

// `nd-parallel`: nested dissection as above; the choice is recorded.
std::unique_ptr<OrderingStage> make_dissection_ordering();

}  // namespace lufact
