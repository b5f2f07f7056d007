// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "core/cpu/symbolic_gp_pruned.hpp"
#include "core/cpu/test/dense_elimination.hpp"
#include "core/cpu/test/stage_harness.hpp"

namespace lufact {
namespace {

using test::Harness;

TEST(GpPruned, FindsThePatternOfDenseElimination) {
  for (const auto& named : test::cpu_matrices()) {
    SCOPED_TRACE(named.name);
    const PermutedMatrix b = test::natural_order(named.matrix);
    const CsrPattern expected = test::to_csr(test::eliminate_pattern(b.pattern));
    Harness harness;
    const ColumnPattern found = factor_pattern_gp_pruned(b.pattern.view(), harness.context);
    EXPECT_EQ(found.rows.row_ptr, expected.row_ptr);
    EXPECT_EQ(found.rows.col_idx, expected.col_idx);
    EXPECT_EQ(find_pattern_fault(found.rows.view()), "");
    for (Index i = 0; i < found.rows.n_rows; ++i) {
      EXPECT_EQ(found.diagonal[static_cast<std::size_t>(i)], find_entry(found.rows.view(), i, i));
    }
  }
}

TEST(GpPruned, FindsThePatternsOfManySmallRandomMatrices) {
  for (std::uint64_t seed = 100; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    const auto n = static_cast<Index>(2 + seed % 30);
    const CsrMatrix a = test::random_matrix(n, static_cast<Index>(1 + seed % 3), seed, 5);
    Harness harness;
    const ColumnPattern found = factor_pattern_gp_pruned(a.pattern.view(), harness.context);
    const CsrPattern expected = test::to_csr(test::eliminate_pattern(a.pattern));
    EXPECT_EQ(found.rows.row_ptr, expected.row_ptr);
    EXPECT_EQ(found.rows.col_idx, expected.col_idx);
  }
}

TEST(GpPruned, TellsTheSizeBeforeItBuildsTheRowsAndLetsTheCheckEndTheRun) {
  const auto b = test::natural_product(test::random_matrix(50, 3, 3));
  Harness harness;
  Offset told = -1;
  harness.context.check_resident = [&told](Offset nnz) { told = nnz; };
  const ProductPtr pattern = make_gp_pruned_symbolic()->run(b, harness.context);
  EXPECT_EQ(told, product_cast<ColumnPattern>(*pattern).rows.nnz());
  harness.context.check_resident = [](Offset) {
    throw Error(Outcome::oom_device, "resident", "too much");
  };
  EXPECT_THROW(make_gp_pruned_symbolic()->run(b, harness.context), Error);
}

TEST(GpPruned, ReportsProgressOfLongSearches) {
  class Counter final : public Progress {
   public:
    void report(std::string_view, Offset done, Offset total) override {
      EXPECT_GT(done, last);
      EXPECT_LE(done, total);
      last = done;
    }
    Offset last = 0;
  } counter;
  const auto b = test::natural_product(test::random_matrix(9000, 0, 1));
  Harness harness;
  harness.context.progress = &counter;
  make_gp_pruned_symbolic()->run(b, harness.context);
  EXPECT_GT(counter.last, 0);
}

}  // namespace
}  // namespace lufact
