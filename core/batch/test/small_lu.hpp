// SPDX-License-Identifier: BSD-3-Clause
// Elimination as LAPACK's getf2 does it, too simple to be wrong, for tests of inputs.
#pragma once
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/base/types.hpp"

namespace lufact::test {

template <class T>
struct SmallLu {
  Index info = 0;         // the first zero pivot, from 1
  Index zero_pivots = 0;  // how many
  double log_determinant = 0;
  int sign = 1;
};

// `a` is n x n by columns, and overwritten by L and U.
template <class T>
SmallLu<T> eliminate(std::vector<T>& a, Index n) {
  SmallLu<T> lu;
  const auto entry = [&](Index i, Index j) -> T& { return a[at(i + Offset{j} * n)]; };
  for (Index k = 0; k < n; ++k) {
    Index pivot = k;
    for (Index i = k + 1; i < n; ++i) {
      if (std::abs(entry(i, k)) > std::abs(entry(pivot, k))) pivot = i;
    }
    if (entry(pivot, k) == T(0)) {
      if (lu.info == 0) lu.info = k + 1;
      ++lu.zero_pivots;
      continue;
    }
    for (Index j = 0; j < n; ++j) std::swap(entry(k, j), entry(pivot, j));
    lu.sign *= (pivot != k ? -1 : 1) * (entry(k, k) < T(0) ? -1 : 1);
    lu.log_determinant += std::log(std::abs(static_cast<double>(entry(k, k))));
    for (Index i = k + 1; i < n; ++i) {
      entry(i, k) /= entry(k, k);
      for (Index j = k + 1; j < n; ++j) entry(i, j) -= entry(i, k) * entry(k, j);
    }
  }
  return lu;
}

// The inverse of a matrix that eliminate() finds regular, by columns.
template <class T>
std::vector<T> inverse_of(std::vector<T> a, Index n) {
  const auto whole = Offset{n} * n;
  std::vector<T> inverse(at(whole), T(0));
  for (Index i = 0; i < n; ++i) inverse[at(i + Offset{i} * n)] = 1;
  const auto entry = [&](std::vector<T>& m, Index i, Index j) -> T& {
    return m[at(i + Offset{j} * n)];
  };
  for (Index k = 0; k < n; ++k) {
    Index pivot = k;
    for (Index i = k + 1; i < n; ++i) {
      if (std::abs(entry(a, i, k)) > std::abs(entry(a, pivot, k))) pivot = i;
    }
    for (Index j = 0; j < n; ++j) {
      std::swap(entry(a, k, j), entry(a, pivot, j));
      std::swap(entry(inverse, k, j), entry(inverse, pivot, j));
    }
    for (Index i = 0; i < n; ++i) {
      if (i == k) continue;
      const T factor = entry(a, i, k) / entry(a, k, k);
      if (factor == T(0)) continue;
      for (Index j = 0; j < n; ++j) {
        entry(a, i, j) -= factor * entry(a, k, j);
        entry(inverse, i, j) -= factor * entry(inverse, k, j);
      }
    }
  }
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < n; ++i) entry(inverse, i, j) /= entry(a, i, i);
  }
  return inverse;
}

template <class T>
double norm1(const std::vector<T>& a, Index n) {
  double norm = 0;
  for (Index j = 0; j < n; ++j) {
    double sum = 0;
    for (Index i = 0; i < n; ++i) sum += std::abs(static_cast<double>(a[at(i + Offset{j} * n)]));
    norm = std::max(norm, sum);
  }
  return norm;
}

}  // namespace lufact::test
