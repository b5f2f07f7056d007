// SPDX-License-Identifier: BSD-3-Clause
#include "core/columns/symbolic_gp_pruned.hpp"

#include <algorithm>
#include <utility>

#include "core/columns/cpu_stages.hpp"
#include "core/columns/index_arena.hpp"

namespace lufact {
namespace {

struct List {
  Index* begin = nullptr;
  Index* end = nullptr;
};

// The columns of L (strictly lower) and U (strictly upper), unsorted.
class ColumnSearch {
 public:
  explicit ColumnSearch(const PatternView& b)
      : columns_(transpose(b)),
        lower_store_(block_entries(b.n_rows)),
        upper_store_(block_entries(b.n_rows)),
        edges_(at(b.n_rows)),
        lower_end_(at(b.n_rows)),
        upper_(at(b.n_rows)),
        mark_(at(b.n_rows), -1),
        row_count_(at(b.n_rows), 1) {}

  void run(Progress* progress);
  // Strictly lower and strictly upper entries together.
  Offset off_diagonal_entries() const noexcept { return entries_; }
  ColumnPattern rows() const;

 private:
  // A list is opened with room for the worst case, so blocks of a few columns waste little.
  static std::size_t block_entries(Index n) { return std::max<std::size_t>(8 * at(n), 1u << 16); }
  void search(Index k);
  bool visit(const Index* begin, const Index* end, Index k);
  void prune(Index v, Index k);
  std::span<const Index> lower(Index k) const {
    return {edges_[at(k)].begin, static_cast<const Index*>(lower_end_[at(k)])};
  }
  std::span<const Index> upper(Index k) const {
    return {upper_[at(k)].begin, static_cast<const Index*>(upper_[at(k)].end)};
  }

  CsrPattern columns_;  // of B
  IndexArena lower_store_, upper_store_;
  std::vector<List> edges_;        // of column v: the part of L(:, v) that searches still follow
  std::vector<Index*> lower_end_;  // end of L(:, v), whose begin is edges_[v].begin
  std::vector<List> upper_;
  std::vector<Index> mark_;       // the last column whose search met this row
  std::vector<Index> row_count_;  // entries of each row of L + U so far, its diagonal included
  Index* new_lower_ = nullptr;
  Index* new_upper_ = nullptr;
  Offset entries_ = 0;
};

// Adds the rows that the search of column k meets for the first time to L(:, k) or U(:, k). Says
// whether row k itself is among them. (Selecting the list without a branch was measured slower: the
// queue's next entry then waits for the comparison instead of a prediction.)
bool ColumnSearch::visit(const Index* begin, const Index* end, Index k) {
  Index* lower_end = new_lower_;
  Index* upper_end = new_upper_;
  Index* const mark = mark_.data();
  bool meets_k = false;
  for (const Index* entry = begin; entry != end; ++entry) {
    const Index row = *entry;
    meets_k |= row == k;
    if (mark[row] == k) continue;
    mark[row] = k;
    if (row > k) {
      *lower_end++ = row;
    } else {
      *upper_end++ = row;
    }
  }
  new_lower_ = lower_end;
  new_upper_ = upper_end;
  return meets_k;
}

// L(k, v) and U(v, k) are both present: every path from v over a row beyond k can go over k
// instead, so later searches follow only the edges of v up to k.
void ColumnSearch::prune(Index v, Index k) {
  List& list = edges_[at(v)];
  list.end = std::partition(list.begin, list.end, [k](Index row) { return row <= k; });
}

// Finds the rows reachable from B(:, k) over columns before k. The order of a search does not
// matter for the pattern, so that U(:, k), as far as found, serves as the queue.
void ColumnSearch::search(Index k) {
  const auto n = at(columns_.n_rows);
  new_lower_ = lower_store_.open(n - at(k) - 1);
  new_upper_ = upper_store_.open(at(k));
  Index* const lower_begin = new_lower_;
  Index* const upper_begin = new_upper_;
  mark_[at(k)] = k;
  const auto column = columns_.row(k);
  visit(column.data(), column.data() + column.size(), k);
  for (const Index* next = upper_begin; next != new_upper_; ++next) {
    const List list = edges_[at(*next)];
    if (visit(list.begin, list.end, k)) prune(*next, k);
  }
  edges_[at(k)] = {lower_begin, new_lower_};
  lower_end_[at(k)] = new_lower_;
  upper_[at(k)] = {upper_begin, new_upper_};
  lower_store_.close(new_lower_);
  upper_store_.close(new_upper_);
  for (const Index row : lower(k)) ++row_count_[at(row)];
  for (const Index row : upper(k)) ++row_count_[at(row)];
  entries_ += (new_lower_ - lower_begin) + (new_upper_ - upper_begin);
}

void ColumnSearch::run(Progress* progress) {
  constexpr Index report_every = 4096;
  for (Index k = 0; k < columns_.n_rows; ++k) {
    search(k);
    if (progress != nullptr && k % report_every == report_every - 1) {
      progress->report("symbolic columns", k + 1, columns_.n_rows);
    }
  }
}

// Columns are taken in order, which fills every row in ascending order without sorting. Row k has
// its entries of L when column k comes, so that one position for each row is enough.
ColumnPattern ColumnSearch::rows() const {
  const Index n = columns_.n_rows;
  ColumnPattern result;
  result.rows.n_rows = result.rows.n_cols = n;
  result.rows.row_ptr.assign(at(n) + 1, 0);
  result.diagonal.resize(at(n));
  for (std::size_t i = 0; i < at(n); ++i) {
    result.rows.row_ptr[i + 1] = result.rows.row_ptr[i] + row_count_[i];
  }
  checked_bytes(result.rows.nnz(), sizeof(Index));
  result.rows.col_idx.resize(at(result.rows.nnz()));
  std::vector<Offset> next(result.rows.row_ptr.begin(), result.rows.row_ptr.end() - 1);
  Index* const columns = result.rows.col_idx.data();
  for (Index k = 0; k < n; ++k) {
    for (const Index row : upper(k)) columns[next[at(row)]++] = k;
    result.diagonal[at(k)] = next[at(k)];
    columns[next[at(k)]++] = k;
    for (const Index row : lower(k)) columns[next[at(row)]++] = k;
  }
  return result;
}

class GpPrunedSymbolic final : public SymbolicStage {
 public:
  const StageInfo& info() const noexcept override { return info_; }
  ProductPtr run(const ProductPtr& matrix, StageContext& context) const override {
    const auto& b = product_cast<PermutedMatrix>(*matrix);
    return std::make_shared<ColumnPattern>(factor_pattern_gp_pruned(b.pattern.view(), context));
  }

 private:
  StageInfo info_{.name = "cpu-gp-pruned",
                  .description = "Gilbert-Peierls reachability with symmetric pruning, one core",
                  .source = "core/columns",
                  .side = Side::host,
                  .deterministic = true,
                  .takes = {product_types::permuted_matrix},
                  .gives = product_types::column_pattern};
};

}  // namespace

ColumnPattern factor_pattern_gp_pruned(const PatternView& b, StageContext& context) {
  ColumnSearch search(b);
  {
    const auto scope = context.phases.scope("search");
    search.run(context.progress);
  }
  if (context.check_resident) context.check_resident(search.off_diagonal_entries() + b.n_rows);
  const auto scope = context.phases.scope("rows");
  return search.rows();
}

std::unique_ptr<SymbolicStage> make_gp_pruned_symbolic() {
  return std::make_unique<GpPrunedSymbolic>();
}

}  // namespace lufact
