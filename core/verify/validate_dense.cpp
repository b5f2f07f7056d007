// SPDX-License-Identifier: BSD-3-Clause
#include "core/verify/validate_dense.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "core/base/random.hpp"
#include "core/matrix/parallel.hpp"
#include "core/verify/dense_pivot_replay.hpp"

namespace lufact {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// NaN counts as larger than any number.
double larger(double a, double b) noexcept {
  return std::isnan(a) || a >= b ? a : b;
}

double quotient(double error, double size) noexcept {
  if (error == 0) return 0;
  const double value = error / size;
  return std::isnan(value) ? infinity : value;
}

// A result of body(k) for each k, put together by larger().
template <class Body>
double largest_of(Offset count, int threads, const Body& body) {
  std::vector<double> found(at(count));
  parallel_for(count, threads, [&](Offset k) { found[at(k)] = body(k); });
  return std::accumulate(found.begin(), found.end(), 0.0, larger);
}

template <class Real>
double largest_entry(const DenseView<Real>& a, int threads) {
  return largest_of(a.columns, threads, [&](Offset j) {
    double most = 0;
    for (Index i = 0; i < a.rows; ++i) {
      most = larger(most, std::abs(a(i, static_cast<Index>(j))));
    }
    return most;
  });
}

template <class Real>
bool all_finite(const DenseView<Real>& a, int threads) {
  // A largest entry may be NaN or Inf only where one of them is.
  return std::isfinite(largest_entry(a, threads));
}

// A power of two that brings the largest entry near 1, so that no sum overflows and none is lost
// among subnormal numbers; as two factors, since one may be no number.
struct Scale {
  explicit Scale(double largest) {
    if (!(largest > 0) || !std::isfinite(largest)) return;
    const int exponent = std::ilogb(largest);
    half = std::ldexp(1.0, -exponent / 2);
    rest = std::ldexp(1.0, -exponent + exponent / 2);
  }
  double operator()(double value) const noexcept { return value * half * rest; }

  double half = 1, rest = 1;
};

template <class Real>
double at_least_normal(double norm, Index n, const Scale& scale) {
  return std::max(norm, scale(n * double{std::numeric_limits<Real>::min()}));
}

template <class Real>
double one_norm(const DenseView<Real>& a, const Scale& scale, int threads) {
  return largest_of(a.columns, threads, [&](Offset j) {
    double sum = 0;
    for (Index i = 0; i < a.rows; ++i) sum += std::abs(scale(a(i, static_cast<Index>(j))));
    return sum;
  });
}

// Blocks of rows that a thread takes at a time.
constexpr Index block_rows = 256;
Offset row_blocks(Index rows) {
  return (Offset{rows} + block_rows - 1) / block_rows;
}
Index end_of_block(Offset block, Index rows) {
  return static_cast<Index>(std::min<Offset>(rows, (block + 1) * block_rows));
}

template <class Real>
double infinity_norm(const DenseView<Real>& a, const Scale& scale, int threads) {
  return largest_of(row_blocks(a.rows), threads, [&](Offset block) {
    const auto begin = static_cast<Index>(block * block_rows);
    std::vector<double> sums(at(end_of_block(block, a.rows) - begin), 0.0);
    for (Index j = 0; j < a.columns; ++j) {
      for (std::size_t i = 0; i < sums.size(); ++i) {
        sums[i] += std::abs(scale(a(begin + static_cast<Index>(i), j)));
      }
    }
    return std::accumulate(sums.begin(), sums.end(), 0.0, larger);
  });
}

bool rows_in_range(std::span<const std::int32_t> pivots, Index m) {
  for (std::size_t k = 0; k < pivots.size(); ++k) {
    if (pivots[k] <= static_cast<std::int32_t>(k) || pivots[k] > m) return false;
  }
  return true;
}

// Row i of PA is row permutation[i] of A.
std::vector<Index> row_permutation(std::span<const std::int32_t> pivots, Index m) {
  std::vector<Index> rows(at(m));
  std::iota(rows.begin(), rows.end(), 0);
  for (std::size_t k = 0; k < pivots.size(); ++k) std::swap(rows[k], rows[at(pivots[k] - 1)]);
  return rows;
}

// ||PA - LU||_1: eight columns at a time, L read once for all of them.
template <class Real>
double product_error(const DenseView<Real>& a, const DenseView<Real>& lu,
                     const std::vector<Index>& rows, const Scale& scale, int threads) {
  constexpr Index wide = 8;
  const Index order = std::min(a.rows, a.columns);
  return largest_of((Offset{a.columns} + wide - 1) / wide, threads, [&](Offset block) {
    const auto first = static_cast<Index>(block * wide);
    const Index columns = std::min(wide, a.columns - first);
    std::vector<std::array<double, wide>> left(at(a.rows));
    for (Index c = 0; c < columns; ++c) {
      for (Index i = 0; i < a.rows; ++i) left[at(i)][at(c)] = scale(a(rows[at(i)], first + c));
    }
    const Index last = std::min<Index>(order, first + columns);
    for (Index k = 0; k < last; ++k) {
      std::array<double, wide> u{};
      for (Index c = 0; c < columns; ++c) {
        if (k <= first + c) u[at(c)] = scale(lu(k, first + c));
        left[at(k)][at(c)] -= u[at(c)];
      }
      for (Index i = k + 1; i < a.rows; ++i) {
        const double l = lu(i, k);
        for (std::size_t c = 0; c < wide; ++c) left[at(i)][c] -= l * u[c];
      }
    }
    std::array<double, wide> sums{};
    for (const auto& row : left) {
      for (std::size_t c = 0; c < wide; ++c) sums[c] += std::abs(row[c]);
    }
    return std::accumulate(sums.begin(), sums.end(), 0.0, larger);
  });
}

using Probe = std::array<double, probe_vectors>;  // an entry of every vector

std::vector<Probe> sign_vectors(Index n, std::uint64_t seed) {
  std::vector<Probe> x(at(n));
  for (Index j = 0; j < n; ++j) {
    const std::uint64_t bits = hash64(seed, static_cast<std::uint64_t>(j), 0x70726f6265);
    for (std::size_t v = 0; v < probe_vectors; ++v) x[at(j)][v] = (bits >> v & 1U) != 0 ? 1 : -1;
  }
  return x;
}

void add_multiple(Probe& to, double factor, const Probe& from) noexcept {
  for (std::size_t v = 0; v < probe_vectors; ++v) to[v] += factor * from[v];
}

// The largest ||PA x - L (U x)|| in the infinity norm.
template <class Real>
double probe_error(const DenseView<Real>& a, const DenseView<Real>& lu,
                   const std::vector<Index>& rows, const Scale& scale,
                   const DenseCheckRequest& request) {
  const Index order = std::min(a.rows, a.columns);
  const std::vector<Probe> x = sign_vectors(a.columns, request.seed);
  std::vector<Probe> y(at(order));
  parallel_for(row_blocks(order), request.threads, [&](Offset block) {
    const auto begin = static_cast<Index>(block * block_rows);
    const Index end = end_of_block(block, order);
    for (Index j = begin; j < a.columns; ++j) {
      for (Index i = begin; i < std::min(end, j + 1); ++i) {
        add_multiple(y[at(i)], scale(lu(i, j)), x[at(j)]);
      }
    }
  });
  return largest_of(row_blocks(a.rows), request.threads, [&](Offset block) {
    const auto begin = static_cast<Index>(block * block_rows);
    const Index end = end_of_block(block, a.rows);
    std::vector<Probe> left(at(end - begin));
    for (Index j = 0; j < a.columns; ++j) {
      for (Index i = begin; i < end; ++i) {
        add_multiple(left[at(i - begin)], scale(a(rows[at(i)], j)), x[at(j)]);
      }
    }
    for (Index k = 0; k < std::min(order, end); ++k) {
      for (Index i = std::max(begin, k); i < end; ++i) {
        add_multiple(left[at(i - begin)], i == k ? -1.0 : -lu(i, k), y[at(k)]);
      }
    }
    double worst = 0;
    for (const Probe& row : left) {
      for (const double value : row) worst = larger(worst, std::abs(value));
    }
    return worst;
  });
}

template <class Real>
std::int32_t first_zero_of_u(const DenseView<Real>& lu) {
  for (Index k = 0; k < std::min(lu.rows, lu.columns); ++k) {
    if (lu(k, k) == 0) return k + 1;
  }
  return 0;
}

template <class Real>
double largest_multiplier(const DenseView<Real>& lu, int threads) {
  return largest_of(std::min(lu.rows, lu.columns), threads, [&](Offset k) {
    const auto column = static_cast<Index>(k);
    if (lu(column, column) == 0) return 0.0;  // such a column is not scaled
    double most = 0;
    for (Index i = column + 1; i < lu.rows; ++i) most = std::max(most, std::abs(lu(i, column)));
    return most;
  });
}

template <class Real>
double largest_of_u(const DenseView<Real>& lu, int threads) {
  return largest_of(lu.columns, threads, [&](Offset j) {
    const auto column = static_cast<Index>(j);
    double most = 0;
    for (Index i = 0; i < std::min(lu.rows, column + 1); ++i) {
      most = larger(most, std::abs(lu(i, column)));
    }
    return most;
  });
}

template <class Real>
PivotCheck judge_pivots(const DenseView<Real>& a, const DenseView<Real>& lu,
                        std::span<const std::int32_t> pivots, bool in_range, bool replay,
                        int threads) {
  PivotCheck check;
  if (replay) check = replay_dense_pivots(a, pivots, threads);
  // A multiplier is a quotient that is rounded once or twice.
  constexpr double slightly = 4 * double{std::numeric_limits<Real>::epsilon()};
  const bool larger_one = largest_multiplier(lu, threads) > 1 + slightly;
  if ((larger_one || !in_range) && check.different == 0) {
    ++check.checked;
    ++check.different;
  }
  return check;
}

template <class Real>
void judge_factors(const DenseView<Real>& a, const DenseView<Real>& lu,
                   std::span<const std::int32_t> pivots, bool whole,
                   const DenseCheckRequest& request, DenseCheck& check) {
  const double size = largest_entry(a, request.threads);
  const double size_of_u = largest_of_u(lu, request.threads);
  if (size > 0) check.growth = size_of_u / size;
  if (!all_finite(lu, request.threads)) {
    check.error = infinity;
    return;
  }
  const Scale scale(size);
  const std::vector<Index> rows = row_permutation(pivots, a.rows);
  const Index n = a.columns;
  if (whole) {
    const double norm = at_least_normal<Real>(one_norm(a, scale, request.threads), n, scale);
    check.error = quotient(product_error(a, lu, rows, scale, request.threads), n * norm);
  } else {
    const double norm = at_least_normal<Real>(infinity_norm(a, scale, request.threads), n, scale);
    check.error = quotient(probe_error(a, lu, rows, scale, request), n * norm);
  }
}

// ||b - Ax|| / (||A|| ||x|| + ||b||) of one column.
template <class Real>
double column_error(const DenseView<Real>& a, double a_norm, const Scale& scale_a, const Real* b,
                    const Real* x, int threads) {
  const Index n = a.rows;
  double x_size = 0;
  for (Index i = 0; i < n; ++i) x_size = larger(x_size, std::abs(double{x[i]}));
  if (!std::isfinite(x_size)) return infinity;
  const Scale scale_x(x_size);
  double b_norm = 0;
  for (Index i = 0; i < n; ++i) {
    b_norm = larger(b_norm, std::abs(scale_x(scale_a(static_cast<double>(b[i])))));
  }
  const double residual = largest_of(row_blocks(n), threads, [&](Offset block) {
    const auto begin = static_cast<Index>(block * block_rows);
    std::vector<double> left(at(end_of_block(block, n) - begin));
    for (std::size_t i = 0; i < left.size(); ++i) {
      left[i] = scale_x(scale_a(double{b[begin + static_cast<Index>(i)]}));
    }
    for (Index k = 0; k < n; ++k) {
      const double factor = scale_x(static_cast<double>(x[k]));
      for (std::size_t i = 0; i < left.size(); ++i) {
        left[i] -= scale_a(a(begin + static_cast<Index>(i), k)) * factor;
      }
    }
    double worst = 0;
    for (const double value : left) worst = larger(worst, std::abs(value));
    return worst;
  });
  const double x_norm = at_least_normal<Real>(scale_x(x_size), n, scale_x);
  return quotient(residual, a_norm * x_norm + b_norm);
}

template <class Real>
bool all_nan(const DenseView<Real>& x) {
  for (Index c = 0; c < x.columns; ++c) {
    for (Index i = 0; i < x.rows; ++i) {
      if (!std::isnan(x(i, c))) return false;
    }
  }
  return true;
}

}  // namespace

template <class Real>
DenseCheck validate_dense_lu(const DenseView<Real>& a, const DenseView<Real>& lu,
                             std::span<const std::int32_t> pivots, std::int32_t info,
                             const DenseCheckRequest& request) {
  const bool whole = std::min(a.rows, a.columns) <= request.largest_whole;
  DenseCheck check;
  check.method = whole ? "||PA - LU|| / (n ||A||)" : "factors-probe";
  check.nonfinite = !all_finite(a, request.threads);
  check.judged_error = !check.nonfinite;
  if (check.nonfinite) return check;
  check.wrong_info = info != first_zero_of_u(lu);
  if (pivots.empty() && info != 0) {
    check.judged_error = false;
    return check;
  }
  const bool in_range = rows_in_range(pivots, a.rows);
  if (in_range) {
    judge_factors(a, lu, pivots, whole, request, check);
  } else {
    check.error = infinity;
  }
  if (!pivots.empty()) {
    check.pivots = judge_pivots(a, lu, pivots, in_range, whole, request.threads);
  }
  return check;
}

template <class Real>
DenseCheck validate_dense_solution(const DenseView<Real>& a, const DenseView<Real>& b,
                                   const DenseView<Real>& x, std::int32_t info,
                                   const DenseCheckRequest& request) {
  DenseCheck check;
  check.method = "||b - Ax|| / (||A|| ||x|| + ||b||)";
  check.nonfinite = !all_finite(a, request.threads) || !all_finite(b, request.threads);
  check.judged_error = !check.nonfinite && info == 0;
  if (check.nonfinite) return check;
  check.wrong_info = info < 0 || info > a.rows;
  if (info != 0) {
    check.wrong_not_nan = request.own_result && !all_nan(x);
    return check;
  }
  const Scale scale(largest_entry(a, request.threads));
  const double norm =
      at_least_normal<Real>(infinity_norm(a, scale, request.threads), a.rows, scale);
  for (Index c = 0; c < b.columns; ++c) {
    check.error = larger(check.error, column_error(a, norm, scale, b.entries + Offset{c} * b.ld,
                                                   x.entries + Offset{c} * x.ld, request.threads));
  }
  return check;
}

#define LUFACT_VALIDATE_DENSE_OF(Real)                                                        \
  template DenseCheck validate_dense_lu<Real>(const DenseView<Real>&, const DenseView<Real>&, \
                                              std::span<const std::int32_t>, std::int32_t,    \
                                              const DenseCheckRequest&);                      \
  template DenseCheck validate_dense_solution<Real>(                                          \
      const DenseView<Real>&, const DenseView<Real>&, const DenseView<Real>&, std::int32_t,   \
      const DenseCheckRequest&);
LUFACT_VALIDATE_DENSE_OF(float)
LUFACT_VALIDATE_DENSE_OF(double)
#undef LUFACT_VALIDATE_DENSE_OF

}  // namespace lufact
