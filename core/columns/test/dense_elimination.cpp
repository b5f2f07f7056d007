// SPDX-License-Identifier: BSD-3-Clause
#include "core/columns/test/dense_elimination.hpp"

#include <algorithm>

namespace lufact::test {
namespace {

bool below_diagonal_is_empty(const DensePattern& p, std::size_t column) {
  for (std::size_t r = column + 1; r < p.size(); ++r) {
    if (p(r, column) != 0) return false;
  }
  return true;
}

// Column t reads A(t,k) as a factor for some later column k that column i changes there.
bool double_u_hazard(const DensePattern& p, std::size_t i, std::size_t t) {
  if (p(t, i) == 0) return false;
  for (std::size_t k = t + 1; k < p.size(); ++k) {
    if (p(i, k) != 0 && p(t, k) != 0) return true;
  }
  return false;
}

bool depends(const DensePattern& p, std::size_t i, std::size_t t, DependencyRule rule) {
  if (p(i, t) != 0 && !below_diagonal_is_empty(p, i)) return true;
  if (rule == DependencyRule::exact) return double_u_hazard(p, i, t);
  return rule == DependencyRule::relaxed && p(t, i) != 0;
}

}  // namespace

DensePattern eliminate_pattern(const CsrPattern& b) {
  DensePattern p(b.n_rows);
  for (Index i = 0; i < b.n_rows; ++i) {
    const auto row = static_cast<std::size_t>(i);
    p(row, row) = 1;
    for (const Index j : b.row(i)) p(row, static_cast<std::size_t>(j)) = 1;
  }
  for (std::size_t k = 0; k < p.size(); ++k) {
    for (std::size_t i = k + 1; i < p.size(); ++i) {
      if (p(i, k) == 0) continue;
      for (std::size_t j = k + 1; j < p.size(); ++j) p(i, j) |= p(k, j);
    }
  }
  return p;
}

CsrPattern to_csr(const DensePattern& pattern) {
  CsrPattern csr;
  csr.n_rows = csr.n_cols = static_cast<Index>(pattern.size());
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    for (std::size_t j = 0; j < pattern.size(); ++j) {
      if (pattern(i, j) != 0) csr.col_idx.push_back(static_cast<Index>(j));
    }
    csr.row_ptr.push_back(static_cast<Offset>(csr.col_idx.size()));
  }
  return csr;
}

std::vector<Index> dense_levels(const DensePattern& pattern, DependencyRule rule) {
  std::vector<Index> level(pattern.size(), 0);
  for (std::size_t t = 0; t < pattern.size(); ++t) {
    for (std::size_t i = 0; i < t; ++i) {
      if (depends(pattern, i, t, rule)) level[t] = std::max(level[t], level[i] + 1);
    }
  }
  return level;
}

Dense<long double> scaled_dense(const PermutedMatrix& b) {
  Dense<long double> a(b.pattern.n_rows);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto begin = static_cast<std::size_t>(b.pattern.row_ptr[i]);
    const auto end = static_cast<std::size_t>(b.pattern.row_ptr[i + 1]);
    for (std::size_t p = begin; p < end; ++p) {
      const auto j = static_cast<std::size_t>(b.pattern.col_idx[p]);
      a(i, j) = static_cast<long double>(b.row_scale[i]) * b.values[p] * b.col_scale[j];
    }
  }
  return a;
}

void eliminate_values(Dense<long double>& a) {
  for (std::size_t k = 0; k < a.size(); ++k) {
    for (std::size_t i = k + 1; i < a.size(); ++i) {
      if (a(i, k) == 0) continue;
      a(i, k) /= a(k, k);
      for (std::size_t j = k + 1; j < a.size(); ++j) a(i, j) -= a(i, k) * a(k, j);
    }
  }
}

}  // namespace lufact::test
