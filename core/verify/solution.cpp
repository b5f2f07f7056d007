// SPDX-License-Identifier: BSD-3-Clause
#include "core/verify/solution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "core/base/random.hpp"

namespace lufact {
namespace {

constexpr long double infinity = std::numeric_limits<long double>::infinity();

// The larger of the two, where NaN counts as +infinity.
long double larger(long double a, long double b) noexcept {
  if (std::isnan(a) || std::isnan(b)) return infinity;
  return std::max(a, b);
}

// A quotient of magnitudes under the conventions of SolutionCheck. A denominator that overflowed
// would hide any residual, so it counts as a failure.
long double quotient(long double numerator, long double denominator) noexcept {
  if (!std::isfinite(numerator) || !std::isfinite(denominator)) return infinity;
  if (numerator == 0) return 0;
  return numerator / denominator;
}

double to_figure(long double value) noexcept {
  const auto rounded = static_cast<double>(value);
  return std::isfinite(rounded) ? rounded : std::numeric_limits<double>::infinity();
}

long double norm(std::span<const double> vector) noexcept {
  long double result = 0;
  for (const double value : vector) result = larger(result, std::abs(value));
  return result;
}

// Calls use(i, j, A(i, j)) for all entries, rows ascending.
template <class Use>
void for_entries(const CsrMatrix& a, const Use& use) {
  for (Index i = 0; i < a.pattern.n_rows; ++i) {
    const auto columns = a.pattern.row(i);
    const auto values = a.row_values(i);
    for (std::size_t p = 0; p < columns.size(); ++p) use(at(i), at(columns[p]), values[p]);
  }
}

// Largest row sum, or column sum.
long double norm(const CsrMatrix& a, bool transposed) {
  long double result = 0;
  if (transposed) {
    std::vector<long double> sum(at(a.pattern.n_cols));
    for_entries(a, [&](std::size_t, std::size_t j, double value) { sum[j] += std::abs(value); });
    for (const long double column : sum) result = larger(result, column);
    return result;
  }
  for (Index i = 0; i < a.pattern.n_rows; ++i) {
    long double sum = 0;
    for (const double value : a.row_values(i)) sum += std::abs(value);
    result = larger(result, sum);
  }
  return result;
}

struct ResidualNorms {
  long double residual = 0;       // ||b - Ax||
  long double componentwise = 0;  // max_i |b - Ax|_i / (|A||x| + |b|)_i
};

ResidualNorms residual_norms(const CsrMatrix& a, std::span<const double> x,
                             std::span<const double> b) {
  ResidualNorms result;
#pragma omp parallel
  {
    ResidualNorms mine;
#pragma omp for schedule(static) nowait
    for (Index i = 0; i < a.pattern.n_rows; ++i) {
      const auto columns = a.pattern.row(i);
      const auto values = a.row_values(i);
      long double residual = b[at(i)];
      long double magnitude = std::abs(b[at(i)]);
      for (std::size_t p = 0; p < columns.size(); ++p) {
        const long double product = static_cast<long double>(values[p]) * x[at(columns[p])];
        residual -= product;
        magnitude += std::abs(product);
      }
      mine.residual = larger(mine.residual, std::abs(residual));
      mine.componentwise = larger(mine.componentwise, quotient(std::abs(residual), magnitude));
    }
#pragma omp critical(lufact_residual_norms)
    {
      result.residual = larger(result.residual, mine.residual);
      result.componentwise = larger(result.componentwise, mine.componentwise);
    }
  }
  return result;
}

// The same with A', by columns of A.
ResidualNorms transposed_residual_norms(const CsrMatrix& a, std::span<const double> x,
                                        std::span<const double> b) {
  std::vector<long double> residual(b.begin(), b.end()), magnitude;
  for (const double value : b) magnitude.push_back(std::abs(value));
  for_entries(a, [&](std::size_t i, std::size_t j, double value) {
    const long double product = static_cast<long double>(value) * x[i];
    residual[j] -= product;
    magnitude[j] += std::abs(product);
  });
  ResidualNorms result;
  for (std::size_t j = 0; j < b.size(); ++j) {
    result.residual = larger(result.residual, std::abs(residual[j]));
    result.componentwise =
        larger(result.componentwise, quotient(std::abs(residual[j]), magnitude[j]));
  }
  return result;
}

void require_size(const char* name, std::size_t size, Index n, Index columns) {
  if (n < 0 || columns < 0 || size != at(n) * at(columns)) {
    throw std::invalid_argument(
        fmt::format("{} has {} entries, not {} x {}", name, size, n, columns));
  }
}

}  // namespace

SolutionCheck check_solution(const CsrMatrix& a, std::span<const double> x,
                             std::span<const double> b, std::span<const double> x_true,
                             Index columns, bool transposed) {
  const Index of_x = transposed ? a.pattern.n_rows : a.pattern.n_cols;
  const Index of_b = transposed ? a.pattern.n_cols : a.pattern.n_rows;
  require_size("x", x.size(), of_x, columns);
  require_size("b", b.size(), of_b, columns);
  if (!x_true.empty()) require_size("x_true", x_true.size(), of_x, columns);
  const std::size_t rows = at(of_b), n = at(of_x);
  const long double a_norm = norm(a, transposed);
  long double backward = 0, relative = 0, componentwise = 0;
  for (std::size_t c = 0; c < at(columns); ++c) {
    const auto x_c = x.subspan(c * n, n);
    const auto b_c = b.subspan(c * rows, rows);
    const ResidualNorms norms =
        transposed ? transposed_residual_norms(a, x_c, b_c) : residual_norms(a, x_c, b_c);
    const long double b_norm = norm(b_c);
    backward = larger(backward, quotient(norms.residual, a_norm * norm(x_c) + b_norm));
    relative = larger(relative, quotient(norms.residual, b_norm));
    componentwise = larger(componentwise, norms.componentwise);
  }
  SolutionCheck check;
  check.backward_error = to_figure(backward);
  check.relative_residual = to_figure(relative);
  check.componentwise_backward_error = to_figure(componentwise);
  check.x_norm = to_figure(norm(x));
  if (!x_true.empty() || x.empty()) check.x_true_norm = to_figure(norm(x_true));
  return check;
}

double matrix_norm(const CsrMatrix& a, bool transposed) {
  return static_cast<double>(norm(a, transposed));
}

std::vector<double> make_x_true(Index n, Index columns, std::uint64_t seed) {
  // Keeps this stream apart from others that are keyed by row and column numbers.
  constexpr std::uint64_t stream = 0x785f74727565ULL;
  std::vector<double> x(at(n) * at(columns));
  for (std::size_t c = 0; c < at(columns); ++c) {
    for (std::size_t i = 0; i < at(n); ++i) {
      x[c * at(n) + i] = symmetric_interval(hash64(seed ^ stream, i, c));
    }
  }
  return x;
}

namespace {

std::vector<double> multiply_transposed(const CsrMatrix& a, std::span<const double> x,
                                        Index columns) {
  require_size("x", x.size(), a.pattern.n_rows, columns);
  const std::size_t rows = at(a.pattern.n_rows), n = at(a.pattern.n_cols);
  std::vector<double> product;
  for (std::size_t c = 0; c < at(columns); ++c) {
    std::vector<long double> sum(n);
    for_entries(a, [&](std::size_t i, std::size_t j, double value) {
      sum[j] += static_cast<long double>(value) * x[c * rows + i];
    });
    for (const long double entry : sum) product.push_back(static_cast<double>(entry));
  }
  return product;
}

}  // namespace

std::vector<double> multiply(const CsrMatrix& a, std::span<const double> x, Index columns,
                             bool transposed) {
  if (transposed) return multiply_transposed(a, x, columns);
  require_size("x", x.size(), a.pattern.n_cols, columns);
  const std::size_t rows = at(a.pattern.n_rows), n = at(a.pattern.n_cols);
  std::vector<double> product(rows * at(columns));
  for (std::size_t c = 0; c < at(columns); ++c) {
    const auto x_c = x.subspan(c * n, n);
#pragma omp parallel for schedule(static)
    for (Index i = 0; i < a.pattern.n_rows; ++i) {
      const auto row = a.pattern.row(i);
      const auto values = a.row_values(i);
      long double sum = 0;
      for (std::size_t p = 0; p < row.size(); ++p) {
        sum += static_cast<long double>(values[p]) * x_c[at(row[p])];
      }
      product[c * rows + at(i)] = static_cast<double>(sum);
    }
  }
  return product;
}

}  // namespace lufact
