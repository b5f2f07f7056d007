// SPDX-License-Identifier: BSD-3-Clause
// One test body for every symbolic stage of the catalogue that works on the host.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/error.hpp"
#include "core/columns/test/dense_elimination.hpp"
#include "core/columns/test/stage_harness.hpp"
#include "core/generate/generate.hpp"
#include "core/matrix/reader.hpp"
#include "core/permute/permute.hpp"
#include "core/reference/symbolic.hpp"
#include "lufact/catalogue.hpp"

namespace lufact {
namespace {

using nlohmann::json;
using test::Harness;
namespace fs = std::filesystem;

const Catalogue& catalogue() {
  static const Catalogue all = make_catalogue();
  return all;
}

std::vector<const SymbolicStage*> host_stages() {
  std::vector<const SymbolicStage*> stages;
  for (const auto& stage : catalogue().symbolic) {
    const StageInfo& info = stage->info();
    const bool column_family = info.gives == product_types::column_pattern;
    if (info.side == Side::host && column_family) stages.push_back(stage.get());
  }
  return stages;
}

std::string name_of(const testing::TestParamInfo<const SymbolicStage*>& stage) {
  std::string name = stage.param->info().name;
  for (char& c : name) c = c == '-' ? '_' : c;
  return name;
}

class HostSymbolic : public testing::TestWithParam<const SymbolicStage*> {
 protected:
  static ColumnPattern run(const ProductPtr& b, int threads = 1) {
    Harness harness(threads);
    return product_cast<ColumnPattern>(*GetParam()->run(b, harness.context));
  }
};

void expect_pattern(const ColumnPattern& found, const CsrPattern& expected) {
  EXPECT_EQ(found.rows.n_rows, expected.n_rows);
  EXPECT_EQ(found.rows.n_cols, expected.n_cols);
  EXPECT_EQ(found.rows.row_ptr, expected.row_ptr);
  EXPECT_EQ(found.rows.col_idx, expected.col_idx);
  ASSERT_EQ(found.diagonal.size(), std::size_t(found.rows.n_rows));
  for (Index i = 0; i < found.rows.n_rows; ++i) {
    EXPECT_EQ(found.diagonal[std::size_t(i)], find_entry(found.rows.view(), i, i)) << i;
  }
}

TEST_P(HostSymbolic, FindsThePatternOfDenseElimination) {
  for (const auto& named : test::cpu_matrices()) {
    SCOPED_TRACE(named.name);
    const auto b = test::natural_product(named.matrix);
    expect_pattern(run(b), test::to_csr(test::eliminate_pattern(b->pattern)));
  }
}

TEST_P(HostSymbolic, FindsThePatternsOfManySmallRandomMatrices) {
  for (std::uint64_t seed = 100; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    const auto n = static_cast<Index>(2 + seed % 30);
    const auto b =
        test::natural_product(test::random_matrix(n, static_cast<Index>(1 + seed % 3), seed, 5));
    expect_pattern(run(b), test::to_csr(test::eliminate_pattern(b->pattern)));
  }
}

// Scaled, matched and ordered as a run does it.
ProductPtr preprocessed(const CsrMatrix& a) {
  Harness harness;
  const StageSelection names = catalogue().mode("cpu").stages;
  const Chain chain = resolve_chain(catalogue(), names);
  const Matching matching = chain.scaling->run(a, harness.context);
  const CsrPattern rows = permuted_rows(a, matching.rows);
  return build_permuted_matrix(a, matching, chain.ordering->run(rows, harness.context));
}

// A few entries a row, all near the diagonal: unsymmetric, with fill inside the band.
CsrMatrix random_band(Index n, Index half_width, std::uint64_t seed) {
  std::vector<test::Triplet> triplets;
  for (Index i = 0; i < n; ++i) {
    triplets.push_back({i, i, 10.0});
    for (std::uint64_t k = 0; k < 4; ++k) {
      const std::uint64_t bits = hash64(seed, static_cast<std::uint64_t>(i), k);
      const auto span = static_cast<std::uint64_t>(2 * half_width + 1);
      const Index j = i - half_width + static_cast<Index>(bits % span);
      if (j >= 0 && j < n) triplets.push_back({i, j, 1.0});
    }
  }
  return test::matrix_from_triplets(n, triplets);
}

// Large enough for the stages to use all threads.
std::vector<std::pair<std::string, ProductPtr>> parallel_cases() {
  return {{"grid", preprocessed(generate_matrix({"grid2d", {{"nx", 70}, {"ny", 70}}, 1}))},
          {"circuit", preprocessed(generate_matrix({"circuit", {{"n", 6000}}, 2}))},
          {"natural_grid",
           test::natural_product(generate_matrix({"grid2d", {{"nx", 90}, {"ny", 60}}, 1}))},
          {"band", test::natural_product(random_band(5000, 30, 3))}};
}

TEST_P(HostSymbolic, FindsTheReferencePatternOnAnyNumberOfThreads) {
  for (const auto& [name, b] : parallel_cases()) {
    SCOPED_TRACE(name);
    const CsrPattern& pattern = product_cast<PermutedMatrix>(*b).pattern;
    ASSERT_GT(pattern.nnz(), 20'000);
    const ColumnPattern expected = reference::fill2(pattern);
    for (const int threads : {1, 2, 5}) expect_pattern(run(b, threads), expected.rows);
  }
}

TEST_P(HostSymbolic, TellsTheSizeAndLetsTheCheckEndTheRun) {
  const auto b = test::natural_product(test::random_matrix(50, 3, 3));
  Harness harness;
  Offset told = -1;
  harness.context.check_resident = [&told](Offset nnz) { told = nnz; };
  const ProductPtr pattern = GetParam()->run(b, harness.context);
  EXPECT_EQ(told, product_cast<ColumnPattern>(*pattern).rows.nnz());
  harness.context.check_resident = [](Offset) {
    throw Error(Outcome::oom_device, "resident", "too much");
  };
  EXPECT_THROW(GetParam()->run(b, harness.context), Error);
}

void expect_counts(const ColumnPattern& pattern, const json& golden, const char* nnz_l) {
  Offset lower = 0;
  for (std::size_t i = 0; i < pattern.diagonal.size(); ++i) {
    lower += pattern.diagonal[i] - pattern.rows.row_ptr[i];
  }
  EXPECT_EQ(lower, golden.at(nnz_l).get<Offset>());
  EXPECT_EQ(pattern.rows.nnz() - lower, golden.at("nnz_u").get<Offset>());
}

std::vector<json> read_lines(const fs::path& path) {
  std::ifstream file(path);
  std::vector<json> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(json::parse(line));
  return lines;
}

std::shared_ptr<PermutedMatrix> read_natural_order(const fs::path& path) {
  ReadOptions options;
  options.explicit_zeros = ExplicitZeros::keep;
  return test::natural_product(read_matrix(path.string(), options).matrix);
}

TEST_P(HostSymbolic, HasTheGoldenCountsOfGeneratedMatrices) {
  const fs::path folder = LUFACT_GOLDEN_DIR;
  if (!fs::exists(folder)) GTEST_SKIP() << "the golden matrices of the source tree are not here";
  for (const json& golden : read_lines(folder / "counts.jsonl")) {
    const auto name = golden.at("matrix").get<std::string>();
    SCOPED_TRACE(name);
    expect_counts(run(read_natural_order(folder / (name + ".mtx"))), golden, "nnz_l");
  }
}

TEST_P(HostSymbolic, HasTheGoldenCountsOfRealMatricesOfModestFill) {
  const char* data = std::getenv("LUFACT_TEST_DATA");
  if (data == nullptr || *data == '\0') {
    GTEST_SKIP() << "LUFACT_TEST_DATA names no folder with real matrices";
  }
  constexpr Offset most_entries = 1'000'000;  // the searches without pruning are slow
  for (const json& golden : read_lines(fs::path(data) / "golden" / "natural_order.jsonl")) {
    if (golden.at("nnz_l_strict").get<Offset>() + golden.at("nnz_u").get<Offset>() > most_entries) {
      continue;
    }
    const auto name = golden.at("matrix").get<std::string>();
    SCOPED_TRACE(name);
    const auto b = read_natural_order(fs::path(data) / "matrices" / (name + ".mtx.xz"));
    expect_counts(run(b, 2), golden, "nnz_l_strict");
  }
}

template <class Named, class NameOf>
void expect_different_names(const std::vector<Named>& all, const NameOf& name) {
  std::set<std::string> names;
  for (const auto& one : all) EXPECT_TRUE(names.insert(name(one)).second) << name(one);
}

TEST(Catalogue, NamesModesAndStagesOnce) {
  const auto stage_name = [](const auto& stage) { return stage->info().name; };
  expect_different_names(catalogue().symbolic, stage_name);
  expect_different_names(catalogue().levelize, stage_name);
  expect_different_names(catalogue().numeric, stage_name);
  expect_different_names(catalogue().modes, [](const Mode& mode) { return mode.name; });
}

INSTANTIATE_TEST_SUITE_P(Catalogue, HostSymbolic, testing::ValuesIn(host_stages()), name_of);

}  // namespace
}  // namespace lufact
