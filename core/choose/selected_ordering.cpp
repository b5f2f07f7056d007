// SPDX-License-Identifier: BSD-3-Clause
#include "core/choose/selected_ordering.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/matrix/parallel.hpp"
#include "core/order/metis_ordering.hpp"
#include "core/order/ordering_forecast.hpp"
#include "core/order/suitesparse_orderings.hpp"

namespace lufact {
namespace {

constexpr const char* amd_name = "amd";
constexpr const char* host_dissection_name = "nd-parallel";
constexpr const char* device_dissection_name = "nd-gpu";
constexpr const char* metis_name = "metis";

// An order that was computed, with what it costs.
struct Order {
  std::string name;
  Ordering ordering;
  OrderingCost cost;
  bool exact = true;          // or roughly, from what its computation knew
  std::vector<Choice> inner;  // made on the way
};

// An order that may be computed.
struct Candidate {
  std::string name;
  double seconds = 0;  // that it takes, roughly
  double saves = 0;    // of all factorizations, hopefully
  std::function<Order()> compute;
};

// No Selector: what an order costs is known only once it is computed, so that one candidate after
// the other is computed or left, and the costs of those before decide whether it is.
class Selection {
 public:
  Selection(const CsrPattern& pa, StageContext& context, const DeviceDissection& on_device)
      : pa_(pa),
        context_(context),
        rates_(context.options.rates),
        threads_(thread_count(context.options.threads)),
        factorizations_(1 + context.options.expect_refactorizations) {
    if (on_device) steps_ = on_device(pa, context);
    dissection_name_ = steps_ ? device_dissection_name : host_dissection_name;
    if (!steps_) steps_ = std::make_unique<PlacedSteps>();
  }

  // The quickest first, then all that may pay.
  Order run() {
    const OrderingRates& rate = rates_.ordering;
    const OrderThresholds& threshold = rates_.order_thresholds;
    const double amd_s = forecast_amd_seconds(pa_.nnz(), rate);
    const double dissection_s = forecast_dissection_seconds(pa_.nnz(), threads_, rate);
    const bool amd_first = amd_s < dissection_s;
    std::vector<Candidate> others = more_dissections(dissection_s);
    const Candidate amd{amd_name, amd_s, threshold.amd_saves, [this] { return minimum_degree(); }};
    const Candidate nd{dissection_name_, dissection_s, threshold.dissection_saves,
                       [this] { return dissection(dissection_name_, {}); }};
    others.insert(others.begin(), amd_first ? nd : amd);
    if (metis_available()) {
      others.push_back({metis_name, forecast_metis_seconds(pa_.nnz(), rate), threshold.metis_saves,
                        [this] { return metis(); }});
    }
    best_ = (amd_first ? amd : nd).compute();
    candidates_.push_back(best_.name);
    reason_ = fmt::format(
        "{} is the quicker to compute ({} entries, {} threads), for {} "
        "factorization(s)",
        best_.name, pa_.nnz(), threads_, factorizations_);
    if (amd_first && nothing_can_pay(others)) return std::move(best_);
    if (amd_first) make_exact(best_);
    reason_ += fmt::format("; forecasts of one: {}", figures(best_));
    for (const Candidate& other : others) consider(other);
    return std::move(best_);
  }

  Choice choice(const Order& chosen) && {
    return {.stage = "ordering",
            .chosen = chosen.name,
            .candidates = std::move(candidates_),
            .reason = std::move(reason_)};
  }

 private:
  double host_seconds(const OrderingCost& cost) const {
    return forecast_host_seconds(cost, pa_.nnz(), threads_, rates_);
  }
  bool cheaper_on_host(const OrderingCost& cost) const {
    return context_.host_may_factor && host_seconds(cost) < forecast_seconds(cost, rates_);
  }
  // Seconds of one factorization, on the side where it is cheaper.
  double seconds(const OrderingCost& cost) const {
    return cheaper_on_host(cost) ? host_seconds(cost) : forecast_seconds(cost, rates_);
  }
  std::string figures(const Order& order) const {
    std::string result = fmt::format("{} {}", order.name, describe(order.cost, rates_));
    if (!cheaper_on_host(order.cost)) return result;
    return result + fmt::format(", {:.3g} ms on the host", host_seconds(order.cost) * 1e3);
  }

  // By the count that minimum degree brings, before there is a forecast.
  bool nothing_can_pay(const std::vector<Candidate>& others) {
    if (!context_.host_may_factor) return false;
    const double most_s = factorizations_ * host_seconds(best_.cost);
    double least_s = others.front().seconds;
    for (const Candidate& other : others) least_s = std::min(least_s, other.seconds);
    if (least_s < most_s) return false;
    for (const Candidate& other : others) candidates_.push_back(other.name);
    reason_ += fmt::format(
        ", {:.3g} ms on the host at most; the other orders take {:.3g} ms or more to compute",
        most_s * 1e3, least_s * 1e3);
    return true;
  }

  void consider(const Candidate& other) {
    candidates_.push_back(other.name);
    const double all_s = factorizations_ * seconds(best_.cost);
    const double avoidable = cheaper_on_host(best_.cost) ? 0 : avoidable_share(best_.cost, rates_);
    const double saves = other.name == amd_name ? other.saves : std::max(other.saves, avoidable);
    if (other.seconds > saves * all_s) {
      reason_ += fmt::format("; {} not tried, about {:.3g} ms to save perhaps {:.0f}% of {:.3g} ms",
                             other.name, other.seconds * 1e3, saves * 100, all_s * 1e3);
      return;
    }
    Order order = other.compute();
    make_exact(best_);
    make_exact(order);
    reason_ += "; " + figures(order);
    if (seconds(order.cost) < seconds(best_.cost)) std::swap(best_, order);
  }

  void make_exact(Order& order) {
    if (std::exchange(order.exact, true)) return;
    const auto phase = context_.phases.scope("forecast");
    if (order.ordering.graph == nullptr) order.ordering.graph = graph();
    order.cost =
        ordering_cost(*order.ordering.graph, order.ordering.perm, threads_, rates_.column_path);
    order.ordering.most_nnz_l = order.cost.nnz_l;
  }

  // The graph of A + A', for orders that bring none; the postorder takes it from the chosen order.
  const std::shared_ptr<const nd::Graph>& graph() {
    if (graph_ == nullptr) {
      graph_ = std::make_shared<const nd::Graph>(nd::graph_of(pa_.view(), threads_));
    }
    return graph_;
  }

  Order minimum_degree() {
    const auto phase = context_.phases.scope(amd_name);
    AmdOrder order = amd_ordering_with_cost(pa_, rates_.column_path);
    return {.name = amd_name,
            .ordering = {.perm = std::move(order.perm), .most_nnz_l = order.most.nnz_l},
            .cost = order.most,
            .exact = false,
            .inner = {}};
  }
  Order metis() {
    const auto phase = context_.phases.scope(metis_name);
    return {.name = metis_name,
            .ordering = {.perm = metis_ordering(pa_)},
            .cost = {},
            .exact = false,
            .inner = {}};
  }

  Order dissection(const std::string& name, const nd::DissectionRules& rules) {
    const auto phase = context_.phases.scope(dissection_name_);
    DissectedOrder order = order_by_dissection(pa_, context_, rules, *steps_);
    if (!order.has_hubs) order.ordering.most_nnz_l = order.cost.nnz_l;
    return {name, std::move(order.ordering), order.cost, !order.has_hubs, std::move(order.choices)};
  }

  // Smaller parts make shorter paths where parts are paths or trees; other seeds are other luck.
  std::vector<Candidate> more_dissections(double seconds) {
    std::vector<Candidate> runs;
    for (const nd::DissectionRules rules : {nd::DissectionRules{.fineness = 4, .seed = 0},
                                            {.fineness = 2, .seed = 1},
                                            {.fineness = 1, .seed = 1},
                                            {.fineness = 4, .seed = 1}}) {
      const std::string name =
          fmt::format("{} of {}-fold parts, seed {}", dissection_name_, rules.fineness, rules.seed);
      runs.push_back({name, seconds, rates_.order_thresholds.another_dissection_saves,
                      [this, name, rules] { return dissection(name, rules); }});
    }
    return runs;
  }

  const CsrPattern& pa_;
  StageContext& context_;
  const Rates& rates_;
  int threads_, factorizations_;
  std::unique_ptr<PlacedSteps> steps_;
  const char* dissection_name_;
  std::shared_ptr<const nd::Graph> graph_;
  Order best_;
  std::string reason_;
  std::vector<std::string> candidates_;
};

class SelectedOrdering final : public OrderingStage {
 public:
  explicit SelectedOrdering(DeviceDissection on_device) : on_device_(std::move(on_device)) {}

  const StageInfo& info() const noexcept override { return info_; }

  Ordering run(const CsrPattern& pa, StageContext& context) const override {
    const int expected = context.options.expect_refactorizations;
    std::vector<Choice>& choices = context.notes.choices;
    const OrderThresholds& threshold = context.options.rates.order_thresholds;
    if (pa.n_rows < threshold.small_matrix_rows && expected < threshold.few_refactorizations) {
      choices.push_back(
          {.stage = "ordering",
           .chosen = amd_name,
           .candidates = {amd_name, host_dissection_name},
           .reason = fmt::format("n = {} is below {} and {} refactorizations are expected, below "
                                 "{}: too little to gain for a forecast",
                                 pa.n_rows, threshold.small_matrix_rows, expected,
                                 threshold.few_refactorizations)});
      AmdOrder order = amd_ordering_with_cost(pa, context.options.rates.column_path);
      return {.perm = std::move(order.perm), .most_nnz_l = order.most.nnz_l};
    }
    Selection selection(pa, context, on_device_);
    Order best = selection.run();
    choices.push_back(std::move(selection).choice(best));
    std::ranges::move(best.inner, std::back_inserter(choices));
    return std::move(best.ordering);
  }

 private:
  DeviceDissection on_device_;
  StageInfo info_{
      .name = "select",
      .description =
          "amd, nd-parallel (with a device and from 10,000 rows on as nd-gpu) or metis, "
          "by a forecast of ordering and factorizations (--expect-refactorizations); "
          "the record says why",
      .source = "core/choose",
      .takes = {product_types::matching},
      .gives = product_types::ordering};
};

}  // namespace

std::unique_ptr<OrderingStage> make_selected_ordering(DeviceDissection on_device) {
  return std::make_unique<SelectedOrdering>(std::move(on_device));
}

}  // namespace lufact
