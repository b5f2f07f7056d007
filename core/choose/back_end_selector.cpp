// SPDX-License-Identifier: BSD-3-Clause
#include "core/choose/back_end_selector.hpp"

#include <fmt/format.h>

#include "core/matrix/parallel.hpp"

namespace lufact {
namespace {

constexpr Offset worthwhile_fronts = 4'000;

int factorizations(const Known& known) {
  return 1 + known.options.expect_refactorizations;
}

const FrontTree& tree_of(const Known& known) {
  return product_cast<FrontTree>(*known.product);
}

// All candidates at the same time: each goes over the tree on one thread.
std::optional<Question> question_of(const Known& known) {
  const Index fronts = tree_of(known).fronts();
  return Question{
      .text = fmt::format("forecast for {} factorization(s) of {} fronts with {} threads",
                          factorizations(known), fronts, known.options.threads),
      .threads = threads_for(fronts, worthwhile_fronts, known.options.threads)};
}

Forecast weigh(const FrontBackEnd& stages, const Known& known) {
  const FrontForecast forecast = stages.forecast(tree_of(known), known.options);
  const bool misses = !stages.reads_factor_place && known.options.factors != FactorPlace::automatic;
  return {.cost = forecast.once + factorizations(known) * forecast.each,
          .figures = fmt::format("{:.3g} ms once and {:.3g} ms each", forecast.once * 1e3,
                                 forecast.each * 1e3),
          .hindrance = misses ? "--factors is not for it" : ""};
}

Candidate candidate_of(const FrontBackEnd& stages) {
  return {.stages = {.levelize = stages.levelize, .numeric = stages.numeric},
          .forecast = [stages](const Known& known) { return weigh(stages, known); }};
}

}  // namespace

std::unique_ptr<Selector> make_front_back_end_selector(
    const std::vector<FrontBackEnd>& candidates) {
  SelectorParts parts{
      .info = {.name = "select",
               .description = "levelize and numeric of fronts on the GPU or the CPU, by a forecast "
                              "(--threads, --expect-refactorizations); the record says why",
               .source = "core/choose",
               .takes = {product_types::front_tree},
               .gives = product_types::front_factors},
      .decides = "numeric",
      .question = question_of,
      .candidates = {}};
  for (const FrontBackEnd& stages : candidates) parts.candidates.push_back(candidate_of(stages));
  return std::make_unique<Selector>(std::move(parts));
}

}  // namespace lufact
