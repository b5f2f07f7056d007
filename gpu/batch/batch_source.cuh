// SPDX-License-Identifier: BSD-3-Clause
// The matrices of a batch as they were made, for kernels: what any of them can compute again from
// its place.
#pragma once
#include "core/batch/batch_entry.hpp"
#include "gpu/batch/batch_generator.hpp"

namespace lufact::gpu {

// In double, not yet rounded to the precision of the run.
__device__ inline double given_entry(const BatchSource& source, Offset k, Index i, Index j) {
  const Offset order = source.n;
  const Offset matrix = k % source.given_count;
  const double value = source.given[matrix * order * order + j * order + i];
  if (k < source.given_count) return value;
  return value * batch_repeat_factor(source.seed, source.n, k, i, j);
}

// As the run's input has it.
template <class Real>
__device__ Real source_entry(const BatchSource& source, Offset k, Index i, Index j) {
  return static_cast<Real>(source.given != nullptr
                               ? given_entry(source, k, i, j)
                               : batch_entry(source.kind, source.seed, source.n, k, i, j));
}

template <class Real>
__device__ Real source_rhs(const BatchSource& source, Offset k, Index i, Index c) {
  return static_cast<Real>(batch_rhs_entry(source.seed, source.n, k, i, c));
}

}  // namespace lufact::gpu
