// SPDX-License-Identifier: BSD-3-Clause
#include "core/run/pipeline_run.hpp"

#include <optional>

#include "core/base/error.hpp"
#include "core/permute/permute.hpp"
#include "core/pipeline/counted_phases.hpp"
#include "core/run/preprocess.hpp"

namespace lufact {
namespace {

constexpr double refined_to = 0.1;  // of the threshold

// Of L + U, diagonal once, where the ordering counted L.
std::optional<double> most_entries(const Ordering& ordering, Index n) {
  if (!ordering.most_nnz_l) return std::nullopt;
  return 2 * *ordering.most_nnz_l - n;
}

}  // namespace

PipelineRun::PipelineRun(const Catalogue& catalogue, const Chain& chain, const LinearSystem& system,
                         const RunSettings& settings, const RunEnvironment& environment)
    : catalogue_(catalogue),
      chain_(chain),
      tail_(&chain.tail),
      system_(system),
      settings_(settings),
      environment_(environment),
      phases_(environment.clock, environment.probe),
      b_(system.b) {}

PipelineRun::~PipelineRun() = default;

void PipelineRun::begin_repetition() {
  release();
  tail_ = &chain_.tail;
  options_ = settings_.options;
  options_.rhs = system_.rhs;
  options_.transposed = system_.transposed;
  plans_ = {};
  b_ = system_.b;
  notes_ = {};
  phases_.take();
}

Sample PipelineRun::run_repetition(int repetition) {
  begin_repetition();
  const auto begin = environment_.clock.now();
  preprocess();
  upload_inputs();
  analyse();
  factorize();
  if (settings_.until == Until::solve) {
    x_.resize(system_.b.size());
    solve(system_.input.matrix);
    bring_solution(x_);
  }
  const double elapsed = seconds_since(environment_.clock, begin);
  if (settings_.until == Until::solve) verify_solution(system_.input.matrix, x_, system_.b);
  return make_sample(repetition, phases_.take(), elapsed, sparse_counted_phases);
}

Sample PipelineRun::run_analysis(int repetition, const Continuation& rest) {
  begin_repetition();
  many_systems_ = true;
  const auto begin = environment_.clock.now();
  preprocess();
  products_.placed_matrix = placed(products_.matrix, tail_->symbolic->info().side);
  analyse();
  const Side side = tail_->numeric->info().side;
  products_.placed_matrix =
      side == Side::host ? products_.matrix : placed(products_.placed_matrix, side);
  analysed_ = {products_.matrix,
               products_.placed_matrix,
               symbolic_on(side),
               placed(products_.schedule, side),
               tail_->numeric->info().name,
               tail_->solve};
  return continue_with(rest, repetition, begin);
}

Sample PipelineRun::run_with_analysis(int number, const Continuation& rest) {
  phases_.take();
  return continue_with(rest, number, environment_.clock.now());
}

Sample PipelineRun::continue_with(const Continuation& rest, int number,
                                  std::chrono::nanoseconds begin) {
  StageContext stage_context = context();
  rest.run(analysed_.value(), stage_context);
  const double elapsed = seconds_since(environment_.clock, begin);
  rest.verify(phases_);
  return make_sample(number, phases_.take(), elapsed, sparse_counted_phases);
}

void PipelineRun::preprocess() {
  start_ahead();
  const PreprocessSteps steps{
      .scaling = *chain_.scaling,
      .ordering = *chain_.ordering,
      .wants_postorder =
          [this](const Ordering& ordering, StageContext&) {
            go_on(product_types::ordering, nullptr,
                  most_entries(ordering, system_.input.matrix.pattern.n_rows));
            return tail_->postorder;
          },
      .wants_entries = [this](const PermutedMatrix&) { return places_entries(); }};
  StageContext stage_context = context();
  products_.matrix = lufact::preprocess(system_.input.matrix, steps, stage_context);
  if (products_.matrix->unplaced == nullptr) ahead_.reset();
}

// Takes what selectors choose who wait for a product of this type. A run that ends with its
// ordering takes the family alone, by which it is ordered.
void PipelineRun::go_on(ProductType type, const Product* product,
                        std::optional<double> most_entries) {
  while (tail_->selector != nullptr && tail_->selector->info().takes.front() == type) {
    if (settings_.until == Until::order && tail_->selector->decides() != "family") return;
    Known known{.options = options_,
                .n = system_.input.matrix.pattern.n_rows,
                .rhs = system_.rhs,
                .nnz = system_.input.matrix.pattern.nnz(),
                .most_entries = most_entries,
                .product = product};
    if (environment_.device_room) known.device_room = environment_.device_room();
    std::vector<OpenCandidate> open;
    for (const Tail& next : tail_->tails) open.push_back(next.chosen_as);
    tail_ = &tail_->tails.at(tail_->selector->choose(open, known, notes_));
  }
}

// One upload of everything that comes from the host: the matrix and the right-hand sides, which
// wait where it is not known yet who solves.
void PipelineRun::upload_inputs() {
  if (settings_.until == Until::order) return;
  products_.placed_matrix = placed(products_.matrix, tail_->symbolic->info().side);
  if (tail_->selector == nullptr) upload_vectors();
}

void PipelineRun::upload_vectors() {
  if (settings_.until != Until::solve || tail_->numeric->info().side != Side::device) return;
  const auto phase = phases_.scope("transfer");
  make_vectors();
}

void PipelineRun::choose_back_end() {
  if (tail_->selector == nullptr) return;
  const ProductPtr symbolic = symbolic_on(tail_->selector->info().side);
  {
    const auto phase = phases_.host_scope("levelize");
    const auto step = phases_.scope("choose");
    go_on(symbolic->type(), symbolic.get());
  }
  upload_vectors();
}

void PipelineRun::make_vectors() {
  products_.vectors = environment_.make_vectors(tail_->numeric->info().side);
  const Permutation &rows = products_.matrix->rows, &columns = products_.matrix->cols;
  products_.rhs_labels =
      products_.vectors->keep_labels((system_.transposed ? columns : rows).old_of_new());
  products_.solution_labels =
      products_.vectors->keep_labels((system_.transposed ? rows : columns).old_of_new());
  products_.b = products_.vectors->make(products_.matrix->pattern.n_rows, system_.rhs);
  products_.x = products_.vectors->make(products_.matrix->pattern.n_rows, system_.rhs);
  write_rhs(b_);
}

void PipelineRun::analyse() {
  if (settings_.until >= Until::symbolic) {
    const auto phase = stage_phase("symbolic", tail_->symbolic->info().side);
    StageContext stage_context = context();
    products_.symbolic = tail_->symbolic->run(products_.placed_matrix, stage_context);
    find_supernodes(stage_context);
  }
  if (settings_.until >= Until::levelize) {
    choose_back_end();
    const ProductPtr pattern = symbolic_on(tail_->levelize->info().side);
    const auto phase = stage_phase("levelize", tail_->levelize->info().side);
    StageContext stage_context = context();
    products_.schedule = tail_->levelize->run(pattern, stage_context);
  }
}

void PipelineRun::factorize() {
  if (settings_.until < Until::numeric) return;
  const Side side = tail_->numeric->info().side;
  if (side == Side::host) {
    ahead_.reset();
    place_entries_on_host();
  }
  const ProductPtr matrix =
      side == Side::host ? products_.matrix : placed(products_.placed_matrix, side);
  const ProductPtr pattern = symbolic_on(side);
  const ProductPtr schedule = placed(products_.schedule, side);
  products_.placed_matrix = matrix;
  const auto phase = stage_phase("numeric", tail_->numeric->info().side);
  StageContext stage_context = context();
  products_.factors = tail_->numeric->run(matrix, pattern, schedule, stage_context);
}

// Behind a symbolic stage that does not do so itself.
void PipelineRun::find_supernodes(StageContext& stage_context) {
  if (settings_.options.supernodes != SupernodeRule::t3) return;
  if (catalogue_.is_gsofa(tail_->symbolic->info().name)) return;
  if (environment_.ranks != nullptr) return;  // each looks in its own rows
  const Side side = products_.symbolic->side();
  const SupernodeFinder* finder = catalogue_.find_supernode_finder(side);
  if (finder == nullptr) {
    throw Error(Outcome::unsupported, "no_supernode_finder",
                "nothing finds supernodes in a pattern on the " + std::string(to_string(side)));
  }
  const auto step = phases_.scope("supernodes");
  products_.symbolic = finder->run(std::move(products_.symbolic), stage_context);
}

SolveProblem PipelineRun::solve_problem() {
  return {*products_.factors, tail_->solve,        *products_.placed_matrix,
          *products_.vectors, system_.matrix_norm, refined_to * settings_.threshold,
          system_.transposed};
}

void PipelineRun::solve(const CsrMatrix& a) {
  bool found = refine();
  while (!found && plan_again(a)) found = refine();
  if (!found) finish_solution();
}

void PipelineRun::bring_solution(HostSpan<double> x) {
  if (products_.vectors->side() == Side::device) {
    const auto phase = phases_.scope("transfer");
    read_solution(x);
  } else {
    read_solution(x);
  }
}

// Whether the solution is one that passes, or nothing but FGMRES, which then has been tried, is
// left to find it.
bool PipelineRun::refine() {
  const auto phase = stage_phase("solve", tail_->numeric->info().side);
  if (products_.vectors == nullptr) make_vectors();
  const SolveProblem problem = solve_problem();
  solve_report_ = refine_solution(problem, *products_.b, *products_.x, products_.residual);
  return settle(problem);
}

// The same from a solution by the factors whose residual is there.
bool PipelineRun::refine_from(double error) {
  const auto phase = stage_phase("solve", tail_->numeric->info().side);
  const SolveProblem problem = solve_problem();
  solve_report_ = refine_further(problem, *products_.b, *products_.x, *products_.residual, error);
  return settle(problem);
}

bool PipelineRun::settle(const SolveProblem& problem) {
  const bool passes = solve_report_->backward_error <= settings_.threshold;
  if (!passes && plans_.again < settings_.most_replans) return false;
  go_on_with_fgmres(problem, *products_.b, *products_.x, *products_.residual, *solve_report_);
  return true;
}

void PipelineRun::finish_solution() {
  const auto phase = stage_phase("solve", tail_->numeric->info().side);
  go_on_with_fgmres(solve_problem(), *products_.b, *products_.x, *products_.residual,
                    *solve_report_);
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

PhaseRecorder::Scope PipelineRun::stage_phase(std::string_view name, Side side) {
  return side == Side::device ? phases_.scope(name) : phases_.host_scope(name);
}

void PipelineRun::release() {
  analysed_.reset();
  device_arrays_.reset();
  ahead_.reset();
  products_ = {};
  arrays_.reset();
}

std::string PipelineRun::phase() const {
  const bool marked = marked_ && !marked_->open_phase().empty();
  return marked ? marked_->open_phase() : phases_.current_phase();
}

StageContext PipelineRun::context() {
  return {.phases = phases_,
          .options = options_,
          .notes = notes_,
          .progress = environment_.progress,
          .device = environment_.device,
          .team = environment_.team,
          .ranks = environment_.ranks,
          .check_resident = [this](Offset nnz_lu) { check_resident(nnz_lu); },
          .host_may_factor = chain_.host_may_factor(),
          .device_room = room_for_factors(),
          .entries_stay = entries_stay(),
          .blocks_apart = many_systems_,
          .ahead = ahead_.get()};
}

// Whether no stage that is to come, as far as they are known, and no validator reads the entries of
// fronts on the host.
bool PipelineRun::entries_stay() const {
  return settings_.until >= Until::numeric && settings_.verify != VerifyLevel::full &&
         !many_systems_ && tail_->numeric->info().side == Side::device;
}

// Moves a product to `side` in a transfer phase of its own, if it is not there.
ProductPtr PipelineRun::placed(const ProductPtr& product, Side side) {
  if (product->side() == side) return product;
  const Transfer* transfer = catalogue_.find_transfer(product->type(), product->side(), side);
  const auto phase = phases_.scope("transfer");
  StageContext stage_context = context();
  ProductPtr result = transfer->run(product, stage_context);
  if (product->type() == product_types::permuted_matrix) ahead_.reset();
  return result;
}

// A symbolic product of the device comes to the host once, whoever wants it there.
ProductPtr PipelineRun::symbolic_on(Side side) {
  if (side == products_.symbolic->side() || side == Side::device) {
    return placed(products_.symbolic, side);
  }
  // Again where it came without entries for a stage of the device, and one of the host was chosen.
  if (!products_.host_symbolic || (products_.entries_stayed && !entries_stay())) {
    products_.entries_stayed = entries_stay();
    products_.host_symbolic = placed(products_.symbolic, side);
  }
  return products_.host_symbolic;
}

void PipelineRun::write_rhs(HostSpan<const double> b) {
  products_.vectors->write(b, products_.rhs_labels.get(), *products_.b);
}

void PipelineRun::read_solution(HostSpan<double> x) {
  products_.vectors->read(*products_.x, products_.solution_labels.get(), x);
}

void PipelineRun::check_resident(Offset nnz_lu) const {
  if (environment_.device == nullptr || settings_.until < Until::numeric) return;
  if (tail_->numeric->info().side != Side::device || !environment_.require_resident) return;
  const std::uint64_t to_come = tail_->numeric->resident_bytes(
      products_.matrix->pattern.n_rows, products_.matrix->pattern.nnz(), nnz_lu, system_.rhs,
      settings_.options.precision);
  // The columns of the pattern, which the symbolic stage is about to allocate.
  const bool on_device = tail_->symbolic->info().side == Side::device;
  const std::uint64_t columns = on_device ? checked_bytes(nnz_lu, sizeof(Index)) : 0;
  environment_.require_resident(to_come + columns);
}

}  // namespace lufact
