// SPDX-License-Identifier: BSD-3-Clause
#include "core/verify/test/test_support.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "core/base/random.hpp"

namespace lufact::test {
namespace {

// -1 off the diagonal wherever `neighbours` says, and a dominant diagonal.
CsrMatrix laplacian(Index n, const std::vector<std::pair<Index, Index>>& neighbours) {
  std::vector<Triplet> triplets;
  std::vector<double> degree(at(n), 1.0);
  for (const auto& [i, j] : neighbours) {
    triplets.push_back({i, j, -1.0});
    degree[at(i)] += 1.0;
  }
  for (Index i = 0; i < n; ++i) triplets.push_back({i, i, degree[at(i)]});
  return matrix_from_triplets(n, std::move(triplets));
}

CsrMatrix grid(Index width, Index height) {
  std::vector<std::pair<Index, Index>> edges;
  for (Index y = 0; y < height; ++y) {
    for (Index x = 0; x < width; ++x) {
      const Index i = y * width + x;
      if (x + 1 < width) edges.insert(edges.end(), {{i, i + 1}, {i + 1, i}});
      if (y + 1 < height) edges.insert(edges.end(), {{i, i + width}, {i + width, i}});
    }
  }
  return laplacian(width * height, edges);
}

// Row and column `hub` full; hub 0 fills everything, hub n - 1 nothing.
CsrMatrix arrow(Index n, Index hub) {
  std::vector<std::pair<Index, Index>> edges;
  for (Index i = 0; i < n; ++i) {
    if (i != hub) edges.insert(edges.end(), {{i, hub}, {hub, i}});
  }
  return laplacian(n, edges);
}

CsrMatrix with_dense_row(Index n, Index row) {
  std::vector<std::pair<Index, Index>> edges;
  for (Index i = 0; i < n; ++i) {
    if (i != row) edges.emplace_back(row, i);
    if (i > 0 && i - 1 != row && i != row) edges.emplace_back(i - 1, i);
  }
  return laplacian(n, edges);
}

CsrMatrix bidiagonal(Index n, bool upper) {
  std::vector<std::pair<Index, Index>> edges;
  for (Index i = 1; i < n; ++i) {
    if (upper) edges.emplace_back(i - 1, i);
    if (!upper) edges.emplace_back(i, i - 1);
  }
  return laplacian(n, edges);
}

// Two blocks that do not touch, their labels interleaved.
CsrMatrix disconnected(Index n, std::uint64_t seed) {
  const CsrMatrix block = random_matrix(n / 2, 3, seed);
  std::vector<Triplet> triplets;
  for (Index i = 0; i < n / 2; ++i) {
    for (std::size_t p = 0; p < block.pattern.row(i).size(); ++p) {
      const Index j = block.pattern.row(i)[p];
      const double value = block.row_values(i)[p];
      triplets.insert(triplets.end(), {{2 * i, 2 * j, value}, {2 * i + 1, 2 * j + 1, value}});
    }
  }
  return matrix_from_triplets(2 * (n / 2), std::move(triplets));
}

void add_singular_matrices(std::vector<NamedMatrix>& list) {
  list.push_back({"zero_1", matrix_from_triplets(1, {}), false});
  list.push_back({"zero_5", matrix_from_triplets(5, {}), false});
  list.push_back({"zero_row",
                  matrix_from_triplets(4, {{0, 0, 2}, {0, 3, 1}, {1, 1, 3}, {3, 0, 1}, {3, 3, 4}}),
                  false});
  list.push_back(
      {"equal_rows",
       matrix_from_triplets(3, {{0, 0, 1}, {0, 1, 2}, {1, 0, 1}, {1, 1, 2}, {2, 1, 1}, {2, 2, 1}}),
       false});
}

}  // namespace

CsrMatrix matrix_from_triplets(Index n, std::vector<Triplet> triplets) {
  std::map<std::pair<Index, Index>, double> entries;
  for (const Triplet& t : triplets) entries[{t.row, t.col}] += t.value;
  CsrMatrix matrix;
  matrix.pattern.n_rows = matrix.pattern.n_cols = n;
  matrix.pattern.row_ptr.assign(at(n) + 1, 0);
  for (const auto& [place, value] : entries) {
    ++matrix.pattern.row_ptr[at(place.first) + 1];
    matrix.pattern.col_idx.push_back(place.second);
    matrix.values.push_back(value);
  }
  for (std::size_t i = 0; i < at(n); ++i) {
    matrix.pattern.row_ptr[i + 1] += matrix.pattern.row_ptr[i];
  }
  return matrix;
}

CsrMatrix random_matrix(Index n, Index per_row, std::uint64_t seed, Index missing_every) {
  std::vector<Triplet> triplets;
  for (Index i = 0; i < n; ++i) {
    const auto row = static_cast<std::uint64_t>(i);
    double sum = 1;
    for (Index k = 0; k < per_row; ++k) {
      const std::uint64_t bits = hash64(seed, row, static_cast<std::uint64_t>(k));
      const auto j = static_cast<Index>(bits % static_cast<std::uint64_t>(n));
      if (j == i) continue;
      const double value = symmetric_interval(mix64(bits));
      triplets.push_back({i, j, value});
      sum += std::abs(value);
    }
    const bool missing = missing_every > 0 && i % missing_every == missing_every - 1;
    if (!missing) triplets.push_back({i, i, sum});
  }
  return matrix_from_triplets(n, std::move(triplets));
}

CsrMatrix glu3_example() {
  return matrix_from_triplets(
      3, {{0, 0, 1}, {0, 2, 1}, {1, 0, 1}, {1, 1, 1}, {1, 2, 1}, {2, 1, 1}, {2, 2, 1}});
}

std::vector<NamedMatrix> named_matrices() {
  std::vector<NamedMatrix> list;
  list.push_back({"empty", matrix_from_triplets(0, {})});
  list.push_back({"one", matrix_from_triplets(1, {{0, 0, 3}})});
  list.push_back({"glu3_example", glu3_example()});
  for (const Index n : {31, 32, 33, 63, 64, 65}) {
    list.push_back({"random_" + std::to_string(n), random_matrix(n, 3, 1000 + at(n))});
  }
  list.push_back({"random_missing_diagonal", random_matrix(40, 3, 7, 3), false});
  list.push_back({"random_sparse_200", random_matrix(200, 2, 11)});
  list.push_back({"random_denser_100", random_matrix(100, 12, 13)});
  list.push_back({"dense_33", random_matrix(33, 400, 17)});
  list.push_back({"dense_row_first", with_dense_row(40, 0)});
  list.push_back({"dense_row_middle", with_dense_row(40, 20)});
  list.push_back({"dense_row_last", with_dense_row(40, 39)});
  list.push_back({"arrow_full_fill", arrow(33, 0)});
  list.push_back({"arrow_no_fill", arrow(33, 32)});
  list.push_back({"diagonal", laplacian(64, {})});
  list.push_back({"lower_bidiagonal", bidiagonal(33, false)});
  list.push_back({"upper_bidiagonal", bidiagonal(33, true)});
  list.push_back({"disconnected", disconnected(60, 19)});
  list.push_back({"grid_12x9", grid(12, 9)});
  list.push_back({"path_1x65", grid(1, 65)});
  list.push_back({"off_diagonal_only", matrix_from_triplets(2, {{0, 1, 1}, {1, 0, 2}}), false});
  add_singular_matrices(list);
  return list;
}

PermutedMatrix natural_order(const CsrMatrix& a) {
  PermutedMatrix b;
  const Index n = a.pattern.n_rows;
  b.pattern.n_rows = b.pattern.n_cols = n;
  b.rows = b.cols = Permutation::identity(n);
  b.row_scale.assign(at(n), 1.0);
  b.col_scale.assign(at(n), 1.0);
  const auto append = [&b](Index column, double value, Offset source) {
    b.pattern.col_idx.push_back(column);
    b.values.push_back(value);
    b.source.push_back(source);
  };
  for (Index i = 0; i < n; ++i) {
    bool diagonal_done = find_entry(a.pattern.view(), i, i) >= 0;
    double sum = 0;
    for (Offset p = a.pattern.row_ptr[at(i)]; p < a.pattern.row_ptr[at(i) + 1]; ++p) {
      if (!diagonal_done && a.pattern.col_idx[at(p)] > i) {
        append(i, 0.0, -1);
        diagonal_done = true;
        ++b.missing_diagonals_added;
      }
      append(a.pattern.col_idx[at(p)], a.values[at(p)], p);
      sum += std::abs(a.values[at(p)]);
    }
    if (!diagonal_done) {
      append(i, 0.0, -1);
      ++b.missing_diagonals_added;
    }
    b.pattern.row_ptr.push_back(static_cast<Offset>(b.pattern.col_idx.size()));
    b.scaled_norm = std::max(b.scaled_norm, sum);
  }
  return b;
}

}  // namespace lufact::test
