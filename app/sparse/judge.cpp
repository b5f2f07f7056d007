// SPDX-License-Identifier: BSD-3-Clause
#include "app/sparse/judge.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/pipeline/schedule_safety.hpp"

namespace lufact {
namespace {

constexpr double suspicious_growth = 1e6;  // of the solution over the known one

void warn_of_near_singularity(const VerificationRecord& verification, RunRecord& record) {
  const auto& [x, x_true] = std::pair(verification.x_norm, verification.x_true_norm);
  if (!x || !x_true || !(*x > suspicious_growth * *x_true)) return;
  record.warnings.push_back({"near_singular",
                             "the solution is over 1e6 times larger than the known one: the matrix "
                             "is nearly singular, and only the backward error means anything"});
}

// Factors from an unsafe schedule may pass by luck.
void judge_schedule(RunRecord& record) {
  const auto unsafe = std::ranges::find(record.warnings, unsafe_schedule_code, &Warning::code);
  if (unsafe == record.warnings.end()) return;
  record.outcome = Outcome::inaccurate;
  record.error = ErrorRecord{unsafe->code, unsafe->message, "numeric"};
}

void judge_peer(const VerificationRecord& verification, RunRecord& record) {
  record.outcome = Outcome::inaccurate;
  record.error =
      ErrorRecord{"verification_failed",
                  fmt::format("{}, although the solver reported success; try --zero-diagonals, or "
                              "another variant of it that `lufact list` shows",
                              verification.message),
                  "verify"};
}

// " (row, column) ... of the file", or nothing.
std::string places(const std::vector<SuspectPivot>& pivots) {
  if (pivots.empty()) return {};
  std::string text = "; the weakest pivots are at (row, column)";
  for (const SuspectPivot& pivot : pivots) {
    text += fmt::format(" ({}, {})", pivot.row, pivot.column);
  }
  return text + " of the file";
}

// What may help and is not in effect already.
std::string advice(const RunRecord& record, Offset perturbed_pivots) {
  const PipelineRecord pipeline = record.pipeline.value_or(PipelineRecord{});
  std::vector<std::string> ways;
  if (pipeline.scaling == "none") ways.emplace_back("--scaling mc64");
  if (pipeline.precision == to_string(Precision::float32)) ways.emplace_back("--precision double");
  if (perturbed_pivots > 0) ways.emplace_back("another --pivot-threshold");
  ways.emplace_back("a solver that exchanges rows as it factors (--peer umfpack)");
  return fmt::format("{}", fmt::join(ways, " or "));
}

void judge_pipeline(const VerificationRecord& verification, RunRecord& record) {
  const NumericRecord numeric = record.numeric.value_or(NumericRecord{});
  const auto last = std::ranges::find(record.warnings, "weak_pivots_last", &Warning::code);
  const bool singular =
      (!verification.x_norm && numeric.perturbed_pivots > 0) || last != record.warnings.end();
  record.outcome = singular ? Outcome::singular_numeric : Outcome::inaccurate;
  record.error = ErrorRecord{
      singular ? "numerically_singular" : "verification_failed",
      fmt::format(
          "{}; {} pivots were perturbed{}{}; try {}", verification.message,
          numeric.perturbed_pivots,
          numeric.replans.value_or(0) == 0
              ? ""
              : fmt::format(" although the run was planned again {} times", *numeric.replans),
          places(numeric.suspect_pivots), advice(record, numeric.perturbed_pivots)),
      "verify"};
}

}  // namespace

void judge_sparse_run(RunRecord& record) {
  record.outcome = Outcome::ok;
  const VerificationRecord verification = record.verification.value();
  warn_of_near_singularity(verification, record);
  if (verification.method == "none" || verification.passed) return judge_schedule(record);
  if (record.peer) return judge_peer(verification, record);
  judge_pipeline(verification, record);
}

}  // namespace lufact
