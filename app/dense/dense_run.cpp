// SPDX-License-Identifier: BSD-3-Clause
#include "app/dense/dense_run.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "core/matrix/parallel.hpp"
#include "core/report/workload_facts.hpp"
#include "core/run/repetition.hpp"
#include "core/verify/validate_batch.hpp"

namespace lufact {
namespace {

std::string complaints_of(const DenseCheck& check, double threshold) {
  std::string text;
  const auto add = [&](bool wrong, const std::string& words) {
    if (wrong) text += (text.empty() ? "" : "; ") + words;
  };
  add(check.judged_error && !(check.error <= threshold),
      fmt::format("the error {:.2e} is above the threshold {:.1e}{}", check.error, threshold,
                  check.growth ? fmt::format(", growth {:.2e}", *check.growth) : ""));
  add(check.pivots && check.pivots->different > 0,
      fmt::format("{} wrong pivots", check.pivots ? check.pivots->different : 0));
  add(check.wrong_info, "info is not what U says");
  add(check.wrong_not_nan, "singular, and yet a solution that is not all NaN");
  add(check.nonfinite, "the input has NaN or Inf: nothing was judged");
  return text;
}

}  // namespace

DenseRun::DenseRun(DenseRunSettings settings, std::unique_ptr<ArrayRun<DenseArrays>> run,
                   const Clock& clock, DeviceProbe* probe)
    : settings_(std::move(settings)),
      run_(std::move(run)),
      clock_(clock),
      probe_(probe),
      phases_(clock, probe) {}

Sample DenseRun::run_repetition(int repetition) {
  run_->restore();
  const auto begin = clock_.now();
  const auto copy = [&](auto step) {
    if (!run_->copies()) return;
    const auto phase = phases_.scope("transfer");
    (*run_.*step)();
  };
  copy(&ArrayRun<DenseArrays>::upload);
  {
    const char* name = settings_.config.solves() ? "solve" : "numeric";
    const auto phase = probe_ != nullptr ? phases_.scope(name) : phases_.host_scope(name);
    run_->run();
  }
  copy(&ArrayRun<DenseArrays>::download);
  return make_sample(repetition, phases_.take(), seconds_since(clock_, begin),
                     dense_facts().counted_phases);
}

Sample DenseRun::run_refactorization(int) {
  throw std::logic_error("a dense matrix is not refactored");
}

void DenseRun::describe(RunRecord& record) const {
  describe_kernels(record.dense.value());
  FactorsRecord& factors = record.factors.emplace();
  factors.values_sha256 = arrays().values_sha256();
  if (settings_.gives_pivots && run_->problem().pivoting == ArrayPivoting::partial) {
    factors.pivots_sha256 = arrays().pivots_sha256();
  }
  verify(record);
  if (settings_.config.record_profile) profile(record.dense.value());
}

void DenseRun::describe_kernels(DenseRecord& dense) const {
  const ArrayLaunchFacts launch = run_->launch();
  dense.block = launch.block;
  dense.depth = launch.depth;
  dense.blocks = launch.blocks;
  dense.threads_per_block = launch.threads_per_block;
  dense.product = launch.product;
  dense.launches = launch.launches;
  dense.grid_barriers = launch.grid_barriers;
  dense.settings = launch.settings;
  dense.refinement = run_->refinement();
  dense.info = arrays().info();
}

void DenseRun::verify(RunRecord& record) const {
  const DenseConfig& config = settings_.config;
  if (config.verify == VerifyLevel::none) {
    return mark_unverified(record, "no result was checked; leave --verify at residual");
  }
  const ArrayProblem& problem = run_->problem();
  const double threshold = config.threshold.value_or(
      batch_threshold(problem.operation, problem.precision, problem.columns));
  const bool has_pivots = settings_.gives_pivots && problem.pivoting == ArrayPivoting::partial;
  DenseCheckRequest request{.own_result = !settings_.is_peer,
                            .has_pivots = has_pivots,
                            .seed = config.seed,
                            .threads = thread_count(config.threads)};
  if (config.verify == VerifyLevel::full) request.largest_whole = largest_dense_order;
  const DenseCheck check = run_->arrays().check(request);
  VerificationRecord& verification = record.verification.emplace();
  verification.method = check.method;
  verification.threshold = threshold;
  if (check.judged_error) verification.backward_error = check.error;
  verification.pivots = check.pivots;
  verification.message = complaints_of(check, threshold);
  verification.passed = verification.message.empty();
  record.dense->nonfinite = check.nonfinite;
  record.dense->growth = check.growth;
}

// After the last repetition, whose result it repeats.
void DenseRun::profile(DenseRecord& dense) const {
  PhaseRecorder phases(clock_, probe_);
  run_->profile(phases);
  for (const PhaseTime& phase : phases.take()) {
    dense.profile[phase.name] = phase.gpu_s.value_or(phase.wall_s);
  }
}

}  // namespace lufact
