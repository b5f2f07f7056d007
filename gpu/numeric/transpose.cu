// SPDX-License-Identifier: BSD-3-Clause
#include <bit>
#include <cub/device/device_radix_sort.cuh>

#include "gpu/numeric/column_search.cuh"
#include "gpu/numeric/transpose.hpp"
#include "gpu/runtime/launch.cuh"

namespace lufact::gpu {
namespace {

constexpr int threads = 256;

// One warp per row: writes the row's number beside each of its entries.
__global__ void expand_rows(PatternRef rows, Index* row_of) {
  const Offset thread = blockIdx.x * static_cast<Offset>(blockDim.x) + threadIdx.x;
  const Offset row = thread / warp_size;
  if (row >= rows.n) return;
  const Offset end = rows.row_ptr[row + 1];
  for (Offset p = rows.row_ptr[row] + thread % warp_size; p < end; p += warp_size) {
    row_of[p] = static_cast<Index>(row);
  }
}

// One thread per sorted entry: the first of a column writes where that column, and any empty ones
// before it, begin.
__global__ void mark_column_starts(const Index* sorted, Offset nnz, Index n, Offset* col_ptr) {
  const Offset p = blockIdx.x * static_cast<Offset>(blockDim.x) + threadIdx.x;
  if (p > nnz) return;
  const Index previous = p == 0 ? -1 : sorted[p - 1];
  const Index here = p == nnz ? n : sorted[p];
  for (Index column = previous + 1; column <= here; ++column) col_ptr[column] = p;
}

// One warp per row: finds the row in the column of each of its entries.
__global__ void locate_entries(PatternRef rows, const Offset* col_ptr, const Index* row_idx,
                               Offset* position) {
  const Offset thread = blockIdx.x * static_cast<Offset>(blockDim.x) + threadIdx.x;
  const Offset row = thread / warp_size;
  if (row >= rows.n) return;
  const Offset end = rows.row_ptr[row + 1];
  for (Offset p = rows.row_ptr[row] + thread % warp_size; p < end; p += warp_size) {
    const Index column = rows.col_idx[p];
    position[p] = find_row(row_idx, col_ptr[column], col_ptr[column + 1], static_cast<Index>(row));
  }
}

LaunchShape warp_per_row(Index n) {
  return {ceil_div(static_cast<Offset>(n) * warp_size, threads), threads};
}

// Fills row_idx with the rows of the entries in the order of their columns, and col_ptr.
void sort_by_column(DeviceSession& session, const DeviceColumnPattern& rows, DeviceColumns& out) {
  Buffer<Index> row_of(session, MemoryRole::scratch, rows.nnz, "rows of the entries");
  Buffer<Index> sorted(session, MemoryRole::scratch, rows.nnz, "columns in order");
  launch(session, warp_per_row(rows.n), expand_rows, rows.pattern(), row_of.data());
  const int bits = std::bit_width(static_cast<unsigned>(rows.n));
  std::size_t bytes = 0;
  const auto sort = [&](void* temporary) {
    LUFACT_CUDA(cub::DeviceRadixSort::SortPairs(temporary, bytes, rows.col_idx.data(),
                                                sorted.data(), row_of.data(), out.row_idx.data(),
                                                rows.nnz, 0, bits, session.stream()));
  };
  sort(nullptr);
  Buffer<unsigned char> temporary(session, MemoryRole::scratch, static_cast<Offset>(bytes),
                                  "sorting by column");
  sort(temporary.data());
  launch(session, {ceil_div(rows.nnz + 1, threads), threads}, mark_column_starts, sorted.data(),
         rows.nnz, rows.n, out.col_ptr.data());
}

}  // namespace

DeviceColumns make_columns(DeviceSession& session, const DeviceColumnPattern& rows) {
  DeviceColumns columns;
  columns.col_ptr = {session, MemoryRole::resident, rows.n + Offset{1}, "column offsets"};
  columns.row_idx = {session, MemoryRole::resident, rows.nnz, "row numbers by columns"};
  if (rows.nnz == 0) {
    columns.col_ptr.fill_bytes(0);
    return columns;
  }
  sort_by_column(session, rows, columns);
  columns.position = {session, MemoryRole::resident, rows.nnz, "positions by columns"};
  launch(session, warp_per_row(rows.n), locate_entries, rows.pattern(), columns.col_ptr.data(),
         columns.row_idx.data(), columns.position.data());
  return columns;
}

}  // namespace lufact::gpu
