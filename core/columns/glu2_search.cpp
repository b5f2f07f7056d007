// SPDX-License-Identifier: BSD-3-Clause
#include "core/columns/glu2_search.hpp"

#include <algorithm>
#include <memory>
#include <span>

#include "core/base/error.hpp"
#include "core/columns/cpu_stages.hpp"
#include "core/columns/levelize.hpp"

namespace lufact {
namespace {

// The part of an ascending list that lies beyond `bound`.
std::span<const Index> beyond(std::span<const Index> list, Index bound) {
  const auto begin = std::upper_bound(list.begin(), list.end(), bound);
  return list.subspan(static_cast<std::size_t>(begin - list.begin()));
}

class Glu2Search {
 public:
  explicit Glu2Search(const ColumnPattern& pattern)
      : rows_(pattern.rows),
        columns_(transpose(rows_.view())),
        marked_by_(at(rows_.n_rows), -1),
        level_(at(rows_.n_rows), 0) {}

  // Every edge leads to a later column, so that the level of column i is final at its turn.
  std::vector<Index> run() && {
    for (Index i = 0; i < rows_.n_rows; ++i) {
      for (const Index k : rows_.row(i)) marked_by_[at(k)] = i;
      const auto lower = beyond(columns_.row(i), i);
      for (const Index t : lower) {
        if (is_double_u(i, t)) wait(t, i);
      }
      if (lower.empty()) continue;
      for (const Index k : beyond(rows_.row(i), i)) wait(k, i);
    }
    return std::move(level_);
  }

 private:
  // Lines 4 to 9, for a row i whose columns are marked.
  bool is_double_u(Index i, Index t) const {
    const auto of_row_i = [&](Index k) { return marked_by_[at(k)] == i; };
    const auto shares_a_column = [&](Index j) {
      const auto row_j = beyond(rows_.row(j), t);
      return std::any_of(row_j.begin(), row_j.end(), of_row_i);
    };
    const auto rows_j = beyond(columns_.row(t), t - 1);
    return std::any_of(rows_j.begin(), rows_j.end(), shares_a_column);
  }

  void wait(Index column, Index before) {
    level_[at(column)] = std::max(level_[at(column)], level_[at(before)] + 1);
  }

  const CsrPattern& rows_;
  CsrPattern columns_;  // the transpose: row j holds the rows of column j
  std::vector<Index> marked_by_;
  std::vector<Index> level_;
};

class Glu2SearchLevelize final : public LevelizeStage {
 public:
  const StageInfo& info() const noexcept override {
    static const StageInfo info{
        .name = "cpu-glu2-search",
        .description = "GLU 2.0: double-U dependencies by a triple loop, one core; rule exact only",
        .source = "core/columns",
        .takes = {product_types::column_pattern},
        .gives = product_types::column_schedule};
    return info;
  }

  ProductPtr run(const ProductPtr& symbolic, StageContext& context) const override {
    if (context.options.dependency != DependencyRule::exact) {
      throw Error(Outcome::unsupported, "dependency_rule",
                  "cpu-glu2-search finds the levels of the rule exact alone; use --dependency "
                  "exact, or --levelize cpu");
    }
    return std::make_shared<ColumnSchedule>(column_schedule(
        DependencyRule::exact, glu2_search_levels(product_cast<ColumnPattern>(*symbolic))));
  }
};

}  // namespace

std::vector<Index> glu2_search_levels(const ColumnPattern& pattern) {
  return Glu2Search(pattern).run();
}

std::unique_ptr<LevelizeStage> make_glu2_search_levelize() {
  return std::make_unique<Glu2SearchLevelize>();
}

}  // namespace lufact
