// SPDX-License-Identifier: BSD-3-Clause
#include "core/verify/validate_batch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "core/reference/dense_lu.hpp"

namespace lufact {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double least_normal(Precision precision) noexcept {
  return precision == Precision::float32 ? double{std::numeric_limits<float>::min()}
                                         : std::numeric_limits<double>::min();
}

double larger(double a, double b) noexcept {
  return std::isnan(a) || std::isnan(b) ? infinity : std::max(a, b);
}

double quotient(double numerator, double denominator) noexcept {
  if (!std::isfinite(numerator) || !std::isfinite(denominator)) return infinity;
  return numerator == 0 ? 0 : numerator / denominator;
}

bool all_finite(std::span<const double> values) noexcept {
  return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
}

bool all_nan(std::span<const double> values) noexcept {
  return std::ranges::all_of(values, [](double value) { return std::isnan(value); });
}

// A matrix of `rows` rows times 2^-exponent, its largest entry between 1/2 and 1 (the smallest
// subnormal numbers become smaller ones), so that no product of two overflows.
struct Scaled {
  Scaled(Index row_count, std::span<const double> entries)
      : rows(row_count), values(entries.begin(), entries.end()) {
    double largest = 0;
    for (const double value : values) largest = std::max(largest, std::abs(value));
    std::frexp(largest, &exponent);
    exponent = std::clamp(exponent, -1021, 1021);
    half = std::ldexp(1.0, -exponent / 2);
    rest = std::ldexp(1.0, -exponent + exponent / 2);
    for (double& value : values) value = scaled(value);
  }

  double at(Index i, Index j) const noexcept { return values[lufact::at(Offset{j} * rows + i)]; }
  Index columns() const noexcept { return static_cast<Index>(values.size()) / rows; }
  // `value`, scaled as this is.
  double scaled(double value) const noexcept { return value * half * rest; }

  Index rows = 0;
  int exponent = 0;
  double half = 1, rest = 1;  // two factors, since a power of two as large as 2^1074 is no number
  std::vector<double> values;
};

double column_sum(const Scaled& a, Index j) noexcept {
  double sum = 0;
  for (Index i = 0; i < a.rows; ++i) sum += std::abs(a.at(i, j));
  return sum;
}

double one_norm(const Scaled& a) noexcept {
  double norm = 0;
  for (Index j = 0; j < a.columns(); ++j) norm = larger(norm, column_sum(a, j));
  return norm;
}

double infinity_norm(const Scaled& a) noexcept {
  std::vector<double> sums(at(a.rows), 0.0);
  for (Index j = 0; j < a.columns(); ++j) {
    for (Index i = 0; i < a.rows; ++i) sums[at(i)] += std::abs(a.at(i, j));
  }
  return std::accumulate(sums.begin(), sums.end(), 0.0, larger);
}

// Norms where gradual underflow keeps no more bits are as good as n of the least normal number.
double at_least_normal(double norm, const Scaled& a, Precision precision) noexcept {
  return std::max(norm, a.scaled(a.rows * least_normal(precision)));
}

bool rows_in_range(const BatchMatrix& matrix) noexcept {
  for (Index k = 0; k < static_cast<Index>(matrix.pivots.size()); ++k) {
    const std::int32_t row = matrix.pivots[at(k)];
    if (row <= k || row > matrix.n) return false;
  }
  return true;
}

// Row i of PA is row permutation[i] of A.
std::vector<Index> row_permutation(const BatchMatrix& matrix) {
  std::vector<Index> rows(at(matrix.n));
  std::iota(rows.begin(), rows.end(), 0);
  for (std::size_t k = 0; k < matrix.pivots.size(); ++k) {
    std::swap(rows[k], rows[at(matrix.pivots[k] - 1)]);
  }
  return rows;
}

double lu_error(const BatchMatrix& matrix) {
  const Index n = matrix.n;
  const Scaled a(n, matrix.a);
  // L keeps its entries; those of U are scaled as A is.
  std::vector<double> lu(matrix.result.begin(), matrix.result.end());
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i <= j; ++i) lu[at(j * n + i)] = a.scaled(lu[at(j * n + i)]);
  }
  const std::vector<Index> rows = row_permutation(matrix);
  std::vector<double> column(at(n));
  double worst = 0;
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < n; ++i) column[at(i)] = a.at(rows[at(i)], j);
    for (Index k = 0; k <= j; ++k) {
      const double u = lu[at(j * n + k)];
      column[at(k)] -= u;
      for (Index i = k + 1; i < n; ++i) column[at(i)] -= lu[at(k * n + i)] * u;
    }
    double sum = 0;
    for (const double value : column) sum += std::abs(value);
    worst = larger(worst, sum);
  }
  return quotient(worst, n * at_least_normal(one_norm(a), a, matrix.precision));
}

// column -= A x
void subtract_product(const Scaled& a, const Scaled& x, Index c, std::vector<double>& column) {
  for (Index k = 0; k < a.rows; ++k) {
    const double factor = x.at(k, c);
    for (Index i = 0; i < a.rows; ++i) column[at(i)] -= a.at(i, k) * factor;
  }
}

double inverse_error(const BatchMatrix& matrix) {
  const Index n = matrix.n;
  const Scaled a(n, matrix.a), x(n, matrix.result);
  const double one = std::ldexp(1.0, -a.exponent - x.exponent);
  double worst = 0;
  for (Index c = 0; c < n; ++c) {
    std::vector<double> column(at(n), 0.0);
    column[at(c)] = one;
    subtract_product(a, x, c, column);
    double sum = 0;
    for (const double value : column) sum += std::abs(value);
    worst = larger(worst, sum);
  }
  const double a_norm = at_least_normal(one_norm(a), a, matrix.precision);
  const double x_norm = at_least_normal(one_norm(x), x, matrix.precision);
  return quotient(worst, n * a_norm * x_norm);
}

double solution_error(const BatchMatrix& matrix) {
  const Index n = matrix.n;
  const Scaled a(n, matrix.a);
  const double a_norm = at_least_normal(infinity_norm(a), a, matrix.precision);
  double worst = 0;
  for (Index c = 0; c < matrix.rhs; ++c) {
    const Scaled x(n, matrix.result.subspan(at(Offset{c} * n), at(n)));
    std::vector<double> column(at(n));
    double b_norm = 0, residual = 0;
    for (Index i = 0; i < n; ++i) {
      column[at(i)] = std::ldexp(matrix.b[at(Offset{c} * n + i)], -a.exponent - x.exponent);
      b_norm = larger(b_norm, std::abs(column[at(i)]));
    }
    subtract_product(a, x, 0, column);
    for (const double value : column) residual = larger(residual, std::abs(value));
    const double x_norm = at_least_normal(infinity_norm(x), x, matrix.precision);
    worst = larger(worst, quotient(residual, a_norm * x_norm + b_norm));
  }
  return worst;
}

double residual_error(const BatchMatrix& matrix) {
  switch (matrix.operation) {
    case ArrayOperation::lu:
      return lu_error(matrix);
    case ArrayOperation::inverse:
      return inverse_error(matrix);
    case ArrayOperation::solve:
      return solution_error(matrix);
  }
  return infinity;
}

// Sums in another order may be up to n times as large on their way: so much larger is the
// right-hand side that the twin gets, unless that alone left the range.
template <class Real>
void allow_for_order_of_sums(Index n, std::vector<Real>& rhs) {
  const auto stays = [n](Real value) { return std::isfinite(value * static_cast<Real>(n)); };
  if (!std::ranges::all_of(rhs, stays)) return;
  for (Real& value : rhs) value *= static_cast<Real>(n);
}

template <class Real>
bool twin_is_finite(const BatchMatrix& matrix) {
  const Index n = matrix.n;
  std::vector<Real> lu(matrix.a.size()), result(matrix.b.size());
  std::ranges::transform(matrix.a, lu.begin(), [](double v) { return static_cast<Real>(v); });
  std::ranges::transform(matrix.b, result.begin(), [](double v) { return static_cast<Real>(v); });
  std::vector<std::int32_t> pivots(at(n));
  reference::dense_lu(n, n, lu.data(), n, pivots.data());
  if (matrix.operation == ArrayOperation::inverse) {
    result.resize(lu.size());
    reference::dense_inverse(n, lu.data(), n, pivots.data(), result.data(), n);
  } else if (matrix.operation == ArrayOperation::solve) {
    allow_for_order_of_sums(n, result);
    reference::dense_solve(n, lu.data(), n, pivots.data(), matrix.rhs, result.data(), n);
  }
  const auto finite = [](Real value) { return std::isfinite(value); };
  return std::ranges::all_of(lu, finite) && std::ranges::all_of(result, finite);
}

double error_of(const BatchMatrix& matrix) {
  if (all_finite(matrix.result)) return residual_error(matrix);
  const bool finite = matrix.precision == Precision::float32 ? twin_is_finite<float>(matrix)
                                                             : twin_is_finite<double>(matrix);
  return finite ? infinity : 0;
}

std::int32_t first_zero_of_u(const BatchMatrix& matrix) noexcept {
  for (Index k = 0; k < matrix.n; ++k) {
    if (matrix.result[at(Offset{k} * matrix.n + k)] == 0) return k + 1;
  }
  return 0;
}

bool has_large_multiplier(const BatchMatrix& matrix) noexcept {
  for (Index j = 0; j < matrix.n; ++j) {
    for (Index i = j + 1; i < matrix.n; ++i) {
      if (std::abs(matrix.result[at(Offset{j} * matrix.n + i)]) > 1) return true;
    }
  }
  return false;
}

void judge_result(const BatchMatrix& matrix, bool own_result, MatrixVerdict& verdict) {
  const bool is_lu = matrix.operation == ArrayOperation::lu;
  if (!is_lu && matrix.info > 0) {
    verdict.wrong_not_nan = own_result && !all_nan(matrix.result);
  } else {
    verdict.error = rows_in_range(matrix) ? error_of(matrix) : infinity;
  }
  verdict.wrong_info =
      is_lu ? matrix.info != first_zero_of_u(matrix) : matrix.info < 0 || matrix.info > matrix.n;
}

void judge_pivots(const BatchMatrix& matrix, bool replay, MatrixVerdict& verdict) {
  const bool is_lu = matrix.operation == ArrayOperation::lu;
  if (replay && (!is_lu || !matrix.pivots.empty())) {
    const PivotDivides divides =
        matrix.operation == ArrayOperation::inverse ? PivotDivides::either : PivotDivides::column;
    const PivotReplay twin =
        replay_pivots(matrix.precision, matrix.n, matrix.a, matrix.pivots, divides);
    if (!is_lu) verdict.wrong_info = !twin.allows(matrix.info);
    if (!matrix.pivots.empty()) verdict.pivots = twin.verdict;
  }
  if (matrix.pivots.empty()) return;
  if (!rows_in_range(matrix) || (is_lu && has_large_multiplier(matrix))) {
    verdict.pivots = PivotVerdict::different;
  }
}

}  // namespace

MatrixVerdict validate_matrix(const BatchMatrix& matrix, bool replay, bool own_result) {
  MatrixVerdict verdict;
  verdict.nonfinite = !all_finite(matrix.a) || !all_finite(matrix.b);
  if (verdict.nonfinite) return verdict;
  judge_result(matrix, own_result, verdict);
  judge_pivots(matrix, replay, verdict);
  return verdict;
}

double batch_threshold(ArrayOperation operation, Precision precision, Index n) noexcept {
  const double eps = precision == Precision::float32 ? double{std::numeric_limits<float>::epsilon()}
                                                     : std::numeric_limits<double>::epsilon();
  return 30 * eps * (operation == ArrayOperation::solve ? n : 1);
}

void add_verdict(BatchCheck& check, Offset k, std::int32_t info, const MatrixVerdict& verdict) {
  if (verdict.error > check.worst_error) {
    check.worst_error = verdict.error;
    check.worst_matrix = k;
  }
  ++check.checked;
  check.wrong_info += verdict.wrong_info ? 1 : 0;
  check.wrong_not_nan += verdict.wrong_not_nan ? 1 : 0;
  check.info.nonfinite += verdict.nonfinite ? 1 : 0;
  if (info > 0) {
    ++check.info.zero_pivots;
    if (!check.info.first) check.info.first = k;
  }
  if (!verdict.pivots) return;
  ++check.pivots.checked;
  check.pivots.equal += *verdict.pivots == PivotVerdict::equal ? 1 : 0;
  check.pivots.tied += *verdict.pivots == PivotVerdict::tied ? 1 : 0;
  check.pivots.different += *verdict.pivots == PivotVerdict::different ? 1 : 0;
}

void add_check(BatchCheck& check, const BatchCheck& later) {
  if (later.worst_error > check.worst_error) {
    check.worst_error = later.worst_error;
    check.worst_matrix = later.worst_matrix;
  }
  check.checked += later.checked;
  check.wrong_info += later.wrong_info;
  check.wrong_not_nan += later.wrong_not_nan;
  check.pivots.checked += later.pivots.checked;
  check.pivots.equal += later.pivots.equal;
  check.pivots.tied += later.pivots.tied;
  check.pivots.different += later.pivots.different;
  check.info.zero_pivots += later.info.zero_pivots;
  check.info.nonfinite += later.info.nonfinite;
  if (!check.info.first) check.info.first = later.info.first;
}

}  // namespace lufact
