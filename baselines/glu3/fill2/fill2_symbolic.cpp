// SPDX-License-Identifier: BSD-3-Clause
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <span>
#include <vector>

#include "baselines/glu3/fill2/fill2_stages.hpp"
#include "baselines/glu3/fill2/filled_set.hpp"
#include "core/columns/supernodes.hpp"
#include "core/distribution/distribution_notes.hpp"
#include "core/distribution/rank_exchange.hpp"
#include "core/distribution/row_assembly.hpp"
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

  // Entries of B that its searches have looked at.
  Offset edges_checked() const noexcept { return edges_checked_; }

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
      const auto neighbours = b_.row(queue_[next]);
      edges_checked_ += static_cast<Offset>(neighbours.size());
      for (const Index neighbour : neighbours) {
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
  Offset edges_checked_ = 0;
};

constexpr Index rows_per_piece = 64;

// The rows of a share by place, in consecutive pieces of `rows_per_piece`, each in a list of its
// own.
class FilledRows {
 public:
  FilledRows(const PatternView& b, const GsofaShare& share, int threads)
      : b_(b),
        share_(share),
        threads_(threads),
        rows_(share.count()),
        pieces_(at((rows_ + rows_per_piece - 1) / rows_per_piece)),
        row_ptr_(at(rows_) + 1, 0),
        diagonal_(at(rows_)) {}

  void search(Progress* progress) {
    std::vector<std::unique_ptr<FillSearch>> searches(at(threads_));
    std::atomic<Offset> rows_done{0};
    parallel_for(static_cast<Offset>(pieces_.size()), threads_, [&](Offset piece) {
      auto& search = searches[at(omp_get_thread_num())];
      if (search == nullptr) search = std::make_unique<FillSearch>(b_);
      for (Offset place = first_place(piece); place < first_place(piece + 1); ++place) {
        append_row(*search, place, pieces_[at(piece)]);
      }
      const Offset done = rows_done += first_place(piece + 1) - first_place(piece);
      if (progress != nullptr && omp_get_thread_num() == 0) {
        progress->report("symbolic rows", done, rows_);
      }
    });
    for (std::size_t i = 0; i < diagonal_.size(); ++i) {
      diagonal_[i] += row_ptr_[i];
      row_ptr_[i + 1] += row_ptr_[i];
    }
    for (const auto& search : searches) {
      if (search != nullptr) edges_checked_ += search->edges_checked();
    }
  }

  Offset entries() const noexcept { return row_ptr_.back(); }
  Offset edges_checked() const noexcept { return edges_checked_; }

  FoundRows take() {
    FoundRows result{.share = share_};
    result.columns = zeros_touched_by<Index>(threads_, entries());
    parallel_for(static_cast<Offset>(pieces_.size()), threads_, [&](Offset piece) {
      std::copy(pieces_[at(piece)].begin(), pieces_[at(piece)].end(),
                result.columns.begin() + row_ptr_[at(first_place(piece))]);
      pieces_[at(piece)] = {};
    });
    result.row_ptr = std::move(row_ptr_);
    result.diagonal = std::move(diagonal_);
    return result;
  }

 private:
  Offset first_place(Offset piece) const noexcept {
    return std::min(piece * rows_per_piece, rows_);
  }

  // Until all rows are known, positions count from the beginning of the row.
  void append_row(FillSearch& search, Offset place, std::vector<Index>& columns) {
    const std::size_t before = columns.size();
    const Index src = share_.row(place);
    search.append_row(src, columns);
    const auto begin = columns.begin() + static_cast<std::ptrdiff_t>(before);
    row_ptr_[at(place) + 1] = columns.end() - begin;
    diagonal_[at(place)] = std::lower_bound(begin, columns.end(), src) - begin;
  }

  const PatternView& b_;
  GsofaShare share_;
  int threads_;
  Offset rows_;
  std::vector<std::vector<Index>> pieces_;
  std::vector<Offset> row_ptr_, diagonal_;
  Offset edges_checked_ = 0;
};

// Ranks of one host share its threads.
int search_threads(const PatternView& b, const StageContext& context) {
  constexpr Offset worthwhile_entries = 20'000;  // of B
  const int sharing = context.ranks == nullptr ? 1 : context.ranks->ranks_on_host();
  return threads_for(b.nnz(), worthwhile_entries, std::max(1, context.options.threads / sharing));
}

ColumnPattern search_alone(const PatternView& b, StageContext& context) {
  GsofaShare all;
  all.rows.n = b.n_rows;
  FilledRows rows(b, all, search_threads(b, context));
  {
    const auto scope = context.phases.scope("search");
    rows.search(context.progress);
  }
  if (context.check_resident) context.check_resident(rows.entries());
  const auto scope = context.phases.scope("rows");
  FoundRows found = rows.take();
  ColumnPattern result;
  result.rows.n_rows = result.rows.n_cols = b.n_rows;
  result.rows.row_ptr = std::move(found.row_ptr);
  result.rows.col_idx = std::move(found.columns);
  result.diagonal = std::move(found.diagonal);
  return result;
}

// Chunks go to ranks as GSoFa's do, so that no supernode is on two.
class RankSearch {
 public:
  RankSearch(const PatternView& b, RankGroup& ranks, StageContext& context)
      : b_(b), ranks_(ranks), context_(context) {
    options_ = context.options.gsofa;
    options_.chunk_size = context.options.supernode_size;
  }

  GsofaShare share(Index rank) const {
    return gsofa_share(b_.n_rows, options_, machine(), rank, 0);
  }

  void search() {
    FilledRows rows(b_, share(ranks_.rank()), search_threads(b_, context_));
    slice_.search_s = timed([&] {
      const auto scope = context_.phases.scope("search");
      rows.search(context_.progress);
      slice_.edges_checked = rows.edges_checked();
      found_ = rows.take();
    });
    slice_.sources = found_.share.count();
  }

  void find_supernodes() {
    if (context_.options.supernodes != SupernodeRule::t3) return;
    const auto scope = context_.phases.scope("supernodes");
    slice_.supernodes_s = timed([&] { find_starts(); });
  }

  RankReport report() const {
    RankReport report;
    report.slices = {slice_};
    report.slice_entries = {found_.entries()};
    report.supernodes = static_cast<Offset>(starts_.size());
    return report;
  }

  // To rank 0.
  void send() const {
    send_rows(ranks_, found_);
    send_starts(ranks_, starts_);
  }

  // On rank 0.
  ColumnPattern gather() {
    std::vector<RankReport> reports;
    {
      const auto scope = context_.phases.scope("wait");
      reports = collect_reports(ranks_);
    }
    describe(reports);
    check_room(reports);
    const auto scope = context_.phases.scope("exchange");
    std::vector<GsofaShare> shares;
    for (Index rank = 1; rank < ranks_.size(); ++rank) shares.push_back(share(rank));
    const int threads = search_threads(b_, context_);
    ColumnPattern pattern =
        assemble_rows(ranks_, b_.n_rows, std::move(found_), shares, reports, threads);
    std::vector<Index> supernodes = collect_starts(ranks_, reports, std::move(starts_), b_.n_rows);
    if (context_.options.supernodes == SupernodeRule::t3) {
      pattern.supernodes = std::move(supernodes);
    }
    return pattern;
  }

 private:
  GsofaMachine machine() const { return {ranks_.size(), 1}; }

  template <class Work>
  static double timed(const Work& work) {
    const SteadyClock clock;
    const auto begin = clock.now();
    work();
    return std::chrono::duration<double>(clock.now() - begin).count();
  }

  void find_starts() {
    const std::span<const Offset> row_ptr = found_.row_ptr, diagonal = found_.diagonal;
    const auto chunk = at(options_.chunk_size);
    for (std::size_t first = 0; first < diagonal.size(); first += chunk) {
      const std::size_t rows = std::min(chunk, diagonal.size() - first);
      append_supernode_starts({row_ptr.subspan(first, rows + 1), diagonal.subspan(first, rows),
                               found_.columns.data(), found_.share.row(static_cast<Offset>(first))},
                              starts_);
    }
  }

  void describe(const std::vector<RankReport>& reports) {
    DistributionNotes notes = begin_distribution(options_, machine());
    notes.shared = "none";
    add_rank_notes(ranks_, {slice_}, reports, notes);
    for (std::size_t k = 0; k < reports.size(); ++k) {
      notes.exchange_bytes += sent_bytes(notes.slices[k + 1].sources, reports[k]);
    }
    compare_slices(notes, true);
    context_.notes.distribution = std::move(notes);
  }

  void check_room(const std::vector<RankReport>& reports) const {
    if (!context_.check_resident) return;
    Offset entries = found_.entries();
    for (const RankReport& report : reports) entries += report.slice_entries.at(0);
    context_.check_resident(entries);
  }

  const PatternView& b_;
  RankGroup& ranks_;
  StageContext& context_;
  GsofaOptions options_;
  FoundRows found_;
  std::vector<Index> starts_;  // of supernodes
  DistributionSlice slice_;
};

ColumnPattern search_on_ranks(const PatternView& b, StageContext& context) {
  RankGroup& ranks = *context.ranks;
  {
    const auto scope = context.phases.scope("replicate");
    ranks.call_others();
    share_pattern(ranks, b);
  }
  RankSearch search(b, ranks, context);
  search.search();
  search.find_supernodes();
  return search.gather();
}

class Fill2Symbolic final : public SymbolicStage {
 public:
  const StageInfo& info() const noexcept override { return info_; }
  ProductPtr run(const ProductPtr& matrix, StageContext& context) const override {
    const auto& b = product_cast<PermutedMatrix>(*matrix);
    const PatternView pattern = b.pattern.view();
    return std::make_shared<ColumnPattern>(context.ranks == nullptr
                                               ? search_alone(pattern, context)
                                               : search_on_ranks(pattern, context));
  }

  void assist(StageContext& context) const override {
    RankGroup& ranks = *context.ranks;
    const CsrPattern b = take_pattern(ranks);
    const PatternView view = b.view();
    RankSearch search(view, ranks, context);
    const auto part = [&] {
      search.search();
      search.find_supernodes();
      return search.report();
    };
    if (search_and_report(ranks, part)) search.send();
  }

 private:
  StageInfo info_{.name = "cpu-fill2",
                  .description = "fill2 (E2E Algorithm 1), rows shared among threads, OpenMP",
                  .source = "baselines/glu3/fill2",
                  .side = Side::host,
                  .deterministic = true,
                  .takes = {product_types::permuted_matrix},
                  .gives = product_types::column_pattern,
                  .several_ranks = true};
};

}  // namespace

std::unique_ptr<SymbolicStage> make_fill2_symbolic() {
  return std::make_unique<Fill2Symbolic>();
}

}  // namespace lufact
