// SPDX-License-Identifier: BSD-3-Clause
#include "core/choose/back_end_selector.hpp"

#include <fmt/format.h>

#include "core/matrix/parallel.hpp"

namespace lufact {
namespace {

constexpr Offset worthwhile_fronts = 4'000;

class FrontBackEndSelector final : public BackEndSelector {
 public:
  explicit FrontBackEndSelector(std::vector<FrontBackEnd> candidates)
      : candidates_(std::move(candidates)) {}

  const StageInfo& info() const noexcept override { return info_; }

  std::vector<BackEndNames> candidates() const override {
    std::vector<BackEndNames> names;
    for (const FrontBackEnd& candidate : candidates_) names.push_back(candidate.names);
    return names;
  }

  std::size_t choose(const Product& symbolic, std::span<const BackEnd> allowed,
                     StageContext& context) const override {
    const auto& tree = product_cast<FrontTree>(symbolic);
    const int factorizations = 1 + context.options.expect_refactorizations;
    Choice choice{.stage = "numeric",
                  .chosen = {},
                  .candidates = {},
                  .reason = fmt::format("forecast for {} factorization(s) of {} fronts with {} "
                                        "threads:",
                                        factorizations, tree.fronts(), context.options.threads)};
    const std::vector<FrontForecast> forecasts = forecasts_of(allowed, tree, context.options);
    std::size_t best = 0;
    double least = 0;
    for (std::size_t k = 0; k < allowed.size(); ++k) {
      const std::string& name = allowed[k].numeric->info().name;
      const FrontForecast& forecast = forecasts[k];
      const double seconds = forecast.once + factorizations * forecast.each;
      choice.candidates.push_back(name);
      choice.reason += fmt::format("{} {} {:.3g} ms once and {:.3g} ms each", k == 0 ? "" : ",",
                                   name, forecast.once * 1e3, forecast.each * 1e3);
      if (k > 0 && seconds >= least) continue;
      best = k;
      least = seconds;
    }
    choice.chosen = choice.candidates.at(best);
    context.notes.choices.push_back(std::move(choice));
    return best;
  }

 private:
  // All at the same time: each goes over the tree on one thread.
  std::vector<FrontForecast> forecasts_of(std::span<const BackEnd> allowed, const FrontTree& tree,
                                          const StageOptions& options) const {
    std::vector<FrontForecast> forecasts(allowed.size());
    const int threads = threads_for(tree.fronts(), worthwhile_fronts, options.threads);
    parallel_for(static_cast<Offset>(allowed.size()), threads, [&](Offset k) {
      const auto candidate = static_cast<std::size_t>(k);
      forecasts[candidate] = forecast_of(allowed[candidate].numeric->info().name)(tree, options);
    });
    return forecasts;
  }

  FrontForecaster forecast_of(const std::string& numeric) const {
    for (const FrontBackEnd& candidate : candidates_) {
      if (candidate.names.numeric == numeric) return candidate.forecast;
    }
    throw std::logic_error("no forecast for " + numeric);
  }

  std::vector<FrontBackEnd> candidates_;
  StageInfo info_{.name = "select",
                  .description =
                      "levelize and numeric of fronts on the GPU or the CPU, by a forecast "
                      "(--threads, --expect-refactorizations); the record says why",
                  .source = "core/choose",
                  .takes = {product_types::front_tree},
                  .gives = product_types::front_factors};
};

}  // namespace

std::unique_ptr<BackEndSelector> make_front_back_end_selector(
    std::vector<FrontBackEnd> candidates) {
  return std::make_unique<FrontBackEndSelector>(std::move(candidates));
}

}  // namespace lufact
