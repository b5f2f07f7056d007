// SPDX-License-Identifier: BSD-3-Clause
#include "core/preprocess/selected_ordering.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "core/preprocess/dissection_ordering.hpp"
#include "core/preprocess/ordering_forecast.hpp"
#include "core/preprocess/suitesparse_orderings.hpp"

namespace lufact {
namespace {

// Below both, no ordering takes long enough, nor does a factorization, for a choice to pay.
constexpr Index small_matrix = 3000;
constexpr int few_refactorizations = 100;

constexpr const char* amd_name = "amd";
constexpr const char* dissection_name = "nd-parallel";

// An order that was computed, with what it costs.
struct Candidate {
  const char* name;
  Permutation perm;
  OrderingCost cost;
  std::optional<Choice> inner;  // made on the way
};

Candidate minimum_degree(const CsrPattern& pa, StageContext& context) {
  Candidate result{amd_name, {}, {}, std::nullopt};
  {
    const auto phase = context.phases.scope(amd_name);
    result.perm = amd_ordering(pa);
  }
  const auto phase = context.phases.scope("forecast");
  result.cost = ordering_cost(pa, result.perm);
  return result;
}

Candidate dissection(const CsrPattern& pa, StageContext& context) {
  const auto phase = context.phases.scope(dissection_name);
  DissectedOrder order = order_by_dissection(pa, context);
  return {dissection_name, std::move(order.perm), order.cost, std::move(order.choice)};
}

std::string figures(const Candidate& candidate) {
  return fmt::format("{} {}", candidate.name, describe(candidate.cost));
}

class SelectedOrdering final : public OrderingStage {
 public:
  const StageInfo& info() const noexcept override { return info_; }

  Ordering run(const CsrPattern& pa, StageContext& context) const override {
    const int expected = context.options.expect_refactorizations;
    if (pa.n_rows < small_matrix && expected < few_refactorizations) {
      record(amd_name,
             fmt::format("n = {} is below {} and {} refactorizations are expected, below {}: too "
                         "little to gain for a forecast",
                         pa.n_rows, small_matrix, expected, few_refactorizations),
             context);
      return {.perm = amd_ordering(pa), .postordered = false};
    }
    return choose(pa, context);
  }

 private:
  static Ordering choose(const CsrPattern& pa, StageContext& context) {
    const double amd_s = forecast_amd_seconds(pa.nnz());
    const double dissection_s = forecast_dissection_seconds(pa.nnz(), context.options.threads);
    const bool amd_first = amd_s < dissection_s;
    const int factorizations = 1 + context.options.expect_refactorizations;
    Candidate best = amd_first ? minimum_degree(pa, context) : dissection(pa, context);
    const double other_s = amd_first ? dissection_s : amd_s;
    const double numeric_s = factorizations * forecast_seconds(best.cost);
    std::string reason = fmt::format(
        "{} is the quicker to compute ({} entries, {} threads); forecast of one "
        "factorization: {}",
        best.name, pa.nnz(), context.options.threads, figures(best));
    if (numeric_s / 2 > other_s) {
      Candidate other = amd_first ? dissection(pa, context) : minimum_degree(pa, context);
      reason += fmt::format("; {}, which {} factorizations could pay for", figures(other),
                            factorizations);
      if (forecast_seconds(other.cost) < forecast_seconds(best.cost)) std::swap(best, other);
    } else {
      reason += fmt::format(
          "; the other would take about {:.3g} ms, more than half of what {} "
          "factorization(s) take",
          other_s * 1e3, factorizations);
    }
    record(best.name, std::move(reason), context);
    if (best.inner) context.notes.choices.push_back(*std::move(best.inner));
    return {.perm = std::move(best.perm), .postordered = false};
  }

  static void record(const char* chosen, std::string reason, StageContext& context) {
    context.notes.choices.push_back({.stage = "ordering",
                                     .chosen = chosen,
                                     .candidates = {amd_name, dissection_name},
                                     .reason = std::move(reason)});
  }

  StageInfo info_{.name = "select",
                  .description =
                      "amd or nd-parallel, by a forecast of ordering and factorizations "
                      "(--expect-refactorizations); the record says why",
                  .takes = {product_types::matching},
                  .gives = product_types::ordering};
};

}  // namespace

std::unique_ptr<OrderingStage> make_selected_ordering() {
  return std::make_unique<SelectedOrdering>();
}

}  // namespace lufact
