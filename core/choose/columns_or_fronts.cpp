// SPDX-License-Identifier: BSD-3-Clause
#include "core/choose/columns_or_fronts.hpp"

#include <fmt/format.h>

namespace lufact {
namespace {

int factorizations(const Known& known) {
  return 1 + known.options.expect_refactorizations;
}

Forecast in_seconds(double seconds) {
  return {.cost = seconds, .figures = fmt::format("{:.3g} ms", seconds * 1e3)};
}

Forecast forecast_fronts(const Known& known) {
  const FewEntriesRates& rate = known.options.rates.few_entries;
  return in_seconds(rate.fronts_once_s + factorizations(known) * rate.fronts_each_s);
}

Forecast forecast_columns(const Known& known) {
  const FewEntriesRates& rate = known.options.rates.few_entries;
  const double each_s = rate.column_entry_each_s + known.rhs * rate.column_entry_solve_s;
  return in_seconds(known.most_entries.value() *
                    (rate.column_entry_once_s + factorizations(known) * each_s));
}

std::optional<Question> question_of(const Known& known) {
  if (!known.most_entries) return std::nullopt;
  return Question{.text = fmt::format("forecast for {} factorization(s) with {} right-hand side(s) "
                                      "and at most {:.0f} entries in L + U",
                                      factorizations(known), known.rhs, *known.most_entries)};
}

}  // namespace

std::unique_ptr<Selector> make_columns_or_fronts_selector(const StageNames& columns) {
  return std::make_unique<Selector>(SelectorParts{
      .info = {.name = "columns-or-fronts",
               .description = "symbolic, levelize and numeric of columns on the host in place of "
                              "fronts where the ordering counts too few entries for them; the "
                              "record says why",
               .source = "core/choose",
               .takes = {product_types::ordering},
               .gives = product_types::ordering},
      .decides = "family",
      .question = question_of,
      .candidates = {{.stages = {}, .forecast = forecast_fronts},
                     {.stages = columns, .forecast = forecast_columns}}});
}

}  // namespace lufact
