// SPDX-License-Identifier: BSD-3-Clause
#include "core/order/dissection_ordering.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/order/ordering_forecast.hpp"

namespace lufact {
namespace {

template <class T>
void append(const std::vector<T>& from, std::vector<T>& to) {
  to.insert(to.end(), from.begin(), from.end());
}

class DissectionOrdering final : public OrderingStage {
 public:
  const StageInfo& info() const noexcept override { return info_; }
  Ordering run(const CsrPattern& pa, StageContext& context) const override {
    DissectedOrder order = order_by_dissection(pa, context);
    append(order.choices, context.notes.choices);
    return std::move(order.ordering);
  }

 private:
  StageInfo info_{.name = "nd-parallel",
                  .description =
                      "nested dissection of PA + (PA)' by one multilevel k-way "
                      "partition, minimum degree on its parts; all threads, the same "
                      "order for any number of them",
                  .source = "core/order",
                  .takes = {product_types::matching},
                  .gives = product_types::ordering};
};

}  // namespace

DissectedOrder order_by_dissection(const CsrPattern& pa, StageContext& context,
                                   const nd::DissectionRules& rules) {
  PlacedSteps on_host;
  return order_by_dissection(pa, context, rules, on_host);
}

DissectedOrder order_by_dissection(const CsrPattern& pa, StageContext& context,
                                   const nd::DissectionRules& rules, PlacedSteps& steps) {
  const Rates& rates = context.options.rates;
  nd::DissectionRules with_rates = rules;
  with_rates.path = rates.column_path;
  nd::Dissection parts =
      nd::dissect(pa.view(), context.options.threads, context.phases, with_rates, steps);
  const bool by_level =
      forecast_seconds(parts.cost_by_level, rates) < forecast_seconds(parts.cost_by_degree, rates);
  std::vector<Index> order = std::move(parts.leaves);
  append(by_level ? parts.by_level : parts.by_degree, order);
  append(parts.last, order);
  std::vector<Choice> choices = steps.take_choices();
  choices.push_back(
      {.stage = "ordering/separator",
       .chosen = by_level ? "levels" : "minimum-degree",
       .candidates = {"minimum-degree", "levels"},
       .reason = fmt::format("forecast of one factorization: minimum-degree {}; levels {}",
                             describe(parts.cost_by_degree, rates),
                             describe(parts.cost_by_level, rates))});
  return {.ordering = {.perm = Permutation::from_old_of_new(std::move(order)),
                       .graph = std::move(parts.graph),
                       .parts = std::move(parts.part_begin)},
          .cost = by_level ? parts.cost_by_level : parts.cost_by_degree,
          .has_hubs = !parts.last.empty(),
          .choices = std::move(choices)};
}

std::unique_ptr<OrderingStage> make_dissection_ordering() {
  return std::make_unique<DissectionOrdering>();
}

}  // namespace lufact
