// SPDX-License-Identifier: BSD-3-Clause
// What a run of our stages and a run of a foreign solver share, so that both are measured on the
// same numbers and judged by the same rule.
#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/measure/clock.hpp"
#include "core/pipeline/host_array.hpp"
#include "core/pipeline/linear_system.hpp"
#include "core/pipeline/record.hpp"

namespace lufact {

double seconds_since(const Clock& clock, std::chrono::nanoseconds begin);

// total_s is the sum of the phases that `counted` names; unattributed_s what the clock saw beside
// them.
Sample make_sample(int repetition, std::vector<PhaseTime> phases, double elapsed_s,
                   std::span<const std::string_view> counted);

// The same of phases that the host did not wait for: total_s is what the clock saw, unattributed_s
// what of it is outside the phases.
Sample make_sample_of_marks(int repetition, std::vector<PhaseTime> phases, double elapsed_s,
                            std::span<const std::string_view> counted);

// The matrix of a refactorization: A's values times 1 + 1e-3 u, u in [-1, 1) from seed and number,
// a circuit simulator's small step.
CsrMatrix refactor_matrix(const CsrMatrix& a, std::uint64_t seed, int number);
// The right-hand sides that belong to it: for the known solution, where there is one.
std::vector<double> refactor_rhs(const CsrMatrix& a, const LinearSystem& system);

// The arrays of a program that refactors in a loop: they stay where they are, and their pages are
// locked where `memory` is given, which is for solvers on a device. A solver reads and writes them
// in its timed phases; they are made and filled outside of these.
class RefactorArrays {
 public:
  RefactorArrays(const LinearSystem& system, const PageLockedMemory& memory);

  HostArray values, b, x;

  // Says so in a record where pages were to be locked and are not.
  void report(RunRecord& record) const;

 private:
  bool to_lock_;
};

// Figures of `x` as the solution of a x = b, checked on the host with `a` as read, and whether the
// backward error is within `threshold`. Method and refinement are left to the caller.
VerificationRecord judge_solution(const CsrMatrix& a, std::span<const double> x,
                                  std::span<const double> b, const LinearSystem& system,
                                  double threshold);
// Keeps the verdict with the larger backward error.
void keep_worse(std::optional<VerificationRecord>& worst, const VerificationRecord& verdict);

// The verification and the warning of a run that is not verified.
void mark_unverified(RunRecord& record, const std::string& what_to_do);

}  // namespace lufact
