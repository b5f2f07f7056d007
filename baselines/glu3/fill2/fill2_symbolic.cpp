// SPDX-License-Identifier: BSD-3-Clause
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

#include "baselines/glu3/fill2/fill2_stages.hpp"
#include "baselines/glu3/fill2/filled_set.hpp"
#include "core/matrix/first_touch.hpp"
#include "core/matrix/parallel.hpp"

namespace lufact {
namespace {

// E2E Algorithm 1 for one row after the other (Rose and Tarjan 1978): entry (src, j) is filled iff
// a directed path of B leads from src to j through vertices smaller than both. The algorithm's loop
// over all thresholds below src becomes a walk over the filled ones, and vertices are tagged -1
// before the first row, since 0 is a row. One thread's.
class FillSearch {
 public:
  explicit FillSearch(const PatternView& b) : b_(b), filled_(b.n_rows), tag_(at(b.n_rows), -1) {}

  // Appends the columns of row src of L + U, ascending.
  void append_row(Index src, std::vector<Index>& columns) {
    fill(src, src);
    for (const Index v : b_.row(src)) fill(v, src);
    Index threshold = filled_.next(0);
    for (; threshold < src; threshold = filled_.next(threshold)) {
      take(threshold, columns);
      search(threshold, src);
    }
    for (; threshold < b_.n_rows; threshold = filled_.next(threshold)) take(threshold, columns);
  }

 private:
  void fill(Index vertex, Index src) {
    tag_[at(vertex)] = src;
    filled_.insert(vertex);
  }

  void take(Index vertex, std::vector<Index>& columns) {
    columns.push_back(vertex);
    filled_.erase(vertex);
  }

  // Lines 12 to 27: what `threshold` reaches over vertices below it.
  void search(Index threshold, Index src) {
    queue_.assign(1, threshold);
    for (std::size_t next = 0; next < queue_.size(); ++next) {
      for (const Index neighbour : b_.row(queue_[next])) {
        if (tag_[at(neighbour)] == src) continue;
        if (neighbour > threshold) {
          fill(neighbour, src);
        } else {
          tag_[at(neighbour)] = src;
          queue_.push_back(neighbour);
        }
      }
    }
  }

  const PatternView& b_;
  FilledSet filled_;
  std::vector<Index> tag_;  // the last row whose search met this vertex
  std::vector<Index> queue_;
};

constexpr Index rows_per_piece = 64;

// The rows of consecutive pieces of `rows_per_piece`, each piece in a list of its own.
class FilledRows {
 public:
  FilledRows(const PatternView& b, int threads)
      : b_(b),
        threads_(threads),
        pieces_(at((Offset{b.n_rows} + rows_per_piece - 1) / rows_per_piece)),
        row_ptr_(at(b.n_rows) + 1, 0),
        diagonal_(at(b.n_rows)) {}

  void search(Progress* progress) {
    std::vector<std::unique_ptr<FillSearch>> searches(at(threads_));
    std::atomic<Offset> rows_done{0};
    parallel_for(static_cast<Offset>(pieces_.size()), threads_, [&](Offset piece) {
      auto& search = searches[at(omp_get_thread_num())];
      if (search == nullptr) search = std::make_unique<FillSearch>(b_);
      for (Index src = first_row(piece); src < first_row(piece + 1); ++src) {
        append_row(*search, src, pieces_[at(piece)]);
      }
      const Offset done = rows_done += first_row(piece + 1) - first_row(piece);
      if (progress != nullptr && omp_get_thread_num() == 0) {
        progress->report("symbolic rows", done, b_.n_rows);
      }
    });
    for (std::size_t i = 0; i < diagonal_.size(); ++i) {
      diagonal_[i] += row_ptr_[i];
      row_ptr_[i + 1] += row_ptr_[i];
    }
  }

  Offset entries() const noexcept { return row_ptr_.back(); }

  ColumnPattern take() {
    ColumnPattern result;
    result.rows.n_rows = result.rows.n_cols = b_.n_rows;
    result.rows.col_idx = zeros_touched_by<Index>(threads_, entries());
    parallel_for(static_cast<Offset>(pieces_.size()), threads_, [&](Offset piece) {
      std::copy(pieces_[at(piece)].begin(), pieces_[at(piece)].end(),
                result.rows.col_idx.begin() + row_ptr_[at(first_row(piece))]);
      pieces_[at(piece)] = {};
    });
    result.rows.row_ptr = std::move(row_ptr_);
    result.diagonal = std::move(diagonal_);
    return result;
  }

 private:
  Index first_row(Offset piece) const noexcept {
    return static_cast<Index>(std::min(piece * rows_per_piece, Offset{b_.n_rows}));
  }

  // Until all rows are known, positions count from the beginning of the row.
  void append_row(FillSearch& search, Index src, std::vector<Index>& columns) {
    const std::size_t before = columns.size();
    search.append_row(src, columns);
    const auto begin = columns.begin() + static_cast<std::ptrdiff_t>(before);
    row_ptr_[at(src) + 1] = columns.end() - begin;
    diagonal_[at(src)] = std::lower_bound(begin, columns.end(), src) - begin;
  }

  const PatternView& b_;
  int threads_;
  std::vector<std::vector<Index>> pieces_;
  std::vector<Offset> row_ptr_, diagonal_;
};

ColumnPattern search_fill(const PatternView& b, StageContext& context) {
  constexpr Offset worthwhile_entries = 20'000;  // of B
  const int threads = threads_for(b.nnz(), worthwhile_entries, context.options.threads);
  FilledRows rows(b, threads);
  {
    const auto scope = context.phases.scope("search");
    rows.search(context.progress);
  }
  if (context.check_resident) context.check_resident(rows.entries());
  const auto scope = context.phases.scope("rows");
  return rows.take();
}

class Fill2Symbolic final : public SymbolicStage {
 public:
  const StageInfo& info() const noexcept override { return info_; }
  ProductPtr run(const ProductPtr& matrix, StageContext& context) const override {
    const auto& b = product_cast<PermutedMatrix>(*matrix);
    return std::make_shared<ColumnPattern>(search_fill(b.pattern.view(), context));
  }

 private:
  StageInfo info_{.name = "cpu-fill2",
                  .description = "fill2 (E2E Algorithm 1), rows shared among threads, OpenMP",
                  .source = "baselines/glu3/fill2",
                  .side = Side::host,
                  .deterministic = true,
                  .takes = {product_types::permuted_matrix},
                  .gives = product_types::column_pattern};
};

}  // namespace

std::unique_ptr<SymbolicStage> make_fill2_symbolic() {
  return std::make_unique<Fill2Symbolic>();
}

}  // namespace lufact
