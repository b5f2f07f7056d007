// SPDX-License-Identifier: BSD-3-Clause
#include "app/describe/mode_time.hpp"

#include <utility>

#include "core/pipeline/front_products.hpp"

namespace lufact {
namespace {

// A candidate of a selector whose forecast is in seconds.
struct Forecaster {
  const Selector* selector = nullptr;
  const Candidate* candidate = nullptr;
};

class TimeForecast {
 public:
  TimeForecast(const Catalogue& catalogue, const KnownMatrix& matrix, const StageOptions& options)
      : catalogue_(catalogue), matrix_(matrix), options_(options) {}

  std::optional<ModeTime> of(const Chain& chain) {
    const Tail& tail = follow(chain.tail);
    const Forecaster behind =
        forecaster_of([&](const StageNames& names) { return brings_numeric(names, tail); });
    if (behind.candidate == nullptr) return std::nullopt;
    const std::optional<double> symbolic_s = symbolic_seconds(behind, tail);
    if (!symbolic_s) return std::nullopt;
    const double first = seconds(behind, 0), both = seconds(behind, 1);
    return ModeTime{.first_s = *symbolic_s + first,
                    .each_s = both - first,
                    .at_least = counts_entries_alone(*behind.selector) &&
                                behind.selector != chain.tail.selector,
                    .numeric = tail.numeric->info().name,
                    .choices = std::move(notes_.choices)};
  }

 private:
  // Its forecasts hold for the few entries for which it takes columns.
  static bool counts_entries_alone(const Selector& selector) {
    return selector.info().takes.front() == product_types::ordering;
  }

  const Tail& follow(const Tail& tail) {
    if (tail.selector == nullptr) return tail;
    std::vector<OpenCandidate> open;
    for (const Tail& next : tail.tails) open.push_back(next.chosen_as);
    const ProductPtr product = product_for(*tail.selector);
    const Known known = known_for(product.get(), options_, matrix_.ordered.most_entries);
    return follow(tail.tails.at(tail.selector->choose(open, known, notes_)));
  }

  static bool brings_numeric(const StageNames& names, const Tail& tail) {
    return names.numeric == tail.numeric->info().name &&
           names.levelize == tail.levelize->info().name &&
           (names.symbolic.empty() || names.symbolic == tail.symbolic->info().name);
  }

  // 0 where the forecast of the numeric stage has it.
  std::optional<double> symbolic_seconds(const Forecaster& behind, const Tail& tail) {
    if (!behind.candidate->stages.symbolic.empty()) return 0;
    const Forecaster symbolic = forecaster_of([&](const StageNames& names) {
      return names.numeric.empty() && names.symbolic == tail.symbolic->info().name;
    });
    if (symbolic.candidate == nullptr) return std::nullopt;
    return seconds(symbolic, 0);
  }

  template <class Brings>
  Forecaster forecaster_of(const Brings& brings) const {
    for (const auto& selector : catalogue_.selectors) {
      for (const Candidate& candidate : selector->candidates()) {
        if (brings(candidate.stages)) return {selector.get(), &candidate};
      }
    }
    return {};
  }

  double seconds(const Forecaster& of, int refactorizations) const {
    StageOptions options = options_;
    options.expect_refactorizations = refactorizations;
    const ProductPtr product = product_for(*of.selector);
    return of.candidate
        ->forecast(known_for(product.get(), options, static_cast<double>(matrix_.nnz_lu)))
        .cost;
  }

  // Null where a selector knows the ordering alone.
  ProductPtr product_for(const Selector& selector) const {
    const ProductType type = selector.info().takes.front();
    if (type == product_types::front_tree) return matrix_.front_tree();
    return nullptr;
  }

  Known known_for(const Product* product, const StageOptions& options,
                  std::optional<double> most_entries) const {
    const PermutedMatrix& b = *matrix_.ordered.matrix;
    return {.options = options,
            .n = b.pattern.n_rows,
            .nnz = b.pattern.nnz() - b.missing_diagonals_added,
            .most_entries = most_entries,
            .product = product,
            .device_room = matrix_.device_room};
  }

  const Catalogue& catalogue_;
  const KnownMatrix& matrix_;
  const StageOptions& options_;
  StageNotes notes_;
};

}  // namespace

std::optional<ModeTime> forecast_time(const Catalogue& catalogue, const Chain& chain,
                                      const KnownMatrix& matrix, const StageOptions& options) {
  return TimeForecast(catalogue, matrix, options).of(chain);
}

}  // namespace lufact
