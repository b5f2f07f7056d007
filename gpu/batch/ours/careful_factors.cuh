// SPDX-License-Identifier: BSD-3-Clause
// LU factorization as LAPACK's getf2 does it, step by step in shared memory: rows are exchanged,
// multipliers divided, only what lies below and right of a pivot is touched. For the few matrices
// with entries or pivots near the ends of the range, or not finite at all.
#pragma once
#include "gpu/batch/ours/pivot_search.cuh"
#include "gpu/batch/ours/staged_matrix.cuh"

namespace lufact::gpu::ours {

// As IDAMAX compares: a NaN in row k is the largest, one further down never is.
template <class Real, int N, int G>
LUFACT_LANE Candidate<Real> best_below(const Real* matrix, int k, int lane) {
  Candidate<Real> best{Real(0), -1, k, 0};
  LUFACT_ROLL
  for (int i = k + lane; i < N; i += G) {
    const Real entry = matrix[k * N + i];
    const Magnitude<Real> bits = magnitude(entry);
    if (bits > best.magnitude && (entry == entry || i == k)) best = {entry, bits, i, 0};
  }
  return best;
}

// Two vectors of N entries, `stride` apart.
template <class Real, int N, int G>
LUFACT_LANE void exchange(Real* one, Real* other, int stride, int lane) {
  LUFACT_ROLL
  for (int e = lane; e < N; e += G) {
    const Real entry = one[e * stride];
    one[e * stride] = other[e * stride];
    other[e * stride] = entry;
  }
}

// Of every group with `wanted`; all lanes call it. Returns info.
template <class Lanes, class Real, int N, int G>
LUFACT_LANE int careful_factors(Real* matrix, std::int32_t* pivots, bool wanted) {
  const int lane = Lanes::lane() % G;
  int info = 0;
  LUFACT_ROLL
  for (int k = 0; k < N; ++k) {
    const Candidate<Real> best = best_below<Real, N, G>(matrix, k, lane);
    const int pivot_lane = exact_pivot_lane<Lanes, G>(best);
    const int from = Lanes::template shuffle<G>(best.position, pivot_lane);
    const Real pivot = Lanes::template shuffle<G>(best.value, pivot_lane);
    Lanes::sync();
    if (wanted) {
      if (lane == 0) pivots[k] = from + 1;
      if (from != k) exchange<Real, N, G>(matrix + k, matrix + from, N, lane);
    }
    Lanes::sync();
    if (pivot == 0) {
      info = info == 0 ? k + 1 : info;
    } else if (wanted) {
      LUFACT_ROLL
      for (int i = k + 1 + lane; i < N; i += G) matrix[k * N + i] /= pivot;
    }
    Lanes::sync();
    if (wanted) {
      const int rest = N - 1 - k;
      LUFACT_ROLL
      for (int e = lane; e < rest * rest; e += G) {
        const int i = k + 1 + e % rest, j = k + 1 + e / rest;
        matrix[j * N + i] -= matrix[k * N + i] * matrix[j * N + k];
      }
    }
    Lanes::sync();
  }
  return info;
}

}  // namespace lufact::gpu::ours
