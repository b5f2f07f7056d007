// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "core/order/nd/nested_dissection.hpp"
#include "core/pipeline/column_products.hpp"
#include "core/pipeline/stage.hpp"

namespace lufact {

// Steps, and what they say of where they ran.
class PlacedSteps : public nd::DissectionSteps {
 public:
  virtual std::vector<Choice> take_choices() { return {}; }  // of the dissection before
};

// Steps elsewhere that are quicker with this pattern than the host's threads; may be nullptr.
using DeviceDissection =
    std::function<std::unique_ptr<PlacedSteps>(const CsrPattern& pa, StageContext& context)>;

struct DissectedOrder {
  Ordering ordering;
  OrderingCost cost;  // hubs, which come last, left out
  bool has_hubs = false;
  std::vector<Choice> choices;  // where its steps ran, how the separator was ordered
};

// Nested dissection on all threads of the options (nd/nested_dissection.hpp); of its two orders of
// the separator the one of smaller forecast. Sub-phases go to the context.
DissectedOrder order_by_dissection(const CsrPattern& pa, StageContext& context,
                                   const nd::DissectionRules& rules = {});
// The same with steps that run elsewhere.
DissectedOrder order_by_dissection(const CsrPattern& pa, StageContext& context,
                                   const nd::DissectionRules& rules, PlacedSteps& steps);

// `nd-parallel`: nested dissection as above; the choice is recorded.
std::unique_ptr<OrderingStage> make_dissection_ordering();

}  // namespace lufact
