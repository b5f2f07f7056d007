// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "baselines/glu3/fill2/fill2_stages.hpp"
#include "core/base/error.hpp"
#include "core/columns/supernodes.hpp"
#include "core/columns/test/stage_harness.hpp"
#include "core/distribution/test/thread_ranks.hpp"
#include "core/generate/generate.hpp"

namespace lufact {
namespace {

using test::Harness;

struct Case {
  Index ranks = 2;
  GsofaInter inter = GsofaInter::interleave;
  Index chunk_size = 128;
};

void set_options(const Case& how, Harness& harness) {
  harness.options.gsofa.inter = how.inter;
  harness.options.supernode_size = how.chunk_size;
  harness.options.supernodes = SupernodeRule::t3;
}

ProductPtr run_on_ranks(const ProductPtr& b, const Case& how, Harness& first) {
  const auto stage = make_fill2_symbolic();
  ProductPtr result;
  test::run_on_ranks(how.ranks, [&](RankGroup& ranks) {
    if (ranks.rank() == 0) {
      set_options(how, first);
      first.context.ranks = &ranks;
      result = stage->run(b, first.context);
      return;
    }
    Harness harness;
    set_options(how, harness);
    harness.context.ranks = &ranks;
    stage->assist(harness.context);
  });
  return result;
}

std::vector<std::pair<std::string, ProductPtr>> matrices() {
  return {{"grid", test::natural_product(generate_matrix({"grid2d", {{"nx", 30}, {"ny", 25}}, 1}))},
          {"circuit", test::natural_product(generate_matrix({"circuit", {{"n", 900}}, 2}))},
          {"one", test::natural_product(test::random_matrix(1, 1, 1))}};
}

void expect_same(const ColumnPattern& found, const ColumnPattern& expected, Index chunk_size) {
  EXPECT_EQ(found.rows.n_rows, expected.rows.n_rows);
  EXPECT_EQ(found.rows.n_cols, expected.rows.n_cols);
  EXPECT_EQ(found.rows.row_ptr, expected.rows.row_ptr);
  EXPECT_EQ(found.rows.col_idx, expected.rows.col_idx);
  EXPECT_EQ(found.diagonal, expected.diagonal);
  EXPECT_EQ(found.supernodes, find_t3_supernodes(expected, chunk_size));
}

TEST(Fill2OnRanks, FindsWhatOneProcessFinds) {
  for (const auto& [name, b] : matrices()) {
    Harness alone;
    const auto expected = make_fill2_symbolic()->run(b, alone.context);
    for (const Index ranks : {1, 2, 3, 5}) {
      for (const GsofaInter inter : {GsofaInter::interleave, GsofaInter::block}) {
        for (const Index chunk_size : {1, 7, 32, 1024}) {
          SCOPED_TRACE(testing::Message() << name << " on " << ranks << ", " << to_string(inter)
                                          << ", chunks of " << chunk_size);
          Harness first;
          const auto found = run_on_ranks(b, {ranks, inter, chunk_size}, first);
          expect_same(product_cast<ColumnPattern>(*found), product_cast<ColumnPattern>(*expected),
                      chunk_size);
        }
      }
    }
  }
}

TEST(Fill2OnRanks, NotesSayWhoDidWhat) {
  const auto b = matrices().front().second;
  Harness first;
  const auto found = run_on_ranks(b, {.ranks = 3, .chunk_size = 32}, first);
  const DistributionNotes& notes = first.notes.distribution.value();
  EXPECT_EQ(notes.nodes, 3);
  EXPECT_EQ(notes.devices_per_node, 1);
  EXPECT_EQ(notes.shared, "none");
  ASSERT_EQ(notes.ranks.size(), 3U);
  ASSERT_EQ(notes.slices.size(), 3U);
  Offset sources = 0;
  for (const DistributionSlice& slice : notes.slices) {
    sources += slice.sources;
    EXPECT_GT(slice.edges_checked, 0);
  }
  EXPECT_EQ(sources, product_cast<ColumnPattern>(*found).rows.n_rows);
  EXPECT_GT(notes.exchange_bytes, 0U);
  EXPECT_GE(notes.imbalance, 1);
}

TEST(Fill2OnRanks, TheCheckEndsTheRunBeforeRowsAreGathered) {
  const auto b = matrices().front().second;
  Harness alone, first;
  const auto expected = make_fill2_symbolic()->run(b, alone.context);
  Offset told = 0;
  first.context.check_resident = [&told](Offset nnz) {
    told = nnz;
    throw Error(Outcome::oom_device, "resident", "too much");
  };
  EXPECT_THROW(run_on_ranks(b, {}, first), Error);
  EXPECT_EQ(told, product_cast<ColumnPattern>(*expected).rows.nnz());
}

}  // namespace
}  // namespace lufact
