// SPDX-License-Identifier: BSD-3-Clause
#include "core/choose/few_entries.hpp"

#include <fmt/format.h>

#include <utility>

namespace lufact {
namespace {

// From postorder or symbolic step to solution on one H200 and its 16 cores, 11 matrices of 1,800 to
// 16,000 rows in results/h200/fast.json of commit dd06007, where all of them are fronts: `fast`
// takes 1.7 to 2.9 ms; `cpu` 25 to 68 ns for each entry of its L + U, of which there are 0.4 to 1.0
// times what minimum degree counts at most.
constexpr double fronts_once_s = 1.7e-3, fronts_each_s = 0.2e-3;
constexpr double columns_once_s = 20e-9, columns_each_s = 25e-9;  // for an entry
constexpr double columns_solve_s = 10e-9;                         // and a right-hand side

class FewEntriesSelector final : public FamilySelector {
 public:
  const StageInfo& info() const noexcept override { return info_; }
  std::string other_mode() const override { return "cpu"; }

  bool takes_other(const FamilyQuestion& question, StageContext& context) const override {
    const int factorizations = 1 + context.options.expect_refactorizations;
    const double fronts_s = fronts_once_s + factorizations * fronts_each_s;
    const double each_s = columns_each_s + question.rhs * columns_solve_s;
    const double columns_s = question.most_entries * (columns_once_s + factorizations * each_s);
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
                  .source = "core/choose",
                  .takes = {product_types::ordering},
                  .gives = product_types::ordering};
};

}  // namespace

std::unique_ptr<FamilySelector> make_few_entries_selector() {
  return std::make_unique<FewEntriesSelector>();
}

}  // namespace lufact
