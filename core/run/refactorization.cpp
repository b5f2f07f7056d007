// SPDX-License-Identifier: BSD-3-Clause
// The part of PipelineRun that factors and solves with new values and the products of the last
// repetition: with a wait at the end of each phase, or with one at the end of all.
#include <algorithm>

#include "core/permute/permute.hpp"
#include "core/pipeline/counted_phases.hpp"
#include "core/run/pipeline_run.hpp"

namespace lufact {

Sample PipelineRun::run_refactorization(int number) {
  phases_.take();
  marked_.reset();
  const CsrMatrix a = refactor_matrix(system_.input.matrix, settings_.seed, number);
  RefactorArrays& arrays = refactor_arrays();
  std::ranges::copy(a.values, arrays.values.entries().begin());
  std::ranges::copy(refactor_rhs(a, system_), arrays.b.entries().begin());
  b_ = arrays.b.const_span();
  refactoring_ = possible_refactoring();
  if (refactoring_.values == Side::device) give_to_device(arrays);
  const bool one_wait = refactoring_.phases != PhaseTiming::waits;
  const auto begin = environment_.clock.now();
  one_wait ? refactor_with_one_wait(a, arrays) : refactor_with_waits(a, arrays);
  const double elapsed = seconds_since(environment_.clock, begin);
  if (refactoring_.values == Side::device) {
    products_.vectors->read(*device_arrays_->x, arrays.x.entries());
  }
  verify_solution(a, arrays.x.entries(), arrays.b.entries());
  if (!one_wait) return make_sample(number, phases_.take(), elapsed, sparse_counted_phases);
  std::vector<PhaseTime> phases;
  if (marked_) phases = marked_->times();
  add_phases(phases, phases_.take());
  return make_sample_of_marks(number, std::move(phases), elapsed, sparse_counted_phases);
}

// What is asked for, as far as the stages that were chosen can do it.
Refactoring PipelineRun::possible_refactoring() const {
  if (tail_->numeric->info().side == Side::host) return {};
  Refactoring possible = settings_.refactoring;
  const bool vectors = find_part<QueuedVectors>(products_.vectors.get()) != nullptr;
  if (!vectors || find_part<const TransferOnDevice>(&values_transfer()) == nullptr) {
    possible.values = Side::host;
  }
  if (!vectors || find_part<QueuedFactors>(products_.factors.get()) == nullptr) {
    possible.phases = PhaseTiming::waits;
  }
  return possible;
}

RefactorArrays& PipelineRun::refactor_arrays() {
  const bool on_device = tail_->numeric->info().side == Side::device;
  if (!arrays_) {
    arrays_.emplace(system_, on_device ? environment_.page_locked_memory : PageLockedMemory{});
  }
  return *arrays_;
}

// Before the clock starts. The device is idle on return.
void PipelineRun::give_to_device(RefactorArrays& arrays) {
  VectorBackend& vectors = *products_.vectors;
  if (!device_arrays_) {
    const Index n = products_.matrix->pattern.n_rows;
    const auto entries = checked_index(static_cast<Offset>(arrays.values.size()),
                                       "the entries of a matrix on the device");
    device_arrays_ = {vectors.make(entries, 1), vectors.make(n, system_.rhs),
                      vectors.make(n, system_.rhs)};
  }
  vectors.write(arrays.values.const_span(), *device_arrays_->values);
  vectors.write(arrays.b.const_span(), *device_arrays_->b);
  environment_.probe->synchronize();
}

void PipelineRun::refactor_with_waits(const CsrMatrix& a, RefactorArrays& arrays) {
  const bool on_device = tail_->numeric->info().side == Side::device;
  if (on_device) {
    // Nothing waits before the end of the phase. A copy, then kernels: engines change once.
    const auto phase = phases_.scope("transfer");
    bring_values(arrays);
    bring_rhs(arrays);
  } else {
    write_rhs(b_);
  }
  {
    const auto phase = stage_phase("numeric", tail_->numeric->info().side);
    if (!on_device) replace_values(*products_.matrix, arrays.values.entries());
    StageContext stage_context = context();
    products_.factors->refactor(products_.placed_matrix, stage_context);
  }
  solve(a);
  if (refactoring_.values == Side::device) {
    const auto phase = phases_.scope("transfer");
    hand_over_solution(arrays);
  } else {
    bring_solution(arrays.x.span());
  }
}

// All work of a solution that needs no refinement is on the device before the host waits; whether
// it does is known then.
void PipelineRun::refactor_with_one_wait(const CsrMatrix& a, RefactorArrays& arrays) {
  if (refactoring_.phases == PhaseTiming::events) {
    queue_phases(arrays);
  } else {
    queue_all(arrays);
  }
  environment_.probe->synchronize();
  StageContext stage_context = context();
  find_part<QueuedFactors>(products_.factors.get())->finish_refactor(stage_context);
  improve_solution(a, arrays, queued_vectors().queued_residual());
}

void PipelineRun::queue_phases(RefactorArrays& arrays) {
  MarkedPhases& marked = marked_.emplace(*environment_.probe);
  StageContext stage_context = context();
  marked.begin("transfer");
  bring_values(arrays);
  bring_rhs(arrays);
  marked.begin("numeric");
  find_part<QueuedFactors>(products_.factors.get())
      ->queue_refactor(products_.placed_matrix, stage_context);
  marked.begin("solve");
  apply_factors(solve_problem(), *products_.b, *products_.x);
  queue_residual();
  marked.begin("transfer");
  hand_over_solution(arrays);
  marked.end();
}

void PipelineRun::queue_all(RefactorArrays& arrays) {
  StageContext stage_context = context();
  bring_values(arrays);
  bring_rhs(arrays);
  auto& factors = *find_part<QueuedFactors>(products_.factors.get());
  if (system_.transposed) {
    factors.queue_refactor(products_.placed_matrix, stage_context);
    apply_factors(solve_problem(), *products_.b, *products_.x);
  } else {
    factors.queue_refactor_and_apply(products_.placed_matrix, *products_.vectors, *products_.b,
                                     *products_.x, tail_->solve, stage_context);
  }
  queue_residual();
  hand_over_solution(arrays);
}

void PipelineRun::queue_residual() {
  const auto queue = system_.transposed ? &QueuedVectors::queue_residual_transposed
                                        : &QueuedVectors::queue_residual;
  (queued_vectors().*queue)(*products_.placed_matrix, system_.matrix_norm, *products_.x,
                            *products_.b, *products_.residual);
}

// Refines, or plans again, where the solution that was handed over is not accurate.
void PipelineRun::improve_solution(const CsrMatrix& a, RefactorArrays& arrays, double error) {
  const SolveProblem problem = solve_problem();
  if (is_accurate(problem, error) && error <= settings_.threshold) {
    solve_report_ = refine_further(problem, *products_.b, *products_.x, *products_.residual, error);
    return;
  }
  bool found = refine_from(error);
  while (!found && plan_again(a)) found = refine();
  if (!found) finish_solution();
  const auto phase = phases_.scope("transfer");
  hand_over_solution(arrays);
}

const Transfer& PipelineRun::values_transfer() const {
  return *catalogue_.find_transfer(products_.matrix->type(), Side::host, Side::device);
}

QueuedVectors& PipelineRun::queued_vectors() const {
  return *find_part<QueuedVectors>(products_.vectors.get());
}

// Places new values on the device alone. The host's matrix keeps the old ones, unread from here on.
void PipelineRun::bring_values(RefactorArrays& arrays) {
  StageContext stage_context = context();
  const Transfer& transfer = values_transfer();
  products_.placed_matrix =
      refactoring_.values == Side::device
          ? find_part<const TransferOnDevice>(&transfer)->run_with_values_there(
                *products_.matrix, *device_arrays_->values, *products_.placed_matrix, stage_context)
          : transfer.run_with_new_values(*products_.matrix, arrays.values.const_span(),
                                         *products_.placed_matrix, stage_context);
}

void PipelineRun::bring_rhs(RefactorArrays& arrays) {
  if (refactoring_.values == Side::device) {
    queued_vectors().write_from(*device_arrays_->b, *products_.rhs_labels, *products_.b);
  } else {
    write_rhs(arrays.b.const_span());
  }
}

void PipelineRun::hand_over_solution(RefactorArrays& arrays) {
  if (refactoring_.values == Side::device) {
    queued_vectors().read_to(*products_.x, *products_.solution_labels, *device_arrays_->x);
  } else {
    read_solution(arrays.x.span());
  }
}

}  // namespace lufact
