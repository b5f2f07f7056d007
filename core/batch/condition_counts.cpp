// SPDX-License-Identifier: BSD-3-Clause
#include "core/batch/condition_counts.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <span>

#include "core/matrix/parallel.hpp"

namespace lufact {
namespace {

constexpr double near_condition = 1e8;
constexpr double singular_condition = 1 / std::numeric_limits<double>::epsilon();

double norm1(std::span<const double> a, Index n) {
  double norm = 0;
  for (Index j = 0; j < n; ++j) {
    double sum = 0;
    for (Index i = 0; i < n; ++i) sum += std::abs(a[at(i + Offset{j} * n)]);
    norm = std::isnan(sum) ? sum : std::max(norm, sum);
    if (std::isnan(norm)) return norm;
  }
  return norm;
}

// Workspace of one thread: a matrix and what becomes its inverse, by columns.
class Inverter {
 public:
  // Infinite where a pivot is zero, NaN where an entry is not finite.
  double condition(std::span<const double> matrix, Index n) {
    const double norm = norm1(matrix, n);
    if (!std::isfinite(norm)) return std::numeric_limits<double>::quiet_NaN();
    start(matrix, n);
    for (Index k = 0; k < n; ++k) {
      if (!eliminate(k)) return std::numeric_limits<double>::infinity();
    }
    const double condition = norm * norm1(inverse_, n);
    return std::isnan(condition) ? std::numeric_limits<double>::infinity() : condition;
  }

 private:
  void start(std::span<const double> matrix, Index n) {
    n_ = n;
    a_.assign(matrix.begin(), matrix.end());
    inverse_.assign(matrix.size(), 0.0);
    for (Index i = 0; i < n; ++i) inverse_[place(i, i)] = 1;
  }

  bool eliminate(Index k) {
    Index pivot = k;
    for (Index i = k + 1; i < n_; ++i) {
      if (std::abs(a_[place(i, k)]) > std::abs(a_[place(pivot, k)])) pivot = i;
    }
    if (a_[place(pivot, k)] == 0) return false;
    const double diagonal = a_[place(pivot, k)];
    for (std::vector<double>* matrix : {&a_, &inverse_}) {
      for (Index j = 0; j < n_; ++j) {
        std::swap((*matrix)[place(k, j)], (*matrix)[place(pivot, j)]);
        (*matrix)[place(k, j)] /= diagonal;
      }
    }
    for (Index i = 0; i < n_; ++i) {
      const double factor = a_[place(i, k)];
      if (i == k || factor == 0) continue;
      for (std::vector<double>* matrix : {&a_, &inverse_}) {
        for (Index j = 0; j < n_; ++j) (*matrix)[place(i, j)] -= factor * (*matrix)[place(k, j)];
      }
    }
    return true;
  }

  std::size_t place(Index i, Index j) const { return at(i + Offset{j} * n_); }

  Index n_ = 0;
  std::vector<double> a_, inverse_;
};

void add_group(const GivenMatrices& given, Offset count, int threads, BatchConditions& counts) {
  constexpr Offset at_a_time = 64;  // with one workspace
  const Offset entries = Offset{given.n} * given.n;
  std::atomic<Offset> singular{0}, near_singular{0};
  parallel_for((count + at_a_time - 1) / at_a_time, threads, [&](Offset part) {
    Inverter inverter;
    for (Offset k = part * at_a_time; k < std::min(count, (part + 1) * at_a_time); ++k) {
      const double condition = inverter.condition(
          std::span(given.values).subspan(at(k * entries), at(entries)), given.n);
      if (condition > singular_condition) {
        ++singular;
      } else if (condition > near_condition) {
        ++near_singular;
      }
    }
  });
  counts.matrices += count;
  counts.singular += singular;
  counts.near_singular += near_singular;
}

}  // namespace

BatchConditions count_conditions(const BatchInput& input, int threads) {
  BatchConditions counts;
  for (const BatchGroup& group : input.groups) {
    if (group.kind) continue;
    add_group(*group.given, std::min(group.given->count, group.count), std::max(threads, 1),
              counts);
  }
  return counts;
}

}  // namespace lufact
