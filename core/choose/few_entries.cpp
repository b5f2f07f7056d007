// SPDX-License-Identifier: BSD-3-Clause
#include "core/choose/few_entries.hpp"

#include <fmt/format.h>

#include <utility>

namespace lufact {
namespace {

class FewEntriesSelector final : public FamilySelector {
 public:
  const StageInfo& info() const noexcept override { return info_; }
  std::string other_mode() const override { return "cpu"; }

  bool takes_other(const FamilyQuestion& question, StageContext& context) const override {
    const int factorizations = 1 + context.options.expect_refactorizations;
    const FewEntriesRates& rate = context.options.rates.few_entries;
    const double fronts_s = rate.fronts_once_s + factorizations * rate.fronts_each_s;
    const double each_s = rate.column_entry_each_s + question.rhs * rate.column_entry_solve_s;
    const double columns_s =
        question.most_entries * (rate.column_entry_once_s + factorizations * each_s);
    const bool few = columns_s < fronts_s;
    Choice choice{
        .stage = "family",
        .chosen = few ? question.other : question.planned,
        .candidates = {question.planned, question.other},
        .reason = fmt::format("forecast for {} factorization(s) with {} right-hand "
                              "side(s) and at most {:.0f} entries in L + U: {} {:.3g} "
                              "ms, {} {:.3g} ms",
                              factorizations, question.rhs, question.most_entries, question.planned,
                              fronts_s * 1e3, question.other, columns_s * 1e3)};
    context.notes.choices.push_back(std::move(choice));
    return few;
  }

 private:
  StageInfo info_{.name = "few-entries",
                  .description =
                      "symbolic, levelize and numeric of mode cpu in place of fronts where minimum "
                      "degree counts too few entries for them; the record says why",
                  .takes = {product_types::ordering},
                  .gives = product_types::ordering};
};

}  // namespace

std::unique_ptr<FamilySelector> make_few_entries_selector() {
  return std::make_unique<FewEntriesSelector>();
}

}  // namespace lufact
