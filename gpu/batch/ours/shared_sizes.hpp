// SPDX-License-Identifier: BSD-3-Clause
// Shared memory of a warp, for kernels and for those who launch them. `real` is the size of an
// entry: 4 or 8 bytes.
#pragma once

namespace lufact::gpu::ours {

inline constexpr int lanes_per_warp = 32;
inline constexpr int panel_columns = 4;

constexpr int round_up(int value, int multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// Matrices of order n of groups of `lanes`: from one to the next. Each has a vector more than it
// needs, since it begins where its address begins in a vector; and they are so far apart that what
// the groups read by columns is in different banks.
constexpr int stage_stride(int n, int lanes, int real) {
  const int least = round_up(n * n * real, 16) + 16;
  if (lanes == lanes_per_warp) return least;
  return least + ((lanes * real - least) % 128 + 128) % 128 / 16 * 16;
}
constexpr int stage_bytes(int n, int lanes, int real) {
  return lanes_per_warp / lanes * stage_stride(n, lanes, real);
}

// The pivot rows of a panel, in vectors of 16 bytes: rows, and panels of groups, are odd numbers of
// vectors apart.
constexpr int row_vectors(int n, int real) {
  return round_up(n * real, 16) / 16;
}
constexpr int panel_vectors(int n, int real) {
  return (panel_columns * (row_vectors(n, real) | 1)) | 1;
}
constexpr int panel_bytes(int n, int lanes, int real) {
  return lanes_per_warp / lanes * panel_vectors(n, real) * 16;
}
// 2 n whole numbers of every group.
constexpr int numbers_bytes(int n, int lanes) {
  return round_up(lanes_per_warp / lanes * 2 * n * 4, 16);
}
// Of a kernel with rows on lanes: stage, panels, numbers, a barrier.
constexpr int rows_shared_bytes(int n, int lanes, int real) {
  return round_up(
      stage_bytes(n, lanes, real) + panel_bytes(n, lanes, real) + numbers_bytes(n, lanes) + 16,
      128);
}

// Of a kernel with a matrix a thread. In bytes from one matrix to the next: an odd number of
// vectors where a matrix is whole ones, else of entries, so that lanes meet different banks.
constexpr int thread_stride(int n, int real) {
  const int bytes = n * n * real;
  return bytes % 16 == 0 ? (bytes / 16 | 1) * 16 : bytes;
}
constexpr int thread_shared_bytes(int n, int real) {
  return round_up(lanes_per_warp * thread_stride(n, real), 128);
}

}  // namespace lufact::gpu::ours
