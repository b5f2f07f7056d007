// SPDX-License-Identifier: BSD-3-Clause
// A matrix in shared memory, on its way from a row a lane to a column a lane and back.
#pragma once
#include "gpu/batch/paper/elimination.hpp"
#include "gpu/batch/paper/lanes.hpp"

namespace lufact::gpu::paper {

// Columns of 16-byte words, an odd number of them, so that lanes that read columns of their own
// meet in no bank.
constexpr int inverse_tile_ld(int n, int real_bytes) {
  const int per_word = 16 / real_bytes;
  return ((n + per_word - 1) / per_word | 1) * per_word;
}

template <class Real, int n>
struct alignas(16) InverseTile {
  static constexpr int ld = inverse_tile_ld(n, sizeof(Real));

  Real entries[n * ld];  // (i, j) at [j * ld + i]
  PivotReciprocal<Real> reciprocals[n];

  LUFACT_LANES void put_row(int i, const Real (&row)[n]) {
    LUFACT_UNROLL
    for (int j = 0; j < n; ++j) entries[j * ld + i] = row[j];
  }
  LUFACT_LANES void put_column(int j, const Real (&column)[n]) {
    LUFACT_UNROLL
    for (int i = 0; i < n; ++i) entries[j * ld + i] = column[i];
  }
  LUFACT_LANES void get_row(int i, Real (&row)[n]) const {
    LUFACT_UNROLL
    for (int j = 0; j < n; ++j) row[j] = entries[j * ld + i];
  }
  LUFACT_LANES void get_column(int j, Real (&column)[n]) const {
    LUFACT_UNROLL
    for (int i = 0; i < n; ++i) column[i] = entries[j * ld + i];
  }
};

// sizeof(InverseTile<Real, n>), for the host, which has no n at compile time.
constexpr int inverse_tile_bytes(int n, int real_bytes) {
  const int bytes = (n * inverse_tile_ld(n, real_bytes) + 2 * n) * real_bytes;
  return (bytes + 15) / 16 * 16;
}

}  // namespace lufact::gpu::paper
