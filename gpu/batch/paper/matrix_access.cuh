// SPDX-License-Identifier: BSD-3-Clause
// Reads and writes of the matrix that a thread works on. Threads behind the last matrix of the
// batch read zeros and write nothing.
#pragma once
#include <limits>

#include "gpu/batch/kernel_addresses.cuh"
#include "gpu/batch/paper/kernel_flags.hpp"
#include "gpu/batch/paper/pivot_search.hpp"

namespace lufact::gpu::paper {

// Of blocks with one matrix for each threadIdx.y.
__device__ inline Offset matrix_of_thread() {
  return batch_block() * blockDim.y + threadIdx.y;
}

template <class Real, int n>
class MatrixAccess {
 public:
  // `arguments` must outlive it.
  __device__ MatrixAccess(const BatchKernelArguments& arguments, Offset k)
      : arguments_(arguments), k_(k) {}

  // Row i of A; zeros from n on.
  template <int columns>
  __device__ void read_row(int i, Real (&row)[columns]) const {
    read_row(array_of_a(), i, row);
  }
  __device__ void read_row_of_result(int i, Real (&row)[n]) const {
    read_row(array_of_result(), i, row);
  }
  // `row` has n columns from `first` on; nothing from i = n on.
  template <int columns>
  __device__ void write_row(int i, const Real (&row)[columns], int first = 0) const {
    if (!exists() || i >= n) return;
    const Array array = array_of_result();
    LUFACT_UNROLL
    for (int j = 0; j < n; ++j) array.put(i, j, row[first + j]);
  }
  // A row of an inverse, NaN where there is none.
  template <int columns>
  __device__ void write_inverse_row(int i, Real (&row)[columns], int info, int first = 0) const {
    LUFACT_UNROLL
    for (int j = 0; j < n; ++j) {
      if (info != 0) row[first + j] = std::numeric_limits<Real>::quiet_NaN();
    }
    write_row(i, row, first);
  }
  __device__ Real read_entry(int i, int j) const {
    if (!exists()) return 0;
    const Array array = array_of_a();
    return array.get(i, j);
  }
  __device__ void write_entry(int i, int j, Real value) const {
    if (!exists()) return;
    const Array array = array_of_result();
    array.put(i, j, value);
  }
  // Called by lane i of the matrix.
  __device__ void write_notes(int i, const PivotNotes& notes) const {
    if (!exists() || i >= n) return;
    if (arguments_.pivots != nullptr) arguments_.pivots[k_ * n + i] = notes.exchanged + 1;
    if (i == 0) arguments_.info[k_] = notes.info;
  }
  __device__ int read_pivot(int i) const {
    return exists() && i < n ? arguments_.pivots[k_ * n + i] - 1 : 0;
  }
  __device__ int read_info() const { return exists() ? arguments_.info[k_] : 0; }

 private:
  struct Array {
    Real* matrix;
    std::int32_t ld;

    __device__ Real* entry(int i, int j) const { return matrix + i + static_cast<Offset>(ld) * j; }
    // Explicitly of global memory: an address that was itself read could be any to the compiler.
    __device__ Real get(int i, int j) const { return __ldca(entry(i, j)); }
    __device__ void put(int i, int j, Real value) const { __stwb(entry(i, j), value); }
  };
  __device__ bool exists() const { return k_ < arguments_.count; }
  __device__ Array array_of_a() const {
    return array_of(arguments_.a, (arguments_.flags & packed_a) != 0);
  }
  __device__ Array array_of_result() const {
    return array_of(arguments_.result, (arguments_.flags & packed_result) != 0);
  }
  // {} behind the last matrix: an array of pointers has no address there.
  __device__ Array array_of(void* array, bool packed) const {
    if (!exists()) return {};
    if (packed) return {static_cast<Real*>(array) + k_ * n * n, n};
    return {batch_matrix<Real>(array, arguments_.layout, k_, arguments_.ld, n), arguments_.ld};
  }
  template <int columns>
  __device__ void read_row(const Array& array, int i, Real (&row)[columns]) const {
    if (exists() && i < n) {
      LUFACT_UNROLL
      for (int j = 0; j < n; ++j) row[j] = array.get(i, j);
    } else {
      LUFACT_UNROLL
      for (int j = 0; j < n; ++j) row[j] = 0;
    }
  }

  const BatchKernelArguments& arguments_;
  Offset k_;
};

}  // namespace lufact::gpu::paper
