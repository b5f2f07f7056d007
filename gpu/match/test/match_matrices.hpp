// SPDX-License-Identifier: BSD-3-Clause
// Matrices that try the steps of a matching, by name, and what a result must keep.
#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/matrix/reader.hpp"
#include "core/order/test/preprocess_fixtures.hpp"
#include "core/verify/validate_preprocessing.hpp"
#include "gpu/match/match_state.hpp"

namespace lufact::testing {

// Saddle points with a zero block, as of interior-point methods: entries spread over `decades`.
inline CsrMatrix saddle_point(Index primal, Index dual, double decades, std::uint64_t seed) {
  Draws draws(seed);
  const auto value = [&] { return std::pow(10.0, decades * (2 * draws.unit() - 1)); };
  Cells cells;
  for (Index k = 0; k < primal; ++k) cells[{k, k}] = value();
  for (Index k = 0; k < dual; ++k) {
    for (int entry = 0; entry < 3; ++entry) {
      const Index column = entry == 0 ? k % primal : draws.below(primal);
      cells[{primal + k, column}] = cells[{column, primal + k}] = value();
    }
  }
  return matrix_of(primal + dual, cells);
}

// Each row but the last takes its own column and leaves the last row but one way: each of them has
// to move on by one.
inline CsrMatrix long_path(Index n) {
  Cells cells;
  for (Index k = 0; k + 1 < n; ++k) cells[{k, k}] = cells[{k, k + 1}] = 1;
  cells[{n - 1, 0}] = 1;
  return matrix_of(n, cells);
}

// Rows of very unequal length: some for a block, some for a warp, one that is full.
inline CsrMatrix uneven_rows(Index n, std::uint64_t seed) {
  Draws draws(seed);
  Cells cells;
  const std::vector<Index> hidden = random_labels(n, draws);
  for (Index i = 0; i < n; ++i) {
    cells[{i, hidden[i]}] = 0.01 + draws.unit();
    const Index length = i % 97 == 0 ? 400 : i % 13 == 0 ? 60 : 2;
    for (Index k = 0; k < length; ++k) cells[{i, draws.below(n)}] = std::pow(10, 4 * draws.unit());
  }
  for (Index j = 0; j < n; ++j) cells[{n / 2, j}] = 1 + draws.unit();
  return matrix_of(n, cells);
}

// Many rows compete for few columns, which all the rest needs a long way round.
inline CsrMatrix crowded_columns(Index n, std::uint64_t seed) {
  Draws draws(seed);
  Cells cells;
  for (Index i = 0; i < n; ++i) {
    cells[{i, i}] = 1e-4 * (1 + draws.unit());
    for (int k = 0; k < 2; ++k) {
      const double unit = draws.unit();
      cells[{i, static_cast<Index>(n * unit * unit * unit * unit)}] = 1 + draws.unit();
    }
  }
  return matrix_of(n, cells);
}

// Rows of the matrices that tests take where each access is watched, which is slow.
inline constexpr Index rows_under_watch = 200;
// Where each row is taken by a block, which is slower still.
inline constexpr Index rows_by_blocks_under_watch = 33;

inline std::map<std::string, CsrMatrix> perfect_matrices() {
  std::map<std::string, CsrMatrix> all;
  all["one by one"] = matrix_of(1, {{{0, 0}, -8.0}});
  all["antidiagonal"] = matrix_of(2, {{{0, 1}, 1.0}, {{1, 0}, 3.0}});
  for (const Index n : {31, 32, 33, 500, 2500}) {
    for (const double extra : {1.0, 3.0, 9.0}) {
      const std::string name = std::to_string(n) + " random, " + std::to_string(extra);
      all[name] = random_matrix(n, extra, 5, true, 11 + static_cast<std::uint64_t>(n));
    }
  }
  all["equal magnitudes"] = random_matrix(3000, 2, 0, true, 3);
  all["600 decades"] = random_matrix(300, 2, 300, true, 4);
  all["saddle point"] = saddle_point(3000, 1800, 3, 5);
  all["harder saddle point"] = saddle_point(4000, 3999, 8, 6);
  all["long path"] = long_path(4000);
  all["uneven rows"] = uneven_rows(3000, 7);
  all["crowded columns"] = crowded_columns(4000, 8);
  all["grid"] = grid_matrix(60, 50);
  all["small saddle point"] = saddle_point(90, 60, 5, 5);
  all["short path"] = long_path(80);
  all["few uneven rows"] = uneven_rows(150, 7);
  all["few crowded columns"] = crowded_columns(120, 8);
  CsrMatrix subnormal = random_matrix(200, 3, 3, true, 9);
  for (double& value : subnormal.values) value *= 1e-310;
  all["subnormal"] = subnormal;
  CsrMatrix zeros = random_matrix(2200, 4, 3, true, 10);
  for (std::size_t k = 0; k < zeros.values.size(); k += 7) {
    if (zeros.pattern.nnz() > 0) zeros.values[k] *= 1e-30;
  }
  all["tiny entries"] = zeros;
  return all;
}

// With their structural ranks.
inline std::map<std::string, std::pair<CsrMatrix, Index>> deficient_matrices() {
  std::map<std::string, std::pair<CsrMatrix, Index>> all;
  all["no entries"] = {matrix_of(2500, {}), 0};
  CsrMatrix grid = grid_matrix(60, 50);
  for (Offset p = grid.pattern.row_ptr[1234]; p < grid.pattern.row_ptr[1235]; ++p) {
    grid.values[at(p)] = 0;
  }
  all["row of zeros"] = {grid, 2999};
  Cells column;
  for (Index i = 0; i < 2600; ++i) column[{i, 7}] = 1 + i;
  all["one column"] = {matrix_of(2600, column), 1};
  Cells tall;  // 3000 rows with entries in 1000 columns alone
  Draws draws(12);
  for (Index i = 0; i < 3000; ++i) {
    tall[{i, i % 1000}] = 1 + draws.unit();
    tall[{i, draws.below(1000)}] = 10 * draws.unit();
  }
  all["too few columns"] = {matrix_of(3000, tall), 1000};
  CsrMatrix small_grid = grid_matrix(9, 8);
  for (Offset p = small_grid.pattern.row_ptr[31]; p < small_grid.pattern.row_ptr[32]; ++p) {
    small_grid.values[at(p)] = 0;
  }
  all["small row of zeros"] = {small_grid, 71};
  all["few rows without entries"] = {matrix_of(40, {}), 0};
  return all;
}

inline double log2_product(const CsrMatrix& a, const Matching& matching) {
  double sum = 0;
  for (Index j = 0; j < a.pattern.n_rows; ++j) {
    const Offset p = find_entry(a.pattern.view(), matching.rows.old_of_new()[at(j)], j);
    if (p >= 0) sum += std::log2(std::abs(a.values[at(p)]));
  }
  return sum;
}

// The product of the matched entries is within the bound that the scales prove of the best one.
inline void expect_as_good_as(const CsrMatrix& a, const Matching& best, const Matching& matching,
                              bool clamped) {
  const double gap = log2_product(a, best) - log2_product(a, matching);
  const double bound = 2.0 * a.pattern.n_rows / gpu::units_per_power + 1e-6;
  EXPECT_LE(gap, bound);
  EXPECT_GE(gap, -1e-6 * std::max(1.0, std::abs(log2_product(a, best))));
  if (clamped) return;
  const ValidatorVerdict verdict = validate_matching(a, matching, 1e-12, gpu::largest_scaled_entry);
  EXPECT_TRUE(verdict.passed) << verdict.message;
}

// Files of LUFACT_TEST_DATA, the harder ones too, without the complex one.
inline std::vector<std::string> matrix_files(const std::string& data) {
  std::vector<std::string> paths;
  for (const char* const folder : {"/matrices", "/matrices/more"}) {
    if (!std::filesystem::is_directory(data + folder)) continue;
    for (const auto& file : std::filesystem::directory_iterator(data + folder)) {
      const std::string name = file.path().filename().string();
      if (name.ends_with(".mtx.xz") && !name.starts_with("gun_T")) paths.push_back(file.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace lufact::testing
