// SPDX-License-Identifier: BSD-3-Clause
// The part of PipelineRun that plans a run again whose refinement stagnates: with another order of
// pivots, from what the factorization tells of their sizes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/order/graph/elimination_tree.hpp"
#include "core/permute/permute.hpp"
#include "core/run/pipeline_run.hpp"
#include "core/run/preprocess.hpp"

namespace lufact {
namespace {

// Pivots of at most this share of the scaled matrix's largest row sum are weak. Matched entries are
// one before elimination, so that the largest share stands for a threshold of some hundredths. It
// rises by a step where weak pivots were moved in vain, and falls by steps where they are not few.
constexpr double first_share = 1e-4, share_step = 10, largest_share = 1e-2;
constexpr Index few_of = 8;                   // one of so many
constexpr double shares_above_replaced = 10;  // so far above those that are replaced, at least
constexpr std::size_t most_suspects = 10;

// The matching that B was made with, by A's labels.
Matching matching_of(const PermutedMatrix& b) {
  const auto rows = b.rows.old_of_new(), cols = b.cols.old_of_new();
  std::vector<Index> row_of_column(cols.size());
  Matching matching;
  matching.row_scale.resize(cols.size());
  matching.col_scale.resize(cols.size());
  for (std::size_t k = 0; k < cols.size(); ++k) {
    row_of_column[at(cols[k])] = rows[k];
    matching.row_scale[at(rows[k])] = b.row_scale[k];
    matching.col_scale[at(cols[k])] = b.col_scale[k];
  }
  matching.rows = Permutation::from_old_of_new(std::move(row_of_column));
  return matching;
}

// The first part of a chain's tail in which pivots may come from any row of their block; null where
// there is none.
const Tail* find_pivoting(const Tail& tail) {
  if (tail.selector == nullptr || tail.selector->decides() != "family") {
    return tail.numeric->info().pivots_in_block ? &tail : nullptr;
  }
  for (const Tail& next : tail.tails) {
    if (const Tail* found = find_pivoting(next)) return found;
  }
  return nullptr;
}

Index count_weak(std::span<const double> size, double smallest) {
  return static_cast<Index>(
      std::ranges::count_if(size, [&](double pivot) { return pivot <= smallest; }));
}

}  // namespace

// Whether there was another plan, by which A is factored now.
bool PipelineRun::plan_again(const CsrMatrix& a) {
  if (plans_.again >= settings_.most_replans) return false;
  place_entries_on_host();  // for scaled_norm
  std::shared_ptr<PermutedMatrix> next = next_matrix(a);
  if (next == nullptr) return false;
  ++plans_.again;
  options_.pivoting = Pivoting::diagonal_block;
  products_ = {};  // the factors leave before the next ones come, and what was said of them
  std::erase_if(notes_.warnings, [](const Warning& old) { return old.code == "unusable_pivots"; });
  products_.matrix = std::move(next);
  upload_inputs();
  analyse();
  factorize();
  return true;
}

// B as the next plan has it; null where there is no other plan. Rows that nothing has matched are
// matched first; factors that cannot pivot give way to some that can; then weak pivots are delayed.
std::shared_ptr<PermutedMatrix> PipelineRun::next_matrix(const CsrMatrix& a) {
  const Tail* const pivoting = find_pivoting(chain_.tail);
  if (pivoting == nullptr) return nullptr;
  const StageInfo& scaling = chain_.scaling->info();
  const bool matched = plans_.matched || scaling.name == catalogue_.matching ||
                       scaling.on_host == catalogue_.matching;
  if (!matched && !catalogue_.matching.empty()) {
    tail_ = pivoting;
    plans_.matched = true;
    go_on(product_types::ordering, nullptr);
    note_plan(catalogue_.matching, "rows were not matched to columns");
    return matched_matrix(a);
  }
  if (!tail_->numeric->info().pivots_in_block) {
    tail_ = pivoting;
    go_on(product_types::ordering, nullptr);
    note_plan("diagonal-block", "pivots could not come from other rows");
    return with_order(a, products_.matrix->cols);
  }
  return delayed_matrix(a);
}

void PipelineRun::note_plan(const std::string& chosen, const std::string& why) {
  notes_.choices.push_back({.stage = "replan",
                            .chosen = chosen,
                            .candidates = {catalogue_.matching, "diagonal-block", "delayed-pivots"},
                            .reason = fmt::format("backward error {:.2e} after refinement; {}",
                                                  solve_report_->backward_error, why)});
}

std::shared_ptr<PermutedMatrix> PipelineRun::matched_matrix(const CsrMatrix& a) {
  const auto found = std::ranges::find(catalogue_.scaling, catalogue_.matching,
                                       [](const auto& stage) { return stage->info().name; });
  const PreprocessSteps steps{
      .scaling = **found,
      .ordering = *chain_.ordering,
      .wants_postorder = [this](const Ordering&, StageContext&) { return tail_->postorder; }};
  StageContext stage_context = context();
  return lufact::preprocess(a, steps, stage_context);
}

std::shared_ptr<PermutedMatrix> PipelineRun::delayed_matrix(const CsrMatrix& a) {
  const PivotDelay* const delay = catalogue_.find_pivot_delay(products_.factors->type());
  if (delay == nullptr) return nullptr;
  const ProductPtr symbolic = symbolic_on(Side::host);
  const bool exchanged = options_.pivoting == Pivoting::diagonal_block;
  DelayedOrder order;
  {
    const auto phase = phases_.scope("order");
    const auto step = phases_.scope("delay");
    const std::vector<double> size = delay->pivot_sizes(*symbolic, *products_.factors);
    raise_share(size);
    do {
      order = delay_pivots(*delay, *symbolic, size);
    } while (!order.changed && exchanged && raise_share(size));
  }
  if (order.changed) {
    note_plan("delayed-pivots", fmt::format("{} weak pivots come later", order.weak));
  } else if (!exchanged) {
    note_plan("diagonal-block", "pivots had not come from other rows");
  } else {
    if (order.exhausted && plans_.weak_share == largest_share) warn_of_singularity(order.weak);
    return nullptr;
  }
  const auto columns = products_.matrix->cols.old_of_new();
  for (Index& label : order.label) label = columns[at(label)];
  return with_order(a, Permutation::from_old_of_new(std::move(order.label)));
}

// Pivots that were delayed are counted by A's columns, since B's labels change with every plan.
DelayedOrder PipelineRun::delay_pivots(const PivotDelay& delay, const Product& symbolic,
                                       std::span<const double> size) {
  const PermutedMatrix& b = *products_.matrix;
  const auto columns = b.cols.old_of_new();
  plans_.times_delayed.resize(columns.size());
  std::vector<std::uint8_t> times(columns.size());
  for (std::size_t k = 0; k < times.size(); ++k) times[k] = plans_.times_delayed[at(columns[k])];
  DelayedOrder order = delay.delay(symbolic, size, plans_.weak_share * b.scaled_norm, times);
  for (std::size_t k = 0; k < times.size(); ++k) plans_.times_delayed[at(columns[k])] = times[k];
  return order;
}

// Whether the share of weak pivots is another one than before.
bool PipelineRun::raise_share(std::span<const double> size) {
  const double before = plans_.weak_share, norm = products_.matrix->scaled_norm;
  const double least = shares_above_replaced * options_.pivot_threshold;
  double share = before == 0 ? first_share : std::min(before * share_step, largest_share);
  while (share > least &&
         count_weak(size, share * norm) > static_cast<Index>(size.size()) / few_of) {
    share /= share_step;
  }
  plans_.weak_share = std::max(share, least);
  return plans_.weak_share > before;
}

void PipelineRun::warn_of_singularity(Index weak) {
  notes_.warnings.push_back(
      {"weak_pivots_last",
       fmt::format("{} pivots are tiny however late they come: the matrix is singular to working "
                   "precision, of rank {} or so",
                   weak, products_.matrix->pattern.n_rows - weak)});
}

// B with A's columns in this order, rows and scalings with them.
std::shared_ptr<PermutedMatrix> PipelineRun::with_order(const CsrMatrix& a, Permutation columns) {
  const auto phase = phases_.host_scope("order");
  const Matching matching = matching_of(*products_.matrix);
  Ordering ordering{.perm = std::move(columns)};
  if (tail_->postorder) {
    const auto step = phases_.scope("postorder");
    ordering = compose_postorder(permuted_rows(a, matching.rows), ordering, options_.threads);
  }
  const auto step = phases_.scope("permute");
  return build_permuted_matrix(a, matching, std::move(ordering));
}

Offset PipelineRun::delayed_pivots() const {
  return static_cast<Offset>(plans_.times_delayed.size()) -
         std::ranges::count(plans_.times_delayed, std::uint8_t{0});
}

// The weakest pivots by their rows and columns in the file, smallest first; for a run that failed.
std::vector<SuspectPivot> PipelineRun::suspect_pivots() const {
  const PivotDelay* const delay = catalogue_.find_pivot_delay(products_.factors->type());
  if (delay == nullptr) return {};
  const std::vector<double> size =
      delay->pivot_sizes(*host_copy(products_.symbolic), *products_.factors);
  const double norm = matrix_with_entries().scaled_norm;
  std::vector<Index> weak;
  for (std::size_t k = 0; k < size.size(); ++k) {
    if (size[k] <= largest_share * norm) {
      weak.push_back(static_cast<Index>(k));
    }
  }
  std::ranges::stable_sort(weak, {}, [&](Index k) { return size[at(k)]; });
  weak.resize(std::min(weak.size(), most_suspects));
  std::vector<SuspectPivot> suspects;
  for (const Index k : weak) {
    suspects.push_back({.row = products_.matrix->rows.old_of_new()[at(k)] + Offset{1},
                        .column = products_.matrix->cols.old_of_new()[at(k)] + Offset{1},
                        .size = size[at(k)] / norm});
  }
  return suspects;
}

}  // namespace lufact
