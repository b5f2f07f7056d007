// SPDX-License-Identifier: BSD-3-Clause
#include "app/batch/batch_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "core/base/sha256.hpp"
#include "core/report/workload_facts.hpp"
#include "core/run/repetition.hpp"
#include "core/verify/validate_batch.hpp"

namespace lufact {
namespace {

std::string_view method_of(ArrayOperation operation) {
  switch (operation) {
    case ArrayOperation::lu:
      return "||PA - LU|| / (n ||A||)";
    case ArrayOperation::inverse:
      return "||AX - I|| / (n ||A|| ||X||)";
    case ArrayOperation::solve:
      return "||b - Ax|| / (||A|| ||x|| + ||b||)";
  }
  return "";
}

// That of the only group, or of those of all groups.
std::string joined_hash(const std::vector<std::string>& hashes) {
  if (hashes.size() == 1) return hashes.front();
  std::string all;
  for (const std::string& hash : hashes) all += hash;
  return sha256_of_text(all);
}

// "3 matrices have another info than their U says"; empty for none.
std::string complaint(Offset matrices, std::string_view what) {
  if (matrices == 0) return "";
  return fmt::format("{} {} {}", matrices, matrices == 1 ? "matrix has" : "matrices have", what);
}

// The largest error in units of the threshold, and where it is.
struct WorstMatrix {
  double error = 0, threshold = 0;
  Offset matrix = 0;

  double ratio() const { return error == 0 ? 0 : error / threshold; }
  bool passes() const { return error <= threshold; }
};

bool nothing_is_finite(const BatchCheck& check) {
  return check.checked > 0 && check.info.nonfinite == check.checked;
}

void warn_of_nonfinite(const BatchCheck& check, RunRecord& record) {
  if (check.info.nonfinite == 0 || nothing_is_finite(check)) return;
  record.warnings.push_back(
      {"nonfinite_input", fmt::format("{} of {} matrices or right-hand sides have NaN or Inf; "
                                      "their results were not judged",
                                      check.info.nonfinite, check.checked)});
}

std::string complaints_of(const BatchCheck& check, const WorstMatrix& worst) {
  std::string text;
  for (const std::string& part :
       {worst.passes() ? std::string()
                       : fmt::format("matrix {} has the error {:.2e}, above the threshold {:.1e}",
                                     worst.matrix, worst.error, worst.threshold),
        complaint(check.pivots.different, "wrong pivots"),
        complaint(check.wrong_info, "a wrong info"),
        complaint(check.wrong_not_nan, "no inverse, and yet a result that is not all NaN"),
        std::string(nothing_is_finite(check) ? "all have NaN or Inf: nothing was judged" : "")}) {
    if (part.empty()) continue;
    text += (text.empty() ? "" : "; ") + part;
  }
  return text;
}

}  // namespace

BatchRun::BatchRun(BatchRunSettings settings, std::vector<std::unique_ptr<GroupRun>> groups,
                   const Clock& clock, DeviceProbe* probe)
    : settings_(std::move(settings)),
      groups_(std::move(groups)),
      clock_(clock),
      phases_(clock, probe),
      on_device_(probe != nullptr) {}

Sample BatchRun::run_repetition(int repetition) {
  for (const auto& group : groups_) group->restore();
  const bool streamed = groups_.front()->streams();
  const bool solves = settings_.config.operation == ArrayOperation::solve && !streamed;
  const auto begin = clock_.now();
  copy(&GroupRun::upload);
  {
    const char* name = solves ? "solve" : "numeric";
    const auto phase = on_device_ ? phases_.scope(name) : phases_.host_scope(name);
    for (const auto& group : groups_) group->run();
  }
  copy(&GroupRun::download);
  return make_sample(repetition, phases_.take(), seconds_since(clock_, begin),
                     batch_facts().counted_phases);
}

void BatchRun::copy(void (GroupRun::*step)()) {
  if (!groups_.front()->copies()) return;
  const auto phase = phases_.scope("transfer");
  for (const auto& group : groups_) (*group.*step)();
}

Sample BatchRun::run_refactorization(int) {
  throw std::logic_error("a batch is not refactored");
}

void BatchRun::describe(RunRecord& record) const {
  describe_kernels(record);
  describe_results(record);
  verify(record);
}

void BatchRun::describe_kernels(RunRecord& record) const {
  const ArrayLaunchFacts launch = groups_.front()->launch();
  BatchRecord& batch = record.batch.value();
  batch.swap = launch.swap;
  batch.matrices_per_block = launch.matrices_per_block;
  batch.lanes = launch.lanes;
  batch.rows_per_lane = launch.rows_per_lane;
  batch.registers = launch.registers;
  batch.shared_bytes = launch.shared_bytes;
  batch.resident_warps = launch.resident_warps;
  batch.settings = launch.settings;
  for (const auto& group : groups_) {
    const std::optional<StreamingRecord> streaming = group->streaming();
    if (!streaming) continue;
    if (!batch.streaming) batch.streaming.emplace();
    batch.streaming->chunks += streaming->chunks;
    batch.streaming->chunk_matrices =
        std::max(batch.streaming->chunk_matrices, streaming->chunk_matrices);
    batch.streaming->upload_busy_s += streaming->upload_busy_s;
    batch.streaming->compute_busy_s += streaming->compute_busy_s;
    batch.streaming->download_busy_s += streaming->download_busy_s;
  }
}

void BatchRun::describe_results(RunRecord& record) const {
  std::vector<std::string> values, pivots;
  for (const auto& group : groups_) {
    values.push_back(group->arrays().values_sha256());
    if (settings_.gives_pivots) pivots.push_back(group->arrays().pivots_sha256());
  }
  FactorsRecord& factors = record.factors.emplace();
  factors.values_sha256 = joined_hash(values);
  if (settings_.gives_pivots) factors.pivots_sha256 = joined_hash(pivots);
}

void BatchRun::verify(RunRecord& record) const {
  if (settings_.config.verify == VerifyLevel::none) {
    return mark_unverified(record, "no result was checked; leave --verify at residual");
  }
  VerificationRecord& verification = record.verification.emplace();
  if (settings_.only_copies) return verify_copies(verification);
  verify_results(record, verification);
}

// Nothing is computed: what is there is what was there.
void BatchRun::verify_copies(VerificationRecord& verification) const {
  verification.method = "copied";
  const bool copied =
      std::ranges::all_of(groups_, [](const auto& group) { return group->holds_input(); });
  verification.threshold = 0;
  verification.passed = copied;
  if (copied) {
    verification.backward_error = 0;
  } else {
    verification.message = "the copies differ from the matrices";
  }
}

void BatchRun::verify_results(RunRecord& record, VerificationRecord& verification) const {
  BatchCheck all;
  std::optional<WorstMatrix> worst;
  for (const auto& group : groups_) {
    const BatchCheck check = check_group(*group);
    const WorstMatrix found{check.worst_error, threshold_of(group->problem()),
                            all.checked + check.worst_matrix};
    if (!worst || !(found.ratio() <= worst->ratio())) worst = found;
    add_check(all, check);
  }
  verification.method = method_of(settings_.config.operation);
  verification.backward_error = worst->error;
  verification.threshold = worst->threshold;
  verification.worst_matrix = worst->matrix;
  verification.matrices_checked = all.checked;
  if (settings_.gives_pivots) verification.pivots = all.pivots;
  verification.message = complaints_of(all, *worst);
  verification.passed = verification.message.empty();
  record.batch->info = all.info;
  warn_of_nonfinite(all, record);
}

BatchCheck BatchRun::check_group(GroupRun& group) const {
  BatchCheckRequest request;
  request.own_result = !settings_.is_peer;
  request.has_pivots = settings_.gives_pivots;
  if (settings_.config.verify == VerifyLevel::full) request.host_sample = group.problem().count;
  return group.arrays().check(request);
}

double BatchRun::threshold_of(const ArrayProblem& problem) const {
  return settings_.config.threshold.value_or(
      batch_threshold(problem.operation, problem.precision, problem.order()));
}

void BatchRun::release() {
  for (const auto& group : groups_) group->release();
}

}  // namespace lufact
