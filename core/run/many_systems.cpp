// SPDX-License-Identifier: BSD-3-Clause
#include "core/run/many_systems.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/error.hpp"
#include "core/matrix/parallel.hpp"
#include "core/verify/solution.hpp"

namespace lufact {

ManySystems::ManySystems(const LinearSystem& system, SystemsInput input, int threads,
                         PageLockedMemory memory)
    : system_(system), input_(std::move(input)), threads_(threads), memory_(std::move(memory)) {}

CsrMatrix ManySystems::matrix_of(Offset system) {
  CsrMatrix a = system_.input.matrix;
  const std::size_t entries = a.values.size();
  std::ranges::copy(arrays_->values.entries().subspan(at(system) * entries, entries),
                    a.values.begin());
  return a;
}

void ManySystems::make_arrays() {
  const CsrMatrix& a = system_.input.matrix;
  const auto entries = static_cast<Offset>(a.values.size());
  const Offset n = a.pattern.n_rows, count = input_.count;
  checked_bytes(count, checked_bytes(std::max(entries, n), sizeof(double)));
  arrays_.emplace(Arrays{.values = HostArray(at(count * entries), memory_),
                         .b = HostArray(at(count * n), memory_),
                         .x = HostArray(at(count * n), memory_),
                         .matrix_norm = std::vector<double>(at(count))});
}

void ManySystems::write_values(Index system, int generation, std::span<double> to) const {
  const int number =
      checked_index(Offset{generation} * input_.count + system, "the number of a system's values");
  if (!input_.values) {
    const auto& own = system_.input.matrix.values;
    if (number > 0) return refactor_values(own, input_.seed, number, to);
    std::ranges::copy(own, to.begin());
    return;
  }
  input_.values(system, to);
  if (generation > 0) refactor_values(to, input_.seed, number, to);
}

void ManySystems::fill(int generation) {
  if (!arrays_) make_arrays();
  if (arrays_->generation == generation) return;
  const std::size_t entries = system_.input.matrix.values.size();
  const auto n = at(system_.input.matrix.pattern.n_rows);
  parallel_for(input_.count, threads_, [&](Offset k) {
    write_values(static_cast<Index>(k), generation,
                 arrays_->values.entries().subspan(at(k) * entries, entries));
    const CsrMatrix own = matrix_of(k);
    std::ranges::copy(refactor_rhs(own, system_),
                      arrays_->b.entries().subspan(at(k) * n, n).begin());
    arrays_->matrix_norm[at(k)] = lufact::matrix_norm(own);
  });
  arrays_->generation = generation;
}

Offset ManySystems::judge(
    double threshold,
    const std::function<void(Index system, VerificationRecord& verdict)>& complete) {
  const auto n = at(system_.input.matrix.pattern.n_rows);
  std::vector<VerificationRecord> verdicts(at(input_.count));
  parallel_for(input_.count, threads_, [&](Offset k) {
    const auto part = [&](HostArray& all) { return all.entries().subspan(at(k) * n, n); };
    verdicts[at(k)] =
        judge_solution(matrix_of(k), part(arrays_->x), part(arrays_->b), system_, threshold);
  });
  Offset failed = 0;
  for (Index k = 0; k < input_.count; ++k) {
    VerificationRecord& verdict = verdicts[at(k)];
    complete(k, verdict);
    verdict.matrices_checked = input_.count;
    verdict.worst_matrix = k;
    if (!verdict.passed) {
      ++failed;
      verdict.message = fmt::format("system {}: {}", k, verdict.message);
    }
    keep_worse(worst_, verdict);
  }
  return failed;
}

void ManySystems::describe(SystemsRecord& record) const {
  record.count = input_.count;
  if (worst_) record.worst = WorstSystem{worst_->worst_matrix.value_or(0), worst_->backward_error};
}

}  // namespace lufact
