// SPDX-License-Identifier: BSD-3-Clause
#include "core/columns/glu2_search.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

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

// Whether two ascending lists share an entry beyond `bound`, found by going through both.
bool share_beyond(std::span<const Index> a, std::span<const Index> b, Index bound) {
  bool found = false;
  for (std::size_t x = 0, y = 0; x < a.size() && y < b.size();) {
    if (a[x] == b[y] && a[x] > bound) found = true;
    const bool a_first = a[x] <= b[y], b_first = b[y] <= a[x];
    x += a_first ? 1 : 0;
    y += b_first ? 1 : 0;
  }
  return found;
}

// Lines 4 to 9 of the algorithm for one row i after another, each by find(i, t).
class PlainSearch {
 public:
  PlainSearch(const CsrPattern& rows, const CsrPattern& columns) : rows_(rows), columns_(columns) {}

  void begin_row(Index) {}
  bool find(Index i, Index t) const {
    bool found = false;
    for (const Index j : beyond(columns_.row(t), t - 1)) {
      if (share_beyond(rows_.row(i), rows_.row(j), t)) found = true;
    }
    return found;
  }

 private:
  const CsrPattern &rows_, &columns_;
};

class QuickSearch {
 public:
  QuickSearch(const CsrPattern& rows, const CsrPattern& columns)
      : rows_(rows), columns_(columns), marked_by_(at(rows.n_rows), -1) {}

  void begin_row(Index i) {
    for (const Index k : rows_.row(i)) marked_by_[at(k)] = i;
  }
  bool find(Index i, Index t) const {
    const auto of_row_i = [&](Index k) { return marked_by_[at(k)] == i; };
    const auto shares_a_column = [&](Index j) {
      const auto row_j = beyond(rows_.row(j), t);
      return std::any_of(row_j.begin(), row_j.end(), of_row_i);
    };
    const auto rows_j = beyond(columns_.row(t), t - 1);
    return std::any_of(rows_j.begin(), rows_j.end(), shares_a_column);
  }

 private:
  const CsrPattern &rows_, &columns_;
  std::vector<Index> marked_by_;
};

// Every edge leads to a later column, so that the level of column i is final at its turn.
template <class Search>
std::vector<Index> levels_by(const ColumnPattern& pattern) {
  const CsrPattern& rows = pattern.rows;
  const CsrPattern columns = transpose(rows.view());  // row j holds the rows of column j
  std::vector<Index> level(at(rows.n_rows), 0);
  const auto wait = [&](Index column, Index before) {
    level[at(column)] = std::max(level[at(column)], level[at(before)] + 1);
  };
  Search search(rows, columns);
  for (Index i = 0; i < rows.n_rows; ++i) {
    search.begin_row(i);
    const auto lower = beyond(columns.row(i), i);
    for (const Index t : lower) {
      if (search.find(i, t)) wait(t, i);
    }
    if (lower.empty()) continue;
    for (const Index k : beyond(rows.row(i), i)) wait(k, i);
  }
  return level;
}

class Glu2Levelize final : public LevelizeStage {
 public:
  Glu2Levelize(StageInfo info, Glu2Search search) : info_(std::move(info)), search_(search) {}

  const StageInfo& info() const noexcept override { return info_; }

  ProductPtr run(const ProductPtr& symbolic, StageContext& context) const override {
    if (context.options.dependency != DependencyRule::exact) {
      throw Error(Outcome::unsupported, "dependency_rule",
                  info_.name +
                      " finds the levels of the rule exact alone; use --dependency exact, "
                      "or --levelize cpu");
    }
    const auto& pattern = product_cast<ColumnPattern>(*symbolic);
    return std::make_shared<ColumnSchedule>(
        column_schedule(DependencyRule::exact, glu2_search_levels(pattern, search_)));
  }

 private:
  StageInfo info_;
  Glu2Search search_;
};

StageInfo info_of(const char* name, const char* description) {
  return {.name = name,
          .description = description,
          .source = "core/columns",
          .takes = {product_types::column_pattern},
          .gives = product_types::column_schedule};
}

}  // namespace

std::vector<Index> glu2_search_levels(const ColumnPattern& pattern, Glu2Search search) {
  return search == Glu2Search::plain ? levels_by<PlainSearch>(pattern)
                                     : levels_by<QuickSearch>(pattern);
}

std::unique_ptr<LevelizeStage> make_glu2_search_levelize() {
  return std::make_unique<Glu2Levelize>(
      info_of("cpu-glu2-search",
              "GLU 2.0: double-U dependencies by a triple loop, one core; rule exact only"),
      Glu2Search::quick);
}

std::unique_ptr<LevelizeStage> make_glu2_plain_levelize() {
  return std::make_unique<Glu2Levelize>(
      info_of(
          "cpu-glu2-plain",
          "as cpu-glu2-search, the loops as printed (GLU3 Algorithm 3): no marks, no early end"),
      Glu2Search::plain);
}

}  // namespace lufact
