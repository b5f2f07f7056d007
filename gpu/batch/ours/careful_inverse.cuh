// SPDX-License-Identifier: BSD-3-Clause
// Inversion by plain Gauss-Jordan elimination in shared memory, with divisions: the counterpart of
// careful_factors.cuh.
#pragma once
#include <limits>

#include "gpu/batch/ours/careful_factors.cuh"

namespace lufact::gpu::ours {

// Of every group with `wanted`; all lanes call it. Returns info.
template <class Lanes, class Real, int N, int G>
LUFACT_LANE int careful_inverse(Real* matrix, std::int32_t* pivots, bool wanted) {
  const int lane = Lanes::lane() % G;
  int info = 0;
  LUFACT_ROLL
  for (int k = 0; k < N; ++k) {
    const Candidate<Real> best = best_below<Real, N, G>(matrix, k, lane);
    const int pivot_lane = exact_pivot_lane<Lanes, G>(best);
    const int from = Lanes::template shuffle<G>(best.position, pivot_lane);
    const Real pivot = Lanes::template shuffle<G>(best.value, pivot_lane);
    info = pivot == 0 && info == 0 ? k + 1 : info;
    Lanes::sync();
    if (wanted) {
      if (lane == 0) pivots[k] = from + 1;
      if (from != k) exchange<Real, N, G>(matrix + k, matrix + from, N, lane);
    }
    Lanes::sync();
    const bool eliminates = wanted && pivot != 0;
    if (eliminates) {
      LUFACT_ROLL
      for (int j = lane; j < N; j += G) {
        if (j != k) matrix[j * N + k] /= pivot;
      }
    }
    Lanes::sync();
    if (eliminates) {
      LUFACT_ROLL
      for (int e = lane; e < N * N; e += G) {
        const int i = e % N, j = e / N;
        if (i != k && j != k) matrix[e] -= matrix[k * N + i] * matrix[j * N + k];
      }
    }
    Lanes::sync();
    if (eliminates) {
      LUFACT_ROLL
      for (int i = lane; i < N; i += G) {
        matrix[k * N + i] = i == k ? 1 / pivot : -matrix[k * N + i] / pivot;
      }
    }
    Lanes::sync();
  }
  LUFACT_ROLL
  for (int k = N - 1; k >= 0; --k) {
    if (wanted && pivots[k] != k + 1) {
      exchange<Real, N, G>(matrix + k * N, matrix + (pivots[k] - 1) * N, 1, lane);
    }
    Lanes::sync();
  }
  LUFACT_ROLL
  for (int e = lane; wanted && info != 0 && e < N * N; e += G) {
    matrix[e] = std::numeric_limits<Real>::quiet_NaN();
  }
  return info;
}

}  // namespace lufact::gpu::ours
