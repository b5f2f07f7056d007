// SPDX-License-Identifier: BSD-3-Clause
// How a matrix lies on a group of G lanes with R rows each: row g + r * G of the matrix is row r of
// lane g, all its columns in registers. Shared memory of a warp: its matrices, the pivot rows of a
// panel, pivot numbers, a barrier.
#pragma once
#include "gpu/batch/ours/staged_matrix.cuh"

namespace lufact::gpu::ours {

template <class Real, int N, int R, int G>
struct RowsShape {
  static_assert(R * G >= N && lanes_per_warp % G == 0);
  static constexpr int real = static_cast<int>(sizeof(Real));
  static constexpr int matrices = lanes_per_warp / G;  // of a warp
  static constexpr int vector = vector_length<Real>;
  static constexpr int vectors = row_vectors(N, real);  // of a row
  static constexpr int columns = vectors * vector;      // of registers
  static constexpr int row_stride = (vectors | 1) * vector;
  static constexpr int panel_stride = panel_vectors(N, real) * vector;
  static constexpr int shared_bytes = rows_shared_bytes(N, G, real);  // of a warp
  // Registers of a thread for its part of the matrix and of the multipliers.
  static constexpr int data = R * (columns + panel_columns) * real / 4;
};

// The memory of the calling warp within that of its block.
template <class Lanes, class Real, int N, int G>
struct RowsMemory {
  char* stage;
  char* panels;
  std::int32_t* numbers;  // 2 N of every group
  std::uint64_t* barrier;

  LUFACT_LANE explicit RowsMemory(char* of_block)
      : stage(of_block + Lanes::warp() * rows_shared_bytes(N, G, real)),
        panels(stage + stage_bytes(N, G, real)),
        numbers(reinterpret_cast<std::int32_t*>(panels + panel_bytes(N, G, real))),
        barrier(reinterpret_cast<std::uint64_t*>(panels + panel_bytes(N, G, real) +
                                                 numbers_bytes(N, G))) {}

 private:
  static constexpr int real = static_cast<int>(sizeof(Real));
};

template <class Real>
struct alignas(16) Vector {
  Real entry[vector_length<Real>];
};

template <class Real>
LUFACT_LANE Vector<Real> load_vector(const Real* shared) {
  return *reinterpret_cast<const Vector<Real>*>(shared);
}
template <class Real>
LUFACT_LANE void store_vector(Real* shared, const Real* entries) {
  Vector<Real> vector;
  LUFACT_UNROLL
  for (int e = 0; e < vector_length<Real>; ++e) vector.entry[e] = entries[e];
  *reinterpret_cast<Vector<Real>*>(shared) = vector;
}

}  // namespace lufact::gpu::ours
