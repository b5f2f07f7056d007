// SPDX-License-Identifier: BSD-3-Clause
#include "core/columns/test/stage_harness.hpp"

#include <algorithm>
#include <cmath>

namespace lufact::test {
namespace {

CsrMatrix with_dense_column(Index n, Index column) {
  std::vector<Triplet> triplets;
  for (Index i = 0; i < n; ++i) {
    triplets.push_back({i, i, 4.0});
    if (i != column) triplets.push_back({i, column, 0.5});
    if (i + 1 < n) triplets.push_back({i, i + 1, -0.25});
  }
  return matrix_from_triplets(n, triplets);
}

// U(1,2) names column 1, whose part of L is empty and which therefore need not precede column 2:
// its level is 1 and that of column 2 is 0. To wait for it would be to wait for ever.
CsrMatrix late_column_without_l() {
  return matrix_from_triplets(3,
                              {{0, 0, 2}, {0, 1, 1}, {1, 0, 1}, {1, 1, 3}, {1, 2, 1}, {2, 2, 4}});
}

CsrMatrix dense_tail(Index n, Index dense, std::uint64_t seed) {
  std::vector<Triplet> triplets;
  for (Index i = 0; i < n; ++i) {
    triplets.push_back({i, i, static_cast<double>(n)});
    for (Index j = std::max(n - dense, Index{0}); j < n && i >= n - dense; ++j) {
      const std::uint64_t bits =
          hash64(seed, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j));
      if (i != j) triplets.push_back({i, j, symmetric_interval(bits)});
    }
    if (i < n - dense) triplets.push_back({n - 1 - i % dense, i, 0.5});
    if (i < n - dense) triplets.push_back({i, n - dense + i % dense, 0.5});
  }
  return matrix_from_triplets(n, triplets);
}

}  // namespace

void give_scales(PermutedMatrix& b, std::uint64_t seed) {
  const auto n = static_cast<std::size_t>(b.pattern.n_rows);
  for (std::size_t i = 0; i < n; ++i) {
    b.row_scale[i] = 0.5 + unit_interval(hash64(seed, i, 0));
    b.col_scale[i] = 0.5 + unit_interval(hash64(seed, i, 1));
  }
  b.scaled_norm = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double sum = 0;
    for (Offset p = b.pattern.row_ptr[i]; p < b.pattern.row_ptr[i + 1]; ++p) {
      const auto j = static_cast<std::size_t>(b.pattern.col_idx[static_cast<std::size_t>(p)]);
      sum += std::abs(b.row_scale[i] * b.values[static_cast<std::size_t>(p)] * b.col_scale[j]);
    }
    b.scaled_norm = std::max(b.scaled_norm, sum);
  }
}

std::vector<NamedMatrix> cpu_matrices() {
  std::vector<NamedMatrix> list = named_matrices();
  list.push_back({"dense_column_first", with_dense_column(33, 0)});
  list.push_back({"dense_column_last", with_dense_column(33, 32)});
  list.push_back({"late_column_without_l", late_column_without_l()});
  list.push_back({"dense_tail", dense_tail(90, 21, 5)});
  list.push_back({"two", matrix_from_triplets(2, {{0, 0, 2}, {0, 1, 1}, {1, 0, 1}, {1, 1, 3}})});
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const auto per_row = static_cast<Index>(1 + seed % 4);
    list.push_back({"random_unsymmetric_" + std::to_string(seed),
                    random_matrix(static_cast<Index>(20 + 13 * seed), per_row, seed)});
  }
  return list;
}

}  // namespace lufact::test
