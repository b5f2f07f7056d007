// SPDX-License-Identifier: BSD-3-Clause
// The systems of a run of many with one pattern, on the host: values, right-hand sides, solutions,
// and the verdict on each. What factors and solves them comes to this.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/pipeline/host_array.hpp"
#include "core/pipeline/linear_system.hpp"
#include "core/pipeline/record.hpp"
#include "core/run/repetition.hpp"

namespace lufact {

// Writes the values of a system, from 0, in the order of A's entries.
using SystemValues = std::function<void(Index system, std::span<double> values)>;

struct SystemsInput {
  Index count = 1;
  std::uint64_t seed = 1;
  // Empty: system 0 has A's values, system k those of refactorization k (refactor_values).
  SystemValues values{};
};

class ManySystems {
 public:
  // `system` has one right-hand side and must outlive the object. Arrays are made when they are
  // filled first, in `memory` where that is given; systems are filled and judged on `threads`.
  ManySystems(const LinearSystem& system, SystemsInput input, int threads, PageLockedMemory memory);

  Index count() const noexcept { return input_.count; }

  // Fills values and right-hand sides: 0 for a repetition, k + 1 for refactorization k, which gives
  // all systems new values. Each has the right-hand side that belongs to its values.
  void fill(int generation);

  // Of all systems, one after another; fill() comes first.
  HostArray& values() { return arrays_->values; }  // count x entries of A
  HostArray& b() { return arrays_->b; }            // count x n
  HostArray& x() { return arrays_->x; }
  std::span<const double> matrix_norm() const { return arrays_->matrix_norm; }

  // Judges every x with the values of its system; `complete` adds to a verdict what else is known
  // of that system. Keeps the worst of all samples; gives the systems that did not pass.
  Offset judge(double threshold,
               const std::function<void(Index system, VerificationRecord& verdict)>& complete);

  // Of all samples; its `worst_matrix` is the system. Empty before judge().
  const std::optional<VerificationRecord>& worst() const noexcept { return worst_; }
  // How many there are and which was the worst.
  void describe(SystemsRecord& record) const;

 private:
  struct Arrays {
    HostArray values, b, x;
    std::vector<double> matrix_norm;
    int generation = -1;
  };

  void make_arrays();
  void write_values(Index system, int generation, std::span<double> to) const;
  CsrMatrix matrix_of(Offset system);

  const LinearSystem& system_;
  const SystemsInput input_;
  const int threads_;
  const PageLockedMemory memory_;
  std::optional<Arrays> arrays_;
  std::optional<VerificationRecord> worst_;
};

}  // namespace lufact
