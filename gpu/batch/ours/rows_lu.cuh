// SPDX-License-Identifier: BSD-3-Clause
// `rows`: LU factorization of a batch, a matrix on G lanes. Every warp works by itself.
#pragma once
#include "gpu/batch/ours/careful_factors.cuh"
#include "gpu/batch/ours/rows_factors.cuh"

namespace lufact::gpu::ours {

template <class Lanes, class Real, int N, int R, int G>
LUFACT_LANE void rows_lu(const BatchKernelArguments& arguments, char* shared) {
  using Shape = RowsShape<Real, N, R, G>;
  const Offset first = Lanes::warp_of_launch() * Shape::matrices;
  if (first >= arguments.count) return;
  const RowsMemory<Lanes, Real, N, G> memory(shared);
  StagedMatrix<Lanes, Real, N, G> staged(memory.stage, memory.barrier);
  const bool present = first + staged.group() < arguments.count;
  const Offset k = present ? first + staged.group() : first;
  staged.load(global_matrix<Real, Lanes>(arguments.a, arguments, k, arguments.ld, N), present);

  RowsFactors<Lanes, Real, N, R, G> factors;
  Real* panel = reinterpret_cast<Real*>(memory.panels) + staged.group() * Shape::panel_stride;
  std::int32_t* pivots = memory.numbers + staged.group() * 2 * N;
  factors.read(staged.matrix(), staged.lane());
  factors.factor(panel, pivots);

  const bool careful = factors.needs_care() && present;
  int info = 0;
  Lanes::sync();
  if (!careful) factors.write(staged.matrix());
  if (Lanes::any(careful)) {
    const int exact = careful_factors<Lanes, Real, N, G>(staged.matrix(), pivots, careful);
    info = careful ? exact : info;
  }
  staged.store(global_matrix<Real, Lanes>(arguments.result, arguments, k, arguments.ld, N),
               present);
  if (!present) return;
  if (staged.lane() == 0) arguments.info[k] = info;
  LUFACT_UNROLL
  for (int i = staged.lane(); i < N; i += G) arguments.pivots[k * N + i] = pivots[i];
}

}  // namespace lufact::gpu::ours
