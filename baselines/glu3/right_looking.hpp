// SPDX-License-Identifier: BSD-3-Clause
// The right-looking factorization of GLU (K. He, S. X.-D. Tan, H. Wang, G. Shi, IEEE TVLSI 24,
// 2016; E2E Algorithm 2) on the cores of a host.
#pragma once
#include <optional>

#include "baselines/glu3/update_plan.hpp"
#include "core/columns/column_elimination.hpp"

namespace lufact {

// Level by level: the columns of a level are divided by their pivots, then they are subtracted from
// every later column that their rows of U name. Where GLU keeps dense columns, the rows of a source
// are looked up among those of its target, as E2E Algorithm 6 does. What a level does to one target
// is done by one thread, sources ascending, so that no update is atomic and the values do not
// depend on the number of threads.
template <class T>
class RightLooking final : public ColumnElimination<T> {
 public:
  PivotReport factor(const EliminationProblem<T>& problem) override;

 private:
  std::optional<UpdatePlan> plan_;  // made by the first factorization
};

}  // namespace lufact
