// SPDX-License-Identifier: BSD-3-Clause
#include "core/run/repetition.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/random.hpp"
#include "core/verify/solution.hpp"

namespace lufact {
namespace {

bool is_among(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

double seconds_since(const Clock& clock, std::chrono::nanoseconds begin) {
  return std::chrono::duration<double>(clock.now() - begin).count();
}

Sample make_sample(int repetition, std::vector<PhaseTime> phases, double elapsed_s,
                   std::span<const std::string_view> counted) {
  Sample sample;
  sample.repetition = repetition;
  sample.phases = std::move(phases);
  for (const PhaseTime& phase : sample.phases) {
    if (is_among(counted, phase.name)) sample.total_s += phase.wall_s;
  }
  sample.unattributed_s = std::max(0.0, elapsed_s - sample.total_s);
  return sample;
}

Sample make_sample_of_marks(int repetition, std::vector<PhaseTime> phases, double elapsed_s,
                            std::span<const std::string_view> counted) {
  Sample sample = make_sample(repetition, std::move(phases), elapsed_s, counted);
  sample.unattributed_s = elapsed_s - sample.total_s;
  sample.total_s = elapsed_s;
  return sample;
}

void refactor_values(std::span<const double> values_of_a, std::uint64_t seed, int number,
                     std::span<double> to) {
  const std::uint64_t key = hash64(seed, 0x7265666163746f72ULL, static_cast<std::uint64_t>(number));
  for (std::size_t q = 0; q < to.size(); ++q) {
    to[q] = values_of_a[q] * (1 + 1e-3 * symmetric_interval(hash64(key, q)));
  }
}

CsrMatrix refactor_matrix(const CsrMatrix& a, std::uint64_t seed, int number) {
  CsrMatrix result = a;
  refactor_values(a.values, seed, number, result.values);
  return result;
}

std::vector<double> refactor_rhs(const CsrMatrix& a, const LinearSystem& system) {
  if (system.x_true.empty()) return system.b;
  return multiply(a, system.x_true, system.rhs, system.transposed);
}

RefactorArrays::RefactorArrays(const LinearSystem& system, const PageLockedMemory& memory)
    : values(system.input.matrix.values.size(), memory),
      b(system.b.size(), memory),
      x(system.b.size(), memory),
      to_lock_(memory != nullptr) {}

void RefactorArrays::report(RunRecord& record) const {
  const auto pageable = [](const HostArray& array) {
    return array.size() > 0 && !array.page_locked();
  };
  if (!to_lock_ || !(pageable(values) || pageable(b) || pageable(x))) return;
  record.warnings.push_back(
      {"pageable_copies",
       "the system gives no page-locked memory for the arrays of refactorizations, so that their "
       "copies to the device and back take longer than those of a program that has it; give the "
       "process more memory that it may lock"});
}

VerificationRecord judge_solution(const CsrMatrix& a, std::span<const double> x,
                                  std::span<const double> b, const LinearSystem& system,
                                  double threshold) {
  const SolutionCheck check = check_solution(a, x, b, system.x_true, system.rhs, system.transposed);
  VerificationRecord record;
  record.backward_error = check.backward_error;
  record.relative_residual = check.relative_residual;
  record.componentwise_backward_error = check.componentwise_backward_error;
  record.x_norm = check.x_norm;
  if (!system.x_true.empty()) record.x_true_norm = check.x_true_norm;
  record.threshold = threshold;
  record.passed = check.backward_error <= threshold;
  if (!record.passed) {
    record.message = fmt::format("backward error {:.2e} is above the threshold {:.0e}",
                                 check.backward_error, threshold);
  }
  return record;
}

void keep_worse(std::optional<VerificationRecord>& worst, const VerificationRecord& verdict) {
  if (!worst || !(verdict.backward_error <= worst->backward_error)) worst = verdict;
}

void mark_unverified(RunRecord& record, const std::string& what_to_do) {
  record.verification = VerificationRecord{};
  record.verification->method = "none";
  record.warnings.push_back({"unverified", what_to_do});
}

}  // namespace lufact
