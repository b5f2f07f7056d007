// SPDX-License-Identifier: BSD-3-Clause
#include <bit>
#include <limits>

#include "core/base/error.hpp"
#include "gpu/components/radix_sort.hpp"
#include "gpu/components/thread_each.cuh"
#include "gpu/matrix/pattern_entries.cuh"
#include "gpu/solve/transposed_rows.hpp"

namespace lufact::gpu {
namespace {

__global__ void number_kernel(Offset count, Index* numbers) {
  const Offset p = own_thread();
  if (p < count) numbers[p] = static_cast<Index>(p);
}

// row_ptr[i] := the first of the sorted rows that is not below i; n + 1 of them.
__global__ void row_ends_kernel(const Index* rows, Offset count, Index n, Offset* row_ptr) {
  const Offset p = own_thread();
  if (p > count) return;
  const Index last = p == 0 ? -1 : rows[p - 1], next = p == count ? n : rows[p];
  for (Index i = last + 1; i <= next; ++i) row_ptr[i] = p;
}

// The row of B in which each entry stands.
__global__ void rows_of_entries_kernel(PatternRef matrix, const Index* source, Offset count,
                                       Index* rows) {
  const Offset p = own_thread();
  if (p < count) rows[p] = row_of_entry(matrix, source[p]);
}

__global__ void gather_kernel(const double* from, const Index* source, Offset count, double* to) {
  const Offset p = own_thread();
  if (p < count) to[p] = from[source[p]];
}

}  // namespace

// The sort is stable, so that entries of a row of B' are in the order of their columns.
void TransposedRows::make_pattern(const DevicePermutedMatrix& matrix) {
  const Offset nnz = matrix.nnz;
  const auto array = [&](std::string_view what) {
    return Buffer<Index>(session_, MemoryRole::resident, nnz, what);
  };
  row_ptr_ = {session_, MemoryRole::resident, Offset{matrix.n} + 1, "rows of the transpose"};
  col_idx_ = array("columns of the transpose");
  source_ = array("places of the transpose's entries");
  values_ = {session_, MemoryRole::resident, nnz, "values of the transpose"};
  Buffer<Index> rows(session_, MemoryRole::scratch, nnz, "rows of the transpose's entries");
  Buffer<Index> numbers(session_, MemoryRole::scratch, nnz, "entries by row");
  const std::size_t bytes = sort_pairs_bytes(session_, nnz);
  Buffer<std::byte> scratch(session_, MemoryRole::scratch, static_cast<Offset>(bytes),
                            "a sort of entries");
  const int bits = std::bit_width(static_cast<unsigned>(matrix.n));
  launch(session_, thread_each(nnz), number_kernel, nnz, numbers.data());
  sort_pairs(session_, {scratch.data(), bytes}, matrix.col_idx.data(), rows.data(), numbers.data(),
             source_.data(), nnz, bits);
  launch(session_, thread_each(nnz + 1), row_ends_kernel, rows.data(), nnz, matrix.n,
         row_ptr_.data());
  launch(session_, thread_each(nnz), rows_of_entries_kernel, matrix.pattern(), source_.data(), nnz,
         col_idx_.data());
  made_of_ = matrix.row_ptr;
}

MatrixRows TransposedRows::of(const DevicePermutedMatrix& matrix) {
  if (matrix.nnz > std::numeric_limits<Index>::max()) {
    throw Error(Outcome::unsupported, "index_overflow",
                "residuals with the transpose take fewer than 2^31 entries on a device; take "
                "--mode fast-cpu");
  }
  if (made_of_.data() != matrix.row_ptr.data()) make_pattern(matrix);
  launch(session_, thread_each(matrix.nnz), gather_kernel, matrix.values.data(), source_.data(),
         matrix.nnz, values_.data());
  return {{matrix.n, row_ptr_.data(), col_idx_.data()}, matrix.nnz, values_.data()};
}

}  // namespace lufact::gpu
