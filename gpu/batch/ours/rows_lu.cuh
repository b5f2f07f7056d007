// SPDX-License-Identifier: BSD-3-Clause
// `rows`: LU factorization of a batch, a matrix on G lanes. Every warp works by itself.
#pragma once
#include "gpu/batch/ours/careful_factors.cuh"
#include "gpu/batch/ours/rows_factors.cuh"

namespace lufact::gpu::ours {

template <class Lanes, class Real, int N, int R, int G>
LUFACT_LANE void rows_lu(const BatchKernelArguments& arguments, char* shared) {
  using Task = RowsTask<Lanes, Real, N, R, G>;
  if (!Task::warp_has_work(arguments)) return;
  Task task(arguments, shared);

  RowsFactors<Lanes, Real, N, R, G> factors;
  std::int32_t* pivots = task.numbers;
  factors.read(task.staged.matrix(), task.staged.lane());
  factors.factor(task.panel, pivots);

  const bool careful = factors.needs_care() && task.present;
  int info = 0;
  Lanes::sync();
  if (!careful) factors.write(task.staged.matrix());
  if (Lanes::any(careful)) {
    const int exact = careful_factors<Lanes, Real, N, G>(task.staged.matrix(), pivots, careful);
    info = careful ? exact : info;
  }
  task.store_result();
  task.store_numbers(info, pivots);
}

}  // namespace lufact::gpu::ours
