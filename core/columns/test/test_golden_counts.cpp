// SPDX-License-Identifier: BSD-3-Clause
// The CPU line against the golden counts of real matrices in natural order (LUFACT_TEST_DATA).
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "core/columns/dependency.hpp"
#include "core/columns/symbolic_gp_pruned.hpp"
#include "core/columns/symbolic_parallel.hpp"
#include "core/columns/test/stage_harness.hpp"
#include "core/matrix/reader.hpp"

namespace lufact {
namespace {

namespace fs = std::filesystem;

struct Counts {
  Offset nnz_l = 0, nnz_u = 0;
  double flops = 0;  // divisions and twice the multiply-adds
};

Counts count(const ColumnPattern& pattern) {
  Counts counts;
  std::vector<Offset> below(std::size_t(pattern.rows.n_rows), 0);
  for (std::size_t i = 0; i < below.size(); ++i) {
    for (Offset p = pattern.rows.row_ptr[i]; p < pattern.diagonal[i]; ++p) {
      ++below[std::size_t(pattern.rows.col_idx[std::size_t(p)])];
    }
    counts.nnz_l += pattern.diagonal[i] - pattern.rows.row_ptr[i];
    counts.nnz_u += pattern.rows.row_ptr[i + 1] - pattern.diagonal[i];
  }
  for (std::size_t i = 0; i < below.size(); ++i) {
    const Offset right = pattern.rows.row_ptr[i + 1] - pattern.diagonal[i] - 1;
    counts.flops += static_cast<double>(below[i]) * (1.0 + 2.0 * static_cast<double>(right));
  }
  return counts;
}

fs::path matrix_file(const fs::path& data, const std::string& name) {
  const std::string file = name + ".mtx.xz";
  return fs::exists(data / "matrices" / file) ? data / "matrices" / file : data / "golden" / file;
}

TEST(CpuGolden, NaturalOrderCountsOfRealMatrices) {
  const char* folder = std::getenv("LUFACT_TEST_DATA");
  if (folder == nullptr) GTEST_SKIP() << "LUFACT_TEST_DATA is not set";
  std::ifstream lines(fs::path(folder) / "golden" / "natural_order.jsonl");
  ASSERT_TRUE(lines.is_open());
  int matrices = 0;
  for (std::string line; std::getline(lines, line); ++matrices) {
    const auto golden = nlohmann::json::parse(line);
    const auto name = golden.at("matrix").get<std::string>();
    SCOPED_TRACE(name);
    ReadOptions options;
    options.explicit_zeros = ExplicitZeros::keep;
    const auto a = read_matrix(matrix_file(folder, name).string(), options);
    const PermutedMatrix b = test::natural_order(a.matrix);
    EXPECT_EQ(b.missing_diagonals_added, golden.at("missing_diagonals_added"));
    test::Harness harness;
    const ColumnPattern pattern = factor_pattern_gp_pruned(b.pattern.view(), harness.context);
    const ColumnPattern parallel = factor_pattern_parallel(b.pattern.view(), 2, harness.context);
    EXPECT_EQ(parallel.rows.row_ptr, pattern.rows.row_ptr);
    EXPECT_TRUE(parallel.rows.col_idx == pattern.rows.col_idx);
    EXPECT_EQ(parallel.diagonal, pattern.diagonal);
    const Counts counts = count(pattern);
    EXPECT_EQ(counts.nnz_l, golden.at("nnz_l_strict"));
    EXPECT_EQ(counts.nnz_u, golden.at("nnz_u"));
    EXPECT_EQ(counts.flops, golden.at("flops").get<double>());
    EXPECT_EQ(count_levels(pattern, DependencyRule::glu1), golden.at("levels_glu1"));
    EXPECT_EQ(count_levels(pattern, DependencyRule::exact), golden.at("levels_exact"));
    EXPECT_EQ(count_levels(pattern, DependencyRule::relaxed), golden.at("levels_relaxed"));
  }
  EXPECT_GT(matrices, 0);
}

}  // namespace
}  // namespace lufact
