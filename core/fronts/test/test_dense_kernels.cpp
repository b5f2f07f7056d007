// SPDX-License-Identifier: BSD-3-Clause
// The dense kernels of every instruction set of this machine against plain loops, and the promise
// that cutting the rows or columns of a result changes no bit.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/base/random.hpp"
#include "core/fronts/numeric/dense_kernels.hpp"

namespace lufact {
namespace {

// rows x columns by columns, rows padded with zeros.
template <class T>
struct Matrix {
  Index rows, columns;
  std::vector<T> entries;

  Matrix(Index m, Index n, std::uint64_t seed)
      : rows(m), columns(n), entries(at(Offset{stride()} * n), T(0)) {
    for (Index j = 0; j < n; ++j) {
      for (Index i = 0; i < m; ++i) {
        const auto key = hash64(seed, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j));
        (*this)(i, j) = static_cast<T>(symmetric_interval(key));
      }
    }
  }
  Index stride() const { return round_up(rows, row_unit); }
  T& operator()(Index i, Index j) { return entries[at(Offset{j} * stride() + i)]; }
  T operator()(Index i, Index j) const { return entries[at(Offset{j} * stride() + i)]; }
  T* column(Index j) { return entries.data() + Offset{j} * stride(); }
};

template <class T>
void expect_near(const Matrix<T>& actual, const Matrix<T>& expected, double tolerance) {
  for (Index j = 0; j < expected.columns; ++j) {
    for (Index i = 0; i < expected.rows; ++i) {
      ASSERT_NEAR(actual(i, j), expected(i, j), tolerance) << i << ' ' << j;
    }
  }
}

template <class T>
class DenseKernelTest : public ::testing::Test {
 protected:
  static constexpr double tolerance = std::is_same_v<T, double> ? 1e-12 : 2e-4;
  template <class Body>
  void for_sets(const Body& body) {
    for (const DenseKernels<T>* kernels : dense_kernel_sets<T>()) {
      SCOPED_TRACE(std::string(kernels->instruction_set));
      body(*kernels);
    }
  }
};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(DenseKernelTest, Precisions);

TYPED_TEST(DenseKernelTest, ProductsAreThoseOfPlainLoopsHoweverTheyAreCut) {
  using T = TypeParam;
  this->for_sets([&](const DenseKernels<T>& kernels) {
    for (const Index rows : {1, 4, 7, 24, 33, 100}) {
      for (const Index columns : {1, 2, 3, 7, 8, 13, 65, 130}) {
        for (const Index depth : {1, 5, 64, 127, 128, 129, 300}) {
          Matrix<T> a(rows, depth, 1), b(columns, depth, 2), c(rows, columns, 3);
          Matrix<T> expected = c, pieces = c, fresh = c;
          for (Index j = 0; j < columns; ++j) {
            for (Index i = 0; i < rows; ++i) {
              for (Index k = 0; k < depth; ++k) expected(i, j) -= a(i, k) * b(j, k);
            }
          }
          const auto multiply = [&](Matrix<T>& to, Index i, Index m, Index j, Index n, bool first) {
            kernels.multiply(to.column(j) + i, to.stride(), a.column(0) + i, a.stride(),
                             b.column(0) + j, b.stride(), m, n, depth, first);
          };
          multiply(c, 0, c.stride(), 0, columns, false);
          expect_near(c, expected, this->tolerance);
          const Index cut_row = c.stride() / 8 * 4, cut_column = columns / 3;
          multiply(pieces, 0, cut_row, 0, columns, false);
          multiply(pieces, cut_row, c.stride() - cut_row, 0, cut_column, false);
          multiply(pieces, cut_row, c.stride() - cut_row, cut_column, columns - cut_column, false);
          ASSERT_EQ(pieces.entries, c.entries);
          Matrix<T> zero = fresh;
          std::fill(zero.entries.begin(), zero.entries.end(), T(0));
          multiply(fresh, 0, c.stride(), 0, columns, true);
          multiply(zero, 0, c.stride(), 0, columns, false);
          ASSERT_EQ(fresh.entries, zero.entries);
        }
      }
    }
  });
}

TYPED_TEST(DenseKernelTest, AColumnIsEliminatedFromThoseBehindIt) {
  using T = TypeParam;
  this->for_sets([&](const DenseKernels<T>& kernels) {
    for (const Index rows : {4, 12, 36, 100}) {
      for (Index behind = 0; behind < strip_columns; ++behind) {
        Matrix<T> x(rows, strip_columns, 1), expected = x, pieces = x;
        const Matrix<T> u(strip_columns, 1, 2);
        for (Index i = 0; i < rows; ++i) {
          expected(i, 0) *= T(3);
          for (Index j = 0; j < behind; ++j) expected(i, j + 1) -= expected(i, 0) * u(j, 0);
        }
        kernels.eliminate(x.column(0), x.stride(), rows, T(3), &u.entries[0], behind);
        expect_near(x, expected, this->tolerance);
        kernels.eliminate(pieces.column(0), x.stride(), 4, T(3), &u.entries[0], behind);
        kernels.eliminate(pieces.column(0) + 4, x.stride(), rows - 4, T(3), &u.entries[0], behind);
        ASSERT_EQ(pieces.entries, x.entries);
      }
    }
  });
}

TYPED_TEST(DenseKernelTest, TheFirstOfEqualMagnitudesIsFound) {
  using T = TypeParam;
  this->for_sets([&](const DenseKernels<T>& kernels) {
    for (const Index rows : {4, 64, 132, 400}) {
      Matrix<T> x(rows, 1, 4);
      EXPECT_EQ(kernels.first_of(x.column(0), rows, T(2)), rows);
      for (const Index place : {rows - 1, rows / 2, Index{1}, Index{0}}) {  // each before the last
        x(place, 0) = place % 2 == 0 ? T(2) : T(-2);
        EXPECT_EQ(kernels.first_of(x.column(0), rows, T(2)), place);
      }
    }
  });
}

TYPED_TEST(DenseKernelTest, FactorAndSolveGiveBackTheMatrix) {
  using T = TypeParam;
  this->for_sets([&](const DenseKernels<T>& kernels) {
    for (Index width = 1; width <= diagonal_block; ++width) {
      Matrix<T> d(width, width, 5), x(37, width, 6);
      for (Index i = 0; i < width; ++i) d(i, i) = static_cast<T>(width + 1);
      const Matrix<T> original = d, right = x;
      std::vector<T> inverse(at(width)), upper(at(diagonal_block * diagonal_block));
      PivotWatch<T> watch;
      kernels.factor(d.column(0), d.stride(), width, inverse.data(), upper.data(), watch);
      EXPECT_EQ(watch.perturbed + watch.unusable, 0);
      Matrix<T> product = original, solved = right;
      for (Index j = 0; j < width; ++j) {
        for (Index i = 0; i < width; ++i) {
          product(i, j) = i <= j ? d(i, j) : T(0);
          for (Index k = 0; k < std::min(i, j + 1); ++k) product(i, j) += d(i, k) * d(k, j);
          if (j > i) {
            ASSERT_EQ(upper[at(i * diagonal_block + j)], d(i, j));
          }
        }
      }
      expect_near(product, original, this->tolerance * width);
      kernels.solve(x.column(0), x.stride(), x.stride(), upper.data(), diagonal_block,
                    inverse.data(), width);
      for (Index j = 0; j < width; ++j) {  // x U
        for (Index i = 0; i < x.rows; ++i) {
          solved(i, j) = 0;
          for (Index k = 0; k <= j; ++k) solved(i, j) += x(i, k) * d(k, j);
        }
      }
      expect_near(solved, right, this->tolerance * width);
      Matrix<T> pieces = right;
      kernels.solve(pieces.column(0), x.stride(), 12, upper.data(), diagonal_block, inverse.data(),
                    width);
      kernels.solve(pieces.column(0) + 12, x.stride(), x.stride() - 12, upper.data(),
                    diagonal_block, inverse.data(), width);
      ASSERT_EQ(pieces.entries, x.entries);
    }
  });
}

TYPED_TEST(DenseKernelTest, ExchangesGiveThePermutedMatrixAndBoundedMultipliers) {
  using T = TypeParam;
  this->for_sets([&](const DenseKernels<T>& kernels) {
    for (Index width = 1; width <= diagonal_block; ++width) {
      Matrix<T> d(width, width, 5);
      for (Index i = 0; i < width; ++i) d(i, i) = 0;
      if (width == 1) d(0, 0) = 1;
      Matrix<T> permuted = d;
      std::vector<T> inverse(at(width)), upper(at(diagonal_block * diagonal_block));
      std::vector<Index> exchange(at(width));
      PivotWatch<T> watch;
      kernels.factor_with_exchanges(d.column(0), d.stride(), width, inverse.data(), upper.data(),
                                    exchange.data(), watch);
      EXPECT_EQ(watch.perturbed + watch.unusable, 0);
      Offset exchanged = 0;
      for (Index k = 0; k < width; ++k) {
        ASSERT_GE(exchange[at(k)], k);
        ASSERT_LT(exchange[at(k)], width);
        exchanged += exchange[at(k)] != k;
        for (Index j = 0; j < width; ++j) std::swap(permuted(k, j), permuted(exchange[at(k)], j));
        ASSERT_EQ(inverse[at(k)], 1 / d(k, k));
      }
      EXPECT_EQ(watch.exchanged, exchanged);
      Matrix<T> product = permuted;
      for (Index j = 0; j < width; ++j) {
        for (Index i = 0; i < width; ++i) {
          product(i, j) = i <= j ? d(i, j) : T(0);
          for (Index k = 0; k < std::min(i, j + 1); ++k) product(i, j) += d(i, k) * d(k, j);
          if (i > j) {
            ASSERT_LE(std::abs(d(i, j)), T(1.0001 / nearly_largest));
          }
          if (j > i) {
            ASSERT_EQ(upper[at(i * diagonal_block + j)], d(i, j));
          }
        }
      }
      expect_near(product, permuted, this->tolerance * width);
    }
  });
}

TYPED_TEST(DenseKernelTest, AlmostEqualRowsStayWhereTheyAre) {
  using T = TypeParam;
  this->for_sets([&](const DenseKernels<T>& kernels) {
    Matrix<T> d(3, 3, 1);
    std::fill(d.entries.begin(), d.entries.end(), T(0));
    d(0, 0) = T(0.95);
    d(2, 0) = T(-1);
    d(1, 1) = T(0.9);
    d(2, 1) = T(1);
    d(2, 2) = std::nan("");
    std::vector<T> inverse(3), upper(at(diagonal_block * diagonal_block));
    std::vector<Index> exchange(3);
    PivotWatch<T> watch;
    kernels.factor_with_exchanges(d.column(0), d.stride(), 3, inverse.data(), upper.data(),
                                  exchange.data(), watch);
    EXPECT_EQ(exchange, (std::vector<Index>{0, 2, 2}));
    EXPECT_EQ(watch.exchanged, 1);
    EXPECT_EQ(watch.unusable, 1);
  });
}

TYPED_TEST(DenseKernelTest, SmallPivotsAreReplacedAndCounted) {
  using T = TypeParam;
  this->for_sets([&](const DenseKernels<T>& kernels) {
    Matrix<T> d(3, 3, 1);
    std::fill(d.entries.begin(), d.entries.end(), T(0));
    d(0, 0) = T(-0.25);
    d(2, 2) = std::nan("");
    std::vector<T> inverse(3), upper(at(diagonal_block * diagonal_block));
    PivotWatch<T> watch;
    watch.threshold = T(0.5);
    kernels.factor(d.column(0), d.stride(), 3, inverse.data(), upper.data(), watch);
    EXPECT_EQ(d(0, 0), T(-0.5));
    EXPECT_EQ(d(1, 1), T(0.5));
    EXPECT_EQ(watch.perturbed, 2);
    EXPECT_EQ(watch.largest_change, T(0.5));
    EXPECT_EQ(watch.unusable, 1);
  });
}

TYPED_TEST(DenseKernelTest, VectorsAreSolvedOneOrSeveralAtATime) {
  using T = TypeParam;
  this->for_sets([&](const DenseKernels<T>& kernels) {
    for (const Index width : {1, 2, 5, 64, 90}) {
      for (const Index sides : {Index{1}, side_by_side}) {
        Matrix<T> d(width, width, 8);
        std::vector<T> inverse, y(at(width * sides));
        for (Index i = 0; i < width; ++i) {
          d(i, i) = static_cast<T>(2 * width);
          inverse.push_back(1 / d(i, i));
        }
        for (std::size_t k = 0; k < y.size(); ++k) y[k] = static_cast<T>(1 + k % 5);
        std::vector<T> expected = y;
        for (Index s = 0; s < sides; ++s) {
          const auto entry = [&](Index i) -> T& { return expected[at(i * sides + s)]; };
          for (Index k = 0; k < width; ++k) {
            for (Index i = k + 1; i < width; ++i) entry(i) -= d(i, k) * entry(k);
          }
          for (Index k = width - 1; k >= 0; --k) {
            entry(k) /= d(k, k);
            for (Index i = 0; i < k; ++i) entry(i) -= d(i, k) * entry(k);
          }
        }
        kernels.forward(y.data(), d.column(0), d.stride(), width, sides);
        kernels.backward(y.data(), d.column(0), d.stride(), inverse.data(), width, sides);
        for (std::size_t k = 0; k < y.size(); ++k) {
          ASSERT_NEAR(y[k], expected[k], 100 * this->tolerance * std::abs(expected[k]) + 1e-4);
        }
      }
    }
  });
}

// inverse(t) y for a triangle of d, row by row.
template <class T>
std::vector<T> solved_by_rows(Matrix<T>& d, Triangle t, std::vector<T> y, Index sides) {
  const bool transposed = t == Triangle::lower_transposed || t == Triangle::upper_transposed;
  const bool of_lower = t == Triangle::lower || t == Triangle::lower_transposed;
  const bool upwards = of_lower == transposed;
  for (Index step = 0; step < d.rows; ++step) {
    const Index j = upwards ? d.rows - 1 - step : step;
    for (Index s = 0; s < sides; ++s) {
      double sum = y[at(j * sides + s)];
      for (Index k = upwards ? j + 1 : 0; k < (upwards ? d.rows : j); ++k) {
        sum -= double{transposed ? d(k, j) : d(j, k)} * y[at(k * sides + s)];
      }
      y[at(j * sides + s)] = static_cast<T>(of_lower ? sum : sum / d(j, j));
    }
  }
  return y;
}

template <class T>
std::vector<T> side(const std::vector<T>& y, Index sides, Index s) {
  std::vector<T> column;
  for (std::size_t k = at(s); k < y.size(); k += at(sides)) column.push_back(y[k]);
  return column;
}

TYPED_TEST(DenseKernelTest, TrianglesAreSolvedForSidesAsForOneAlone) {
  using T = TypeParam;
  this->for_sets([&](const DenseKernels<T>& kernels) {
    for (const Index width : {1, 2, 4, 5, 63, 90}) {
      for (const Index sides : {4, 8, 12, 32, 44}) {
        Matrix<T> d(width, width, 8), y(sides, width, 9);
        for (T& entry : d.entries) entry /= static_cast<T>(width);
        std::vector<T> inverse;
        for (Index i = 0; i < width; ++i) {
          d(i, i) = 2;
          inverse.push_back(1 / d(i, i));
        }
        for (const Triangle t : {Triangle::lower, Triangle::upper, Triangle::lower_transposed,
                                 Triangle::upper_transposed}) {
          std::vector<T> actual = y.entries;
          // Cut as threads cut it.
          kernels.solve_sides(actual.data(), sides, 4, d.column(0), d.stride(), inverse.data(),
                              width, t);
          kernels.solve_sides(actual.data() + 4, sides, sides - 4, d.column(0), d.stride(),
                              inverse.data(), width, t);
          const std::vector<T> expected = solved_by_rows(d, t, y.entries, sides);
          for (std::size_t k = 0; k < actual.size(); ++k) {
            ASSERT_NEAR(actual[k], expected[k], 100 * this->tolerance);
          }
          for (Index s = 0; s < sides; s += 3) {
            std::vector<T> alone = side(y.entries, sides, s);
            if (t == Triangle::lower) {
              kernels.forward(alone.data(), d.column(0), d.stride(), width, 1);
            } else if (t == Triangle::upper) {
              kernels.backward(alone.data(), d.column(0), d.stride(), inverse.data(), width, 1);
            } else {
              continue;
            }
            ASSERT_EQ(side(actual, sides, s), alone);
          }
        }
      }
    }
  });
}

TYPED_TEST(DenseKernelTest, DotsOfSidesHaveTheBitsOfDots) {
  using T = TypeParam;
  this->for_sets([&](const DenseKernels<T>& kernels) {
    for (const Index rows : {1, 4, 8, 9, 100, 131}) {
      for (const Index columns : {1, 2, 3, 7, 16}) {
        for (const Index sides : {4, 12, 32}) {
          Matrix<T> a(rows, columns, 1), x(sides, static_cast<Index>(a.stride()), 2);
          const Matrix<T> y(sides, columns, 3);
          std::vector<T> actual = y.entries;
          kernels.dots_of_sides(actual.data(), sides, a.column(0), a.stride(),
                                static_cast<Index>(a.stride()), columns, x.column(0), sides, sides);
          for (Index s = 0; s < sides; ++s) {
            std::vector<T> alone = side(y.entries, sides, s);
            const std::vector<T> from = side(x.entries, sides, s);
            kernels.dots(alone.data(), 1, a.column(0), a.stride(), static_cast<Index>(a.stride()),
                         columns, from.data());
            ASSERT_EQ(side(actual, sides, s), alone);
          }
        }
      }
    }
  });
}

TYPED_TEST(DenseKernelTest, DotsAndLargest) {
  using T = TypeParam;
  this->for_sets([&](const DenseKernels<T>& kernels) {
    for (const Index rows : {1, 4, 9, 100}) {
      Matrix<T> a(rows, 5, 1), x(rows, 1, 2);
      std::vector<T> y(10, T(1)), expected = y;
      T largest = 0;
      for (Index k = 0; k < 5; ++k) {
        for (Index i = 0; i < rows; ++i) {
          expected[at(2 * k)] -= a(i, k) * x(i, 0);
          largest = std::max(largest, std::abs(a(i, k)));
        }
      }
      kernels.dots(y.data(), 2, a.column(0), a.stride(), a.stride(), 5, x.column(0));
      for (std::size_t k = 0; k < y.size(); ++k) ASSERT_NEAR(y[k], expected[k], this->tolerance);
      EXPECT_EQ(kernels.largest(a.column(0), static_cast<Offset>(a.entries.size())), largest);
    }
  });
}

}  // namespace
}  // namespace lufact
