// SPDX-License-Identifier: BSD-3-Clause
// The references and the handlers against counts that share no code with them: those of
// scripts/make_golden_counts.py, committed beside this test, and, where LUFACT_TEST_DATA names a
// folder with real matrices, the golden counts found there.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/matrix/reader.hpp"
#include "core/reference/levelize.hpp"
#include "core/reference/symbolic.hpp"
#include "core/verify/column_handlers.hpp"
#include "core/verify/test/test_support.hpp"
#include "core/verify/validate_schedule.hpp"

namespace lufact {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

std::vector<json> read_lines(const fs::path& path) {
  std::ifstream file(path);
  std::vector<json> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(json::parse(line));
  return lines;
}

PermutedMatrix read_natural_order(const fs::path& path) {
  ReadOptions options;
  options.explicit_zeros = ExplicitZeros::keep;
  return test::natural_order(read_matrix(path.string(), options).matrix);
}

FactorsRecord describe(const PermutedMatrix& b, const ColumnPattern& pattern) {
  FactorsRecord record;
  const auto handlers = column_product_handlers();
  EXPECT_TRUE(handlers.front()->validate(b, nullptr, pattern).passed);
  handlers.front()->describe(b, nullptr, pattern, record);
  return record;
}

// `nnz_l` and so on are the names of the counts in the golden file.
void expect_counts(const json& golden, const PermutedMatrix& b, const FactorsRecord& record,
                   const char* nnz, const char* nnz_l, const char* fill_in) {
  EXPECT_EQ(b.pattern.n_rows, golden.at("n"));
  EXPECT_EQ(b.pattern.nnz() - b.missing_diagonals_added, golden.at(nnz));
  EXPECT_EQ(b.missing_diagonals_added, golden.at("missing_diagonals_added"));
  EXPECT_EQ(record.nnz_l, golden.at(nnz_l).get<Offset>());
  EXPECT_EQ(record.nnz_u, golden.at("nnz_u").get<Offset>());
  EXPECT_EQ(record.fill_in, golden.at(fill_in).get<Offset>());
  EXPECT_EQ(record.flops, golden.at("flops").get<double>());
  EXPECT_EQ(record.levels_by_rule.glu1, golden.at("levels_glu1").get<Offset>());
  EXPECT_EQ(record.levels_by_rule.exact, golden.at("levels_exact").get<Offset>());
  EXPECT_EQ(record.levels_by_rule.relaxed, golden.at("levels_relaxed").get<Offset>());
}

TEST(Golden, GeneratedMatricesHaveTheCountsOfTheBruteForceScript) {
  const fs::path folder = LUFACT_GOLDEN_DIR;
  const std::vector<json> lines = read_lines(folder / "counts.jsonl");
  ASSERT_GE(lines.size(), 12u) << folder;
  for (const json& golden : lines) {
    const auto name = golden.at("matrix").get<std::string>();
    SCOPED_TRACE(name);
    const PermutedMatrix b = read_natural_order(folder / (name + ".mtx"));
    for (const ColumnPattern& pattern :
         {reference::fill2(b.pattern), reference::row_merge(b.pattern)}) {
      expect_counts(golden, b, describe(b, pattern), "nnz", "nnz_l", "fill_in");
    }
  }
}

TEST(Golden, ReferenceSchedulesHaveTheLevelsOfTheBruteForceScript) {
  const fs::path folder = LUFACT_GOLDEN_DIR;
  for (const json& golden : read_lines(folder / "counts.jsonl")) {
    const auto name = golden.at("matrix").get<std::string>();
    SCOPED_TRACE(name);
    const ColumnPattern pattern =
        reference::fill2(read_natural_order(folder / (name + ".mtx")).pattern);
    const auto schedule = [&pattern](DependencyRule rule) {
      return reference::levelize(pattern, rule);
    };
    EXPECT_EQ(schedule(DependencyRule::glu1).levels(), golden.at("levels_glu1"));
    EXPECT_EQ(schedule(DependencyRule::exact).levels(), golden.at("levels_exact"));
    EXPECT_EQ(schedule(DependencyRule::relaxed).levels(), golden.at("levels_relaxed"));
    // Fewer levels than the exact rule needs cannot be safe.
    const bool unsafe = golden.at("levels_glu1") < golden.at("levels_exact");
    const bool glu1_passed =
        validate_column_schedule(pattern, schedule(DependencyRule::glu1)).passed;
    EXPECT_FALSE(unsafe && glu1_passed);
  }
}

TEST(Golden, RealMatricesOfModestFillHaveTheirCounts) {
  const char* data = std::getenv("LUFACT_TEST_DATA");
  if (data == nullptr) GTEST_SKIP() << "LUFACT_TEST_DATA names no folder with real matrices";
  constexpr Offset most_entries = 1'000'000;  // the references are slow
  const std::vector<json> lines = read_lines(fs::path(data) / "golden" / "natural_order.jsonl");
  ASSERT_FALSE(lines.empty());
  for (const json& golden : lines) {
    if (golden.at("nnz_l_strict").get<Offset>() + golden.at("nnz_u").get<Offset>() > most_entries) {
      continue;
    }
    const auto name = golden.at("matrix").get<std::string>();
    SCOPED_TRACE(name);
    const PermutedMatrix b = read_natural_order(fs::path(data) / "matrices" / (name + ".mtx.xz"));
    const ColumnPattern pattern = reference::fill2(b.pattern);
    expect_counts(golden, b, describe(b, pattern), "nnz_expanded", "nnz_l_strict", "new_fill");
  }
}

}  // namespace
}  // namespace lufact
