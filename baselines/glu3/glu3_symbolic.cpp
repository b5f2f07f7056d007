// SPDX-License-Identifier: BSD-3-Clause
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "baselines/glu3/glu3_stages.hpp"
#include "core/columns/elimination_forest.hpp"
#include "core/columns/finished_columns.hpp"
#include "core/columns/index_arena.hpp"
#include "core/columns/level_sets.hpp"
#include "core/matrix/counting_sort.hpp"
#include "core/matrix/first_touch.hpp"
#include "core/matrix/parallel.hpp"

namespace lufact {
namespace {

// The rows of one column's strict parts of L and U, unsorted.
struct FilledColumn {
  std::span<const Index> lower, upper;
};

// What the threads of one symbolic factorization share.
struct ColumnUnions {
  explicit ColumnUnions(const PatternView& b)
      : columns(transpose(b)), filled(at(b.n_rows)), finished(at(b.n_rows)) {}

  CsrPattern columns;  // of B
  std::vector<FilledColumn> filled;
  FinishedColumns finished;
  std::atomic<bool> failed{false};  // a thread has thrown: nobody may wait any longer
};

// Column k of L + U is that of B united with column j of L for every j that U(j, k) names. One
// thread's; it owns the columns that it made.
class ColumnUnion {
 public:
  explicit ColumnUnion(ColumnUnions& shared)
      : shared_(shared),
        lower_store_(block_entries(shared.columns.n_rows)),
        upper_store_(block_entries(shared.columns.n_rows)),
        mark_(at(shared.columns.n_rows), -1) {}

  // Returns early, with the column not finished, where another thread has failed.
  void make(Index k) {
    const auto n = at(shared_.columns.n_rows);
    Index* const lower_begin = lower_end_ = lower_store_.open(n - at(k) - 1);
    Index* const upper_begin = upper_end_ = upper_store_.open(at(k));
    mark_[at(k)] = k;
    unite(shared_.columns.row(k), k);
    waiting_.clear();
    for (const Index* next = upper_begin; next != upper_end_ || !waiting_.empty();) {
      if (next != upper_end_) {
        unite_or_wait(*next++, k);
      } else if (!unite_finished(k)) {
        if (shared_.failed.load(std::memory_order_relaxed)) return;
        std::this_thread::yield();
      }
    }
    lower_store_.close(lower_end_);
    upper_store_.close(upper_end_);
    shared_.filled[at(k)] = {{lower_begin, lower_end_}, {upper_begin, upper_end_}};
    shared_.finished.mark(k);
  }

 private:
  static std::size_t block_entries(Index n) { return std::max<std::size_t>(8 * at(n), 1u << 16); }

  void unite(std::span<const Index> rows, Index k) {
    for (const Index row : rows) {
      if (mark_[at(row)] == k) continue;
      mark_[at(row)] = k;
      *(row > k ? lower_end_ : upper_end_)++ = row;
    }
  }

  void unite_or_wait(Index j, Index k) {
    if (shared_.finished.test(j)) {
      unite(shared_.filled[at(j)].lower, k);
    } else {
      waiting_.push_back(j);
    }
  }

  // Unites with the columns that were waited for and are finished now; says whether there were any.
  bool unite_finished(Index k) {
    const auto end = std::partition(waiting_.begin(), waiting_.end(),
                                    [this](Index j) { return !shared_.finished.test(j); });
    const bool any = end != waiting_.end();
    for (auto j = end; j != waiting_.end(); ++j) unite(shared_.filled[at(*j)].lower, k);
    waiting_.erase(end, waiting_.end());
    return any;
  }

  ColumnUnions& shared_;
  IndexArena lower_store_, upper_store_;
  std::vector<Index> mark_;     // the last column that met this row
  std::vector<Index> waiting_;  // columns that others still work on
  Index* lower_end_ = nullptr;
  Index* upper_end_ = nullptr;
};

// Columns such that every column comes after those it can need: by height in the elimination forest
// of B + B', which bounds the dependencies before they are known.
std::vector<Index> column_order(const PatternView& b, int threads) {
  const std::vector<Index> parent = elimination_forest(EarlierNeighbours(b, threads), threads);
  std::vector<Index> height(parent.size(), 0);
  for (std::size_t k = 0; k < parent.size(); ++k) {
    if (parent[k] < 0) continue;
    Index& above = height[at(parent[k])];
    above = std::max(above, height[k] + 1);
  }
  return group_by_level(height).items;
}

// Threads take columns in order, so that what a thread waits for was taken before.
void make_columns(const std::vector<Index>& order, ColumnUnions& shared,
                  std::vector<std::unique_ptr<ColumnUnion>>& unions) {
  const auto threads = static_cast<int>(unions.size());
  std::atomic<std::size_t> next{0};
  std::exception_ptr thrown;
#pragma omp parallel num_threads(threads)
  try {
    auto& own = unions[at(omp_get_thread_num())];
    own = std::make_unique<ColumnUnion>(shared);
    for (std::size_t k = next.fetch_add(1); k < order.size(); k = next.fetch_add(1)) {
      if (shared.failed.load(std::memory_order_relaxed)) break;
      own->make(order[k]);
    }
  } catch (...) {
    if (!shared.failed.exchange(true)) thrown = std::current_exception();
  }
  if (thrown) std::rethrow_exception(thrown);
}

// Calls body(range, row, k) for the entries of L + U off the diagonal, columns ascending in each
// range.
template <class Body>
void for_entries(const ColumnUnions& unions, const std::vector<Index>& first, int threads,
                 const Body& body) {
  parallel_for(threads, threads, [&](Offset range) {
    for (Index k = first[at(range)]; k < first[at(range) + 1]; ++k) {
      for (const Index row : unions.filled[at(k)].upper) body(range, row, k);
      body(range, k, k);
      for (const Index row : unions.filled[at(k)].lower) body(range, row, k);
    }
  });
}

std::vector<Offset> column_ptr(const ColumnUnions& unions) {
  std::vector<Offset> ptr{0};
  for (const FilledColumn& column : unions.filled) {
    ptr.push_back(ptr.back() + static_cast<Offset>(column.lower.size() + column.upper.size() + 1));
  }
  return ptr;
}

// A transposition, which sorts the rows.
ColumnPattern rows_of(const ColumnUnions& unions, const std::vector<Offset>& ptr, int threads) {
  const Index n = unions.columns.n_rows;
  const std::vector<Index> first = balanced_ranges(ptr, threads);
  CountingSort positions(threads, n);
  parallel_for(threads, threads, [&](Offset range) { positions.clear(range); });
  for_entries(unions, first, threads,
              [&](Offset range, Index row, Index) { ++positions.counts(range)[row]; });
  ColumnPattern result;
  result.rows.n_rows = result.rows.n_cols = n;
  result.rows.row_ptr.resize(at(n) + 1);
  result.diagonal.resize(at(n));
  positions.to_positions(result.rows.row_ptr, threads);
  result.rows.col_idx = zeros_touched_by<Index>(threads, result.rows.nnz());
  for_entries(unions, first, threads, [&](Offset range, Index row, Index k) {
    const Offset position = positions.counts(range)[row]++;
    result.rows.col_idx[at(position)] = k;
    if (row == k) result.diagonal[at(k)] = position;
  });
  return result;
}

ColumnPattern unite_columns(const PatternView& b, StageContext& context) {
  constexpr Offset worthwhile_entries = 20'000;  // of B
  const int threads = threads_for(b.nnz(), worthwhile_entries, context.options.threads);
  std::optional<ColumnUnions> shared;
  std::vector<std::unique_ptr<ColumnUnion>> unions(at(threads));
  {
    const auto scope = context.phases.scope("union");
    shared.emplace(b);
    make_columns(column_order(b, threads), *shared, unions);
  }
  const std::vector<Offset> ptr = column_ptr(*shared);
  if (context.check_resident) context.check_resident(ptr.back());
  const auto scope = context.phases.scope("rows");
  return rows_of(*shared, ptr, threads);
}

class Glu3Symbolic final : public SymbolicStage {
 public:
  const StageInfo& info() const noexcept override { return info_; }
  ProductPtr run(const ProductPtr& matrix, StageContext& context) const override {
    const auto& b = product_cast<PermutedMatrix>(*matrix);
    return std::make_shared<ColumnPattern>(unite_columns(b.pattern.view(), context));
  }

 private:
  StageInfo info_{.name = "cpu-glu3",
                  .description = "GLU 3.0: unions of whole columns of L, OpenMP; E2E's baseline",
                  .source = "baselines/glu3",
                  .side = Side::host,
                  .deterministic = true,
                  .takes = {product_types::permuted_matrix},
                  .gives = product_types::column_pattern};
};

}  // namespace

std::unique_ptr<SymbolicStage> make_glu3_symbolic() {
  return std::make_unique<Glu3Symbolic>();
}

}  // namespace lufact
