// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "core/order/nd/nested_dissection.hpp"
#include "core/pipeline/column_products.hpp"
#include "core/pipeline/stage.hpp"

namespace lufact {

// Steps of a dissection that also tell where they ran.
class PlacedSteps : public nd::DissectionSteps {
 public:
  virtual std::vector<Choice> take_choices() { return {}; }  // of the last dissection
};

// Makes steps on a device where they are quicker for `pa` than the host's threads, else nullptr.
using DeviceDissection =
    std::function<std::unique_ptr<PlacedSteps>(const CsrPattern& pa, StageContext& context)>;

struct DissectedOrder {
  Ordering ordering;
  OrderingCost cost;  // hubs, which come last, left out
  bool has_hubs = false;
  std::vector<Choice> choices;  // where the steps ran, how the separator was ordered
};

// Nested dissection on all threads of the options (nd/nested_dissection.hpp). Of the two orders of
// the separator the one of smaller forecast is taken. Sub-phases go to the context.
DissectedOrder order_by_dissection(const CsrPattern& pa, StageContext& context,
                                   const nd::DissectionRules& rules = {});
// The same with the given steps.
DissectedOrder order_by_dissection(const CsrPattern& pa, StageContext& context,
                                   const nd::DissectionRules& rules, PlacedSteps& steps);

// `nd-parallel`: nested dissection as above; the choice is recorded.
std::unique_ptr<OrderingStage> make_dissection_ordering();

}  // namespace lufact
