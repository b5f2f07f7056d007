// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "core/match/mc64.hpp"
#include "core/matrix/reader.hpp"
#include "core/matrix/test/real_matrices.hpp"
#include "core/order/suitesparse_orderings.hpp"
#include "core/permute/permute.hpp"

namespace lufact {
namespace {

void expect_scaled_to_one(const PermutedMatrix& b, const std::string& path) {
  double largest = 0, worst_diagonal = 0;
  for (Index i = 0; i < b.pattern.n_rows; ++i) {
    for (Offset p = b.pattern.row_ptr[i]; p < b.pattern.row_ptr[i + 1]; ++p) {
      const Index j = b.pattern.col_idx[p];
      const double scaled = std::abs(b.row_scale[i] * b.values[p] * b.col_scale[j]);
      largest = std::max(largest, scaled);
      if (i == j) worst_diagonal = std::max(worst_diagonal, std::abs(scaled - 1));
    }
  }
  EXPECT_LE(largest, 1 + 1e-12) << path;
  EXPECT_LE(worst_diagonal, 1e-12) << path;
  EXPECT_EQ(b.missing_diagonals_added, 0) << path;
}

TEST(RealMatrices, AreMatchedOptimallyAndPermuted) {
  const char* data = std::getenv("LUFACT_TEST_DATA");
  if (data == nullptr) GTEST_SKIP() << "LUFACT_TEST_DATA is not set";
  const std::vector<std::string> paths = test::real_matrices(data);
  ASSERT_FALSE(paths.empty());
  for (const std::string& path : paths) {
    const InputMatrix input = read_matrix(path, {});
    std::vector<Warning> warnings;
    const Matching matching = mc64(input.matrix, false, warnings);
    EXPECT_TRUE(warnings.empty()) << path;
    const CsrPattern pa = permuted_rows(input.matrix, matching.rows);
    const auto b = build_permuted_matrix(input.matrix, matching, {.perm = amd_ordering(pa)});
    EXPECT_EQ(find_pattern_fault(b->pattern.view()), "") << path;
    expect_scaled_to_one(*b, path);
  }
}

}  // namespace
}  // namespace lufact
