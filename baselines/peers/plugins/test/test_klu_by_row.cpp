// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "baselines/peers/plugins/klu_by_row.hpp"
#include "core/generate/generate.hpp"

namespace lufact::peers {
namespace {

CsrMatrix unsymmetric() {
  CsrMatrix a = generate_matrix({"random", {{"n", 80}}, 3});
  // Away from a diagonal that would always be taken.
  for (std::size_t q = 0; q < a.values.size(); q += 3) a.values[q] *= 1e-3;
  return a;
}

using Row = std::map<int, double>;

std::vector<Row> rows_of(const std::vector<int>& offsets, const std::vector<int>& columns,
                         const std::vector<double>& values) {
  std::vector<Row> rows(offsets.size() - 1);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (int q = offsets[i]; q < offsets[i + 1]; ++q) {
      rows[i][columns[static_cast<std::size_t>(q)]] = values[static_cast<std::size_t>(q)];
    }
  }
  return rows;
}

class KluFactors : public testing::Test {
 protected:
  void SetUp() override {
    klu_.set_pattern(n_, a_.pattern.row_ptr.data(), a_.pattern.col_idx.data());
    klu_.analyze();
    klu_.factor(a_.values.data());
  }

  const CsrMatrix a_ = unsymmetric();
  const std::int32_t n_ = a_.pattern.n_rows;
  KluByRow klu_;
};

TEST_F(KluFactors, MultiplyToTheMatrixByTheirPermutations) {
  const RowFactors f = klu_.factors();
  const auto l = rows_of(f.l_rows, f.l_columns, f.l_values);
  const auto u = rows_of(f.u_rows, f.u_columns, f.u_values);
  std::vector<Row> a(l.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (auto q = a_.pattern.row_ptr[i]; q < a_.pattern.row_ptr[i + 1]; ++q) {
      const auto at = static_cast<std::size_t>(q);
      a[i][a_.pattern.col_idx[at]] = a_.values[at];
    }
  }
  for (std::size_t i = 0; i < l.size(); ++i) {
    Row product;
    for (const auto& [k, lik] : l[i]) {
      for (const auto& [j, ukj] : u[static_cast<std::size_t>(k)]) product[j] += lik * ukj;
    }
    const Row& row = a[static_cast<std::size_t>(f.p[i])];
    for (const auto& [j, value] : product) {
      const auto found = row.find(f.q[static_cast<std::size_t>(j)]);
      EXPECT_NEAR(value, found == row.end() ? 0 : found->second, 1e-9) << i << ' ' << j;
    }
    // Every entry of the matrix has its place in the product.
    std::size_t met = 0;
    for (const auto& [j, value] : product) met += row.count(f.q[static_cast<std::size_t>(j)]);
    EXPECT_EQ(met, row.size());
  }
}

TEST_F(KluFactors, HaveAUnitDiagonalInLAndAscendingColumns) {
  const RowFactors f = klu_.factors();
  for (std::size_t i = 0; i + 1 < f.l_rows.size(); ++i) {
    const auto row = static_cast<int>(i);
    const auto last = static_cast<std::size_t>(f.l_rows[i + 1]) - 1;
    EXPECT_EQ(f.l_columns[last], row);
    EXPECT_EQ(f.l_values[last], 1);
    EXPECT_EQ(f.u_columns[static_cast<std::size_t>(f.u_rows[i])], row);
    EXPECT_TRUE(
        std::is_sorted(f.l_columns.begin() + f.l_rows[i], f.l_columns.begin() + f.l_rows[i + 1]));
    EXPECT_TRUE(
        std::is_sorted(f.u_columns.begin() + f.u_rows[i], f.u_columns.begin() + f.u_rows[i + 1]));
  }
  EXPECT_EQ(klu_.nnz_l(), static_cast<std::int64_t>(f.l_values.size()) - n_);
  EXPECT_EQ(klu_.nnz_u(), static_cast<std::int64_t>(f.u_values.size()));
  EXPECT_GT(klu_.flops(), 0);
}

TEST_F(KluFactors, SolveTheSystemAndNotItsTranspose) {
  std::vector<double> x(static_cast<std::size_t>(n_), 1.0), b(x.size());
  for (std::size_t i = 0; i < b.size(); ++i) {
    for (auto q = a_.pattern.row_ptr[i]; q < a_.pattern.row_ptr[i + 1]; ++q) {
      b[i] += a_.values[static_cast<std::size_t>(q)];
    }
  }
  klu_.solve(1, b.data());
  EXPECT_THAT(b, testing::Pointwise(testing::DoubleNear(1e-8), x));
}

TEST(KluByRow, NamesASingularMatrix) {
  const std::vector<std::int64_t> offsets{0, 1, 2};
  const std::vector<std::int32_t> columns{0, 0};
  const std::vector<double> values{1, 2};
  KluByRow klu;
  try {
    klu.set_pattern(2, offsets.data(), columns.data());
    klu.analyze();
    klu.factor(values.data());
    FAIL();
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.status(), LUFACT_PEER_SINGULAR_NUMERIC) << failure.what();
  }
}

}  // namespace
}  // namespace lufact::peers
