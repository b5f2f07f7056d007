// SPDX-License-Identifier: BSD-3-Clause
// Patterns and permutations against their definitions on small random matrices.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>
#include <utility>

#include "core/base/error.hpp"
#include "core/matrix/pattern.hpp"
#include "core/matrix/permutation.hpp"

namespace lufact {
namespace {

using Places = std::set<std::pair<Index, Index>>;

CsrPattern make_pattern(Index n_rows, Index n_cols, const Places& places) {
  CsrPattern pattern{n_rows, n_cols, {0}, {}};
  for (Index i = 0; i < n_rows; ++i) {
    for (Index j = 0; j < n_cols; ++j) {
      if (places.count({i, j}) != 0) pattern.col_idx.push_back(j);
    }
    pattern.row_ptr.push_back(static_cast<Offset>(pattern.col_idx.size()));
  }
  return pattern;
}

Places places_of(const CsrPattern& pattern) {
  Places places;
  for (Index i = 0; i < pattern.n_rows; ++i) {
    for (const Index j : pattern.row(i)) places.insert({i, j});
  }
  return places;
}

Places random_places(std::mt19937& random, Index n_rows, Index n_cols) {
  Places places;
  for (Index i = 0; i < n_rows; ++i) {
    for (Index j = 0; j < n_cols; ++j) {
      if (random() % 3 == 0) places.insert({i, j});
    }
  }
  return places;
}

constexpr unsigned seed = 7;

TEST(Pattern, TransposesEveryEntryWithItsValue) {
  std::mt19937 random(seed);
  for (int k = 0; k < 30; ++k) {
    const auto rows = static_cast<Index>(random() % 9), cols = static_cast<Index>(random() % 9);
    const Places places = random_places(random, rows, cols);
    CsrMatrix matrix{make_pattern(rows, cols, places), {}};
    for (const auto& [i, j] : places) matrix.values.push_back(100.0 * i + j);
    const CsrMatrix result = transpose(matrix);
    ASSERT_EQ(find_pattern_fault(result.pattern.view()), "");
    EXPECT_EQ(result.pattern.n_rows, cols);
    EXPECT_EQ(result.pattern.n_cols, rows);
    EXPECT_EQ(result.pattern.nnz(), matrix.pattern.nnz());
    for (Index j = 0; j < cols; ++j) {
      const auto row = result.pattern.row(j);
      for (std::size_t p = 0; p < row.size(); ++p) {
        EXPECT_EQ(result.row_values(j)[p], 100.0 * row[p] + j);
      }
    }
    EXPECT_EQ(transpose(matrix.pattern.view()).col_idx, result.pattern.col_idx);
  }
}

TEST(Pattern, HasTheGraphOfItsSymmetricPart) {
  std::mt19937 random(seed);
  for (Index n = 0; n < 12; ++n) {
    const Places places = random_places(random, n, n);
    Places expected;
    for (const auto& [i, j] : places) {
      if (i == j) continue;
      expected.insert({i, j});
      expected.insert({j, i});
    }
    const CsrPattern graph = symmetric_graph(make_pattern(n, n, places).view());
    ASSERT_EQ(find_pattern_fault(graph.view()), "");
    EXPECT_EQ(places_of(graph), expected);
  }
}

TEST(Pattern, FindsItsEntriesAndNoOthers) {
  std::mt19937 random(seed);
  const CsrPattern pattern = make_pattern(8, 6, random_places(random, 8, 6));
  for (Index i = 0; i < 8; ++i) {
    for (Index j = 0; j < 6; ++j) {
      const Offset found = find_entry(pattern.view(), i, j);
      const bool present = places_of(pattern).count({i, j}) != 0;
      ASSERT_EQ(found >= 0, present);
      if (present) {
        EXPECT_EQ(pattern.col_idx[static_cast<std::size_t>(found)], j);
      }
    }
  }
}

TEST(Pattern, SaysWhatIsWrongWithIt) {
  const CsrPattern good = make_pattern(2, 3, {{0, 0}, {0, 2}, {1, 1}});
  EXPECT_EQ(find_pattern_fault(good.view()), "");
  const auto fault_after = [&](auto change) {
    CsrPattern bad = good;
    change(bad);
    return find_pattern_fault(bad.view());
  };
  EXPECT_NE(fault_after([](CsrPattern& p) { p.row_ptr.pop_back(); }), "");
  EXPECT_NE(fault_after([](CsrPattern& p) { p.row_ptr[0] = 1; }), "");
  EXPECT_NE(fault_after([](CsrPattern& p) { p.row_ptr[1] = 4; }), "");
  EXPECT_NE(fault_after([](CsrPattern& p) { p.col_idx.pop_back(); }), "");
  EXPECT_NE(fault_after([](CsrPattern& p) { p.col_idx[1] = 3; }), "");
  EXPECT_NE(fault_after([](CsrPattern& p) { p.col_idx[1] = 0; }), "");
  EXPECT_NE(fault_after([](CsrPattern& p) { std::swap(p.col_idx[0], p.col_idx[1]); }), "");
  EXPECT_NE(fault_after([](CsrPattern& p) { p.col_idx[2] = -1; }), "");
}

TEST(Permutation, InvertsAndComposes) {
  const Permutation first = Permutation::from_old_of_new({2, 0, 1});
  EXPECT_EQ(first.new_of_old()[2], 0);
  EXPECT_EQ(first.inverse().old_of_new()[2], 0);
  const Permutation second = Permutation::from_old_of_new({2, 0, 1});
  const Permutation both = first.then(second);
  for (Index k = 0; k < 3; ++k) {
    const auto at = [](std::span<const Index> labels, Index label) {
      return labels[static_cast<std::size_t>(label)];
    };
    EXPECT_EQ(at(both.new_of_old(), k), at(second.new_of_old(), at(first.new_of_old(), k)));
    EXPECT_EQ(at(first.then(first.inverse()).old_of_new(), k), k);
  }
  EXPECT_EQ(Permutation::identity(4).size(), 4);
}

TEST(Permutation, RefusesWhatIsNoBijection) {
  for (const std::vector<Index>& labels :
       {std::vector<Index>{0, 0}, std::vector<Index>{0, 2}, std::vector<Index>{-1, 0}}) {
    EXPECT_THROW(Permutation::from_old_of_new(labels), Error);
  }
}

TEST(Permutation, OfBothArraysIsChecked) {
  const Permutation turn = Permutation::from_both({2, 0, 1}, {1, 2, 0});
  EXPECT_EQ(turn.old_of_new()[0], 2);
  EXPECT_EQ(turn.new_of_old()[2], 0);
  EXPECT_EQ(Permutation::from_both({}, {}).size(), 0);
  EXPECT_THROW(Permutation::from_both({2, 0, 1}, {1, 2}), std::invalid_argument);
  EXPECT_THROW(Permutation::from_both({2, 0, 1}, {2, 0, 1}), std::invalid_argument);
  EXPECT_THROW(Permutation::from_both({0, 0}, {0, 0}), std::invalid_argument);
  EXPECT_THROW(Permutation::from_both({-1, 0}, {1, 0}), std::invalid_argument);
}

}  // namespace
}  // namespace lufact
