// SPDX-License-Identifier: BSD-3-Clause
#include "core/run/pipeline_run.hpp"

#include <algorithm>
#include <optional>

#include "core/order/graph/elimination_tree.hpp"
#include "core/permute/permute.hpp"

namespace lufact {
namespace {

constexpr double refined_to = 0.1;  // of the threshold

bool host_may_factor(const Chain& chain) {
  const auto on_host = [](const BackEnd& back_end) {
    return back_end.numeric->info().side == Side::host;
  };
  return on_host(chain.back_end) || std::ranges::any_of(chain.back_ends, on_host);
}

}  // namespace

PipelineRun::PipelineRun(const Catalogue& catalogue, const Chain& chain, const LinearSystem& system,
                         const RunSettings& settings, const RunEnvironment& environment)
    : catalogue_(catalogue),
      planned_(chain),
      chain_(&chain),
      symbolic_(chain.symbolic),
      back_end_(chain.back_end),
      system_(system),
      settings_(settings),
      environment_(environment),
      phases_(environment.clock, environment.probe) {}

PipelineRun::~PipelineRun() = default;

Sample PipelineRun::run_repetition(int repetition) {
  release();
  go_on_with(planned_);
  notes_ = {};
  phases_.take();
  const auto begin = environment_.clock.now();
  preprocess();
  upload_inputs();
  factorize();
  if (settings_.until == Until::solve) {
    x_.resize(system_.b.size());
    solve(x_);
  }
  const double elapsed = seconds_since(environment_.clock, begin);
  if (settings_.until == Until::solve) verify_solution(system_.input.matrix, x_, system_.b);
  return make_sample(repetition, phases_.take(), elapsed);
}

void PipelineRun::preprocess() {
  const CsrMatrix& a = system_.input.matrix;
  Matching matching;
  {
    const auto phase = phases_.host_scope("scale");
    StageContext stage_context = context();
    matching = chain_->scaling->run(a, stage_context);
  }
  const auto phase = stage_phase("order", chain_->ordering->info().side);
  StageContext stage_context = context();
  std::optional<CsrPattern> moved;
  const CsrPattern& pa =
      matching.rows.is_identity() ? a.pattern : moved.emplace(permuted_rows(a, matching.rows));
  Ordering ordering = chain_->ordering->run(pa, stage_context);
  choose_family(ordering, stage_context);
  if (chain_->postorder && !ordering.postordered) {
    const auto step = phases_.scope("postorder");
    ordering = compose_postorder(pa, ordering, settings_.options.threads);
  }
  const auto step = phases_.scope("permute");
  products_.matrix = build_permuted_matrix(a, matching, ordering);
}

void PipelineRun::choose_family(const Ordering& ordering, StageContext& stage_context) {
  if (planned_.family_selector == nullptr || !ordering.most_nnz_l) return;
  const auto numeric_of = [](const Chain& chain) {
    return chain.record(Until::numeric, Precision::float64).numeric.value_or("");
  };
  const FamilyQuestion question{
      .planned = numeric_of(planned_),
      .other = numeric_of(*planned_.other_family),
      .most_entries = 2 * *ordering.most_nnz_l - system_.input.matrix.pattern.n_rows,
      .rhs = system_.rhs};
  if (planned_.family_selector->takes_other(question, stage_context)) {
    go_on_with(*planned_.other_family);
  }
}

void PipelineRun::go_on_with(const Chain& chain) {
  chain_ = &chain;
  symbolic_ = chain.symbolic;
  back_end_ = chain.back_end;
}

// One upload of everything that comes from the host: the matrix and the right-hand sides, which
// wait where it is not known yet who solves.
void PipelineRun::upload_inputs() {
  if (settings_.until == Until::order) return;
  choose_symbolic();
  products_.placed_matrix = placed(products_.matrix, symbolic_->info().side);
  if (chain_->selector == nullptr) upload_vectors();
}

void PipelineRun::upload_vectors() {
  if (settings_.until != Until::solve || back_end_.numeric->info().side != Side::device) return;
  const auto phase = phases_.scope("transfer");
  make_vectors();
}

void PipelineRun::choose_symbolic() {
  if (chain_->symbolic_selector == nullptr) return;
  std::optional<std::uint64_t> room;
  if (environment_.device_room) room = environment_.device_room();
  StageContext stage_context = context();
  const std::size_t chosen =
      chain_->symbolic_selector->choose(*products_.matrix, chain_->symbolics, room, stage_context);
  symbolic_ = chain_->symbolics.at(chosen);
}

void PipelineRun::choose_back_end() {
  if (chain_->selector == nullptr) return;
  const ProductPtr symbolic = symbolic_on(chain_->selector->info().side);
  {
    const auto phase = phases_.host_scope("levelize");
    const auto step = phases_.scope("choose");
    StageContext stage_context = context();
    const std::size_t chosen =
        chain_->selector->choose(*symbolic, chain_->back_ends, stage_context);
    back_end_ = chain_->back_ends.at(chosen);
  }
  upload_vectors();
}

void PipelineRun::make_vectors() {
  products_.vectors = environment_.make_vectors(back_end_.numeric->info().side);
  products_.row_labels = products_.vectors->keep_labels(products_.matrix->rows.old_of_new());
  products_.col_labels = products_.vectors->keep_labels(products_.matrix->cols.old_of_new());
  products_.b = products_.vectors->make(products_.matrix->pattern.n_rows, system_.rhs);
  products_.x = products_.vectors->make(products_.matrix->pattern.n_rows, system_.rhs);
  write_rhs(system_.b);
}

void PipelineRun::factorize() {
  if (settings_.until >= Until::symbolic) {
    const auto phase = stage_phase("symbolic", symbolic_->info().side);
    StageContext stage_context = context();
    products_.symbolic = symbolic_->run(products_.placed_matrix, stage_context);
  }
  if (settings_.until >= Until::levelize) {
    choose_back_end();
    const ProductPtr pattern = symbolic_on(back_end_.levelize->info().side);
    const auto phase = stage_phase("levelize", back_end_.levelize->info().side);
    StageContext stage_context = context();
    products_.schedule = back_end_.levelize->run(pattern, stage_context);
  }
  if (settings_.until >= Until::numeric) {
    const Side side = back_end_.numeric->info().side;
    const ProductPtr matrix =
        side == Side::host ? products_.matrix : placed(products_.placed_matrix, side);
    const ProductPtr pattern = symbolic_on(side);
    const ProductPtr schedule = placed(products_.schedule, side);
    products_.placed_matrix = matrix;
    const auto phase = stage_phase("numeric", back_end_.numeric->info().side);
    StageContext stage_context = context();
    products_.factors = back_end_.numeric->run(matrix, pattern, schedule, stage_context);
  }
}

void PipelineRun::solve(HostSpan<double> x) {
  {
    const auto phase = stage_phase("solve", back_end_.numeric->info().side);
    if (products_.vectors == nullptr) make_vectors();
    const SolveProblem problem{*products_.factors,       back_end_.solve,
                               *products_.placed_matrix, *products_.vectors,
                               system_.matrix_norm,      refined_to * settings_.threshold};
    solve_report_ = solve_refined(problem, *products_.b, *products_.x, products_.residual);
  }
  if (products_.vectors->side() == Side::device) {
    const auto phase = phases_.scope("transfer");
    read_solution(x);
  } else {
    read_solution(x);
  }
}

void PipelineRun::verify_solution(const CsrMatrix& a, std::span<const double> x,
                                  std::span<const double> b) {
  if (settings_.verify == VerifyLevel::none) return;
  const auto phase = phases_.host_scope("verify");
  VerificationRecord record = judge_solution(a, x, b, system_, settings_.threshold);
  record.method = solve_report_->method;
  record.backward_error_before_refinement = solve_report_->backward_error_before_refinement;
  record.refinement_steps = solve_report_->refinement_steps;
  keep_worse(verification_, record);
}

Sample PipelineRun::run_refactorization(int repetition) {
  phases_.take();
  const CsrMatrix a = refactor_matrix(system_.input.matrix, settings_.seed, repetition);
  const bool on_device = back_end_.numeric->info().side == Side::device;
  RefactorArrays& arrays = refactor_arrays();
  std::ranges::copy(a.values, arrays.values.entries().begin());
  std::ranges::copy(refactor_rhs(a, system_), arrays.b.entries().begin());
  const auto begin = environment_.clock.now();
  if (on_device) {
    // Nothing waits before the end of the phase. A copy, then kernels: engines change once.
    const auto phase = phases_.scope("transfer");
    renew_device_matrix(arrays.values.const_span());
    write_rhs(arrays.b.const_span());
  } else {
    write_rhs(arrays.b.const_span());
  }
  {
    const auto phase = stage_phase("numeric", back_end_.numeric->info().side);
    if (!on_device) replace_values(*products_.matrix, arrays.values.entries());
    StageContext stage_context = context();
    products_.factors->refactor(products_.placed_matrix, stage_context);
  }
  solve(arrays.x.span());
  const double elapsed = seconds_since(environment_.clock, begin);
  verify_solution(a, arrays.x.entries(), arrays.b.entries());
  return make_sample(repetition, phases_.take(), elapsed);
}

RefactorArrays& PipelineRun::refactor_arrays() {
  const bool on_device = back_end_.numeric->info().side == Side::device;
  if (!arrays_) {
    arrays_.emplace(system_, on_device ? environment_.page_locked_memory : PageLockedMemory{});
  }
  return *arrays_;
}

PhaseRecorder::Scope PipelineRun::stage_phase(std::string_view name, Side side) {
  return side == Side::device ? phases_.scope(name) : phases_.host_scope(name);
}

void PipelineRun::release() {
  products_ = {};
  arrays_.reset();
}

StageContext PipelineRun::context() {
  return {phases_,
          settings_.options,
          notes_,
          environment_.progress,
          environment_.device,
          [this](Offset nnz_lu) { check_resident(nnz_lu); },
          host_may_factor(*chain_)};
}

// Moves a product to `side` in a transfer phase of its own, if it is not there.
ProductPtr PipelineRun::placed(const ProductPtr& product, Side side) {
  if (product->side() == side) return product;
  const Transfer* transfer = catalogue_.find_transfer(product->type(), product->side(), side);
  const auto phase = phases_.scope("transfer");
  StageContext stage_context = context();
  return transfer->run(product, stage_context);
}

// A symbolic product of the device comes to the host once, whoever wants it there.
ProductPtr PipelineRun::symbolic_on(Side side) {
  if (side == products_.symbolic->side() || side == Side::device) {
    return placed(products_.symbolic, side);
  }
  if (!products_.host_symbolic) products_.host_symbolic = placed(products_.symbolic, side);
  return products_.host_symbolic;
}

// Places new values on the device alone. The host's matrix keeps the old ones, unread from here on.
void PipelineRun::renew_device_matrix(HostSpan<const double> values_of_a) {
  const Transfer* transfer =
      catalogue_.find_transfer(products_.matrix->type(), Side::host, Side::device);
  StageContext stage_context = context();
  products_.placed_matrix = transfer->run_with_new_values(*products_.matrix, values_of_a,
                                                          *products_.placed_matrix, stage_context);
}

void PipelineRun::write_rhs(HostSpan<const double> b) {
  products_.vectors->write(b, products_.row_labels.get(), *products_.b);
}

void PipelineRun::read_solution(HostSpan<double> x) {
  products_.vectors->read(*products_.x, products_.col_labels.get(), x);
}

void PipelineRun::check_resident(Offset nnz_lu) const {
  if (environment_.device == nullptr || settings_.until < Until::numeric) return;
  if (back_end_.numeric->info().side != Side::device || !environment_.require_resident) return;
  const std::uint64_t to_come = back_end_.numeric->resident_bytes(
      products_.matrix->pattern.n_rows, products_.matrix->pattern.nnz(), nnz_lu, system_.rhs,
      settings_.options.precision);
  // The columns of the pattern, which the symbolic stage is about to allocate.
  const bool on_device = symbolic_->info().side == Side::device;
  const std::uint64_t columns = on_device ? checked_bytes(nnz_lu, sizeof(Index)) : 0;
  environment_.require_resident(to_come + columns);
}

}  // namespace lufact
