// SPDX-License-Identifier: BSD-3-Clause
#include "core/verify/pivot_replay.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace lufact {
namespace {

// Differences above this many uncertainties are not those of rounding.
constexpr double margin = 16;
constexpr double growth = 1.25;

// A number and by how much it can differ between correct eliminations.
template <class Real>
struct Uncertain {
  Real value = 0;
  double by = 0;
  bool computed = false;  // something was subtracted from it
};

// What an inexact result with these operands and this size can differ by.
template <class Real>
double rounded(double inherited, double size) {
  const double local = std::numeric_limits<Real>::epsilon() * size;
  const double least = std::numeric_limits<Real>::denorm_min();
  return growth * std::max({inherited, local, least});
}

// 0 * Inf counts as 0.
double times(double factor, double uncertainty) {
  return factor == 0 ? 0 : factor * uncertainty;
}

template <class Real>
bool is_power_of_two(Real value) {
  int exponent = 0;
  return std::abs(std::frexp(value, &exponent)) == Real{0.5};
}

// The same as a quotient and as a product with the rounded reciprocal, in every rounding.
template <class Real>
bool exact_quotient(Real value, Real pivot, Real quotient) {
  if (value == 0 || std::abs(value) == std::abs(pivot)) return true;
  return is_power_of_two(pivot) && quotient * pivot == value;
}

// As the sequential twin divides.
template <class Real>
Real quotient_of(Real value, Real pivot) {
  const bool has_reciprocal = std::abs(pivot) >= std::numeric_limits<Real>::min();
  return has_reciprocal ? value * (Real{1} / pivot) : value / pivot;
}

template <class Real>
bool may_be_zero(const Uncertain<Real>& number) {
  return number.by > 0 && std::abs(number.value) <= margin * number.by;
}

// A multiplier; `pivot` is not zero, or the column is not scaled.
template <class Real>
Uncertain<Real> divided(const Uncertain<Real>& value, const Uncertain<Real>& pivot) {
  Uncertain<Real> result = value;
  if (pivot.value != 0) result.value = quotient_of(value.value, pivot.value);
  const double size = std::abs(pivot.value), quotient = std::abs(result.value);
  if (may_be_zero(pivot)) {
    result.value = std::clamp(result.value, Real{-1}, Real{1});
    result.by = value.value == 0 && value.by == 0 ? 0 : 1;
  } else if (size > 0) {
    const double inherited = std::max(value.by / size, times(quotient, pivot.by / size));
    const bool exact = inherited == 0 && exact_quotient(value.value, pivot.value, result.value);
    result.by = exact ? 0 : rounded<Real>(inherited, 2 * quotient);
  }
  return result;
}

// Whether neither the product nor the difference rounds.
template <class Real>
bool exact_step(Real value, Real factor, Real other, Real product, Real difference) {
  if (std::fma(factor, other, -product) != 0) return false;
  // The error of a sum (Knuth; Moller 1965).
  const Real part = difference - value;
  return (value - (difference - part)) + (-product - part) == 0;
}

// Whether rows cancelled in `other`, an entry of U, and a rounded multiplier takes them one by one
// in some eliminations.
template <class Real>
bool may_be_folded(const Uncertain<Real>& factor, const Uncertain<Real>& other) {
  return other.value == 0 && other.computed && factor.value != 0 && factor.by > 0;
}

// value -= factor * other, a multiplier and an entry of U; `exact_product`: no way to compute the
// product rounds an operand; `terms`: the size of what may have cancelled in `other`.
template <class Real>
void subtract(Uncertain<Real>& value, const Uncertain<Real>& factor, const Uncertain<Real>& other,
              bool exact_product, double terms) {
  const double factor_size = std::abs(factor.value), other_size = std::abs(other.value);
  const double inherited =
      std::max({value.by, times(factor_size, other.by), times(other_size, factor.by)});
  const bool nothing = factor.value == 0 || other.value == 0;
  const bool folded = may_be_folded(factor, other);
  const Real product = factor.value * other.value;
  const Real difference = value.value - product;
  const bool exact = inherited == 0 && !folded &&
                     (nothing || (exact_product && exact_step(value.value, factor.value,
                                                              other.value, product, difference)));
  const double size = folded ? factor_size * terms
                      : nothing
                          ? 0.0
                          : std::max({std::abs(double{value.value}), std::abs(double{product}),
                                      std::abs(double{difference})});
  value.by = exact ? 0 : nothing && !folded ? inherited : rounded<Real>(inherited, size);
  value.value = difference;
  value.computed |= factor.value != 0 && (other.value != 0 || other.computed);
}

template <class Real>
class Elimination {
 public:
  Elimination(Index n, std::span<const double> a, PivotDivides divides)
      : n_(n), divides_(divides), a_(a.size()) {
    for (std::size_t p = 0; p < a.size(); ++p) a_[p].value = static_cast<Real>(a[p]);
  }

  PivotReplay follow(std::span<const std::int32_t> pivots) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    PivotReplay replay;
    bool lost = false;
    for (Index k = 0; k < n_; ++k) {
      const Index own = largest(k);
      Index row = pivots.empty() ? own : pivots[at(k)] - 1;
      if (row < k || row >= n_) {
        replay.verdict = PivotVerdict::different;
        row = own;
      }
      replay.verdict = std::max(replay.verdict, verdict(k, row, own));
      exchange(k, row);
      if (pivots.empty()) doubt_choice(k);
      replay.size.push_back(std::abs(entry(k, k).value));
      replay.uncertainty.push_back(lost ? infinity : entry(k, k).by);
      // Which row a pivot of rounding errors would be in is anybody's guess.
      lost = lost || (pivots.empty() && may_be_zero(entry(k, k)));
      eliminate(k);
    }
    return replay;
  }

 private:
  Uncertain<Real>& entry(Index i, Index j) { return a_[at(Offset{j} * n_ + i)]; }
  double size(Index i, Index j) { return std::abs(entry(i, j).value); }

  Index largest(Index k) {
    Index row = k;
    for (Index i = k + 1; i < n_; ++i) {
      if (size(i, k) > size(row, k)) row = i;
    }
    return row;
  }

  PivotVerdict verdict(Index k, Index row, Index own) {
    if (row == own) return PivotVerdict::equal;
    const double uncertainty = std::max(entry(row, k).by, entry(own, k).by);
    const bool close = size(own, k) - size(row, k) <= margin * uncertainty;
    return uncertainty > 0 && close ? PivotVerdict::tied : PivotVerdict::different;
  }

  void exchange(Index k, Index row) {
    if (row == k) return;
    for (Index j = 0; j < n_; ++j) std::swap(entry(k, j), entry(row, j));
  }

  // Another correct elimination may have taken another of nearly equal candidates. Then nothing
  // that follows from the pivot is exact; of a zero among zeros, some of which may have rounded, it
  // is not even certain that it is zero.
  void doubt_choice(Index k) {
    Uncertain<Real>& pivot = entry(k, k);
    double doubt = pivot.by;
    for (Index i = k + 1; i < n_; ++i) {
      const double uncertainty = std::max(pivot.by, entry(i, k).by);
      if (uncertainty > 0 && size(k, k) - size(i, k) <= margin * uncertainty) {
        const double rounding = std::numeric_limits<Real>::epsilon() * size(k, k);
        doubt = std::max({doubt, uncertainty, rounding});
      }
    }
    pivot.by = doubt;
  }

  void eliminate(Index k) {
    const Uncertain<Real> pivot = entry(k, k);
    for (Index i = k + 1; i < n_; ++i) entry(i, k) = divided(entry(i, k), pivot);
    for (Index j = k + 1; j < n_; ++j) {
      const Uncertain<Real> factor = entry(k, j);
      const bool exact = divides_ == PivotDivides::column || divided(factor, pivot).by == 0;
      for (Index i = k + 1; i < n_; ++i) {
        subtract(entry(i, j), entry(i, k), factor, exact, std::abs(double{pivot.value}));
      }
    }
  }

  Index n_;
  PivotDivides divides_;
  std::vector<Uncertain<Real>> a_;
};

}  // namespace

bool PivotReplay::allows(std::int32_t info) const noexcept {
  const auto n = static_cast<std::int32_t>(size.size());
  if (info < 0 || info > n) return false;
  const std::int32_t first = info == 0 ? n : info - 1;  // earlier pivots were not zero
  for (std::int32_t k = 0; k < first; ++k) {
    if (size[at(k)] == 0 && uncertainty[at(k)] == 0) return false;
  }
  return info == 0 || size[at(first)] <= margin * uncertainty[at(first)] || size[at(first)] == 0;
}

PivotReplay replay_pivots(Precision precision, Index n, std::span<const double> a,
                          std::span<const std::int32_t> pivots, PivotDivides divides) {
  if (precision == Precision::float32) return Elimination<float>(n, a, divides).follow(pivots);
  return Elimination<double>(n, a, divides).follow(pivots);
}

}  // namespace lufact
