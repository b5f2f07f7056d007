// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "gpu/batch/batch_generator.hpp"

namespace lufact::gpu {

// Entry (i, j) of matrix k.
template <class Real>
__device__ Real& place_of(const BatchPlaces& places, Offset k, Index i, Index j) {
  const Offset in_matrix = static_cast<Offset>(j) * places.ld + i;
  if (places.layout == ArrayLayout::pointers) return static_cast<Real**>(places.base)[k][in_matrix];
  Real* const entries = static_cast<Real*>(places.base);
  if (places.layout == ArrayLayout::interleaved) return entries[in_matrix * places.count + k];
  return entries[k * places.ld * places.columns + in_matrix];
}

// The place of a number among rows x columns entries of each of `count` matrices, counted so that
// neighbours are neighbours in memory.
struct EntryNumber {
  __device__ EntryNumber(const BatchPlaces& places, Offset number, Index rows) {
    const Offset entries = static_cast<Offset>(rows) * places.columns;
    const bool interleaved = places.layout == ArrayLayout::interleaved;
    k = interleaved ? number % places.count : number / entries;
    const auto in_matrix =
        static_cast<Index>(interleaved ? number / places.count : number % entries);
    i = in_matrix % rows;
    j = in_matrix / rows;
  }
  Offset k;
  Index i, j;
};

}  // namespace lufact::gpu
