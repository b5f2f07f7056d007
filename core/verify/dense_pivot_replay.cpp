// SPDX-License-Identifier: BSD-3-Clause
#include "core/verify/dense_pivot_replay.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/raw_vector.hpp"
#include "core/matrix/parallel.hpp"

namespace lufact {
namespace {

// Columns that a thread updates at a time.
constexpr Index some_columns = 16;

template <class Real>
class Replay {
 public:
  Replay(const DenseView<Real>& a, int threads)
      : m_(a.rows), order_(std::min(a.rows, a.columns)), threads_(threads) {
    entries_.resize(at(Offset{m_} * order_));
    for (Index j = 0; j < order_; ++j) {
      std::copy_n(a.entries + Offset{j} * a.ld, m_, column(j));
      for (Index i = 0; i < m_; ++i) met(column(j)[i]);
    }
  }

  PivotCheck follow(std::span<const std::int32_t> pivots) {
    PivotCheck check;
    for (Index k = 0; k < order_; ++k) {
      const Index own = largest_from(k);
      Index row = pivots[at(k)] - 1;
      ++check.checked;
      if (row < k || row >= m_) {
        ++check.different;
        row = own;
      } else {
        ++count_of(check, k, row, own);
      }
      for (Index j = 0; j < order_ && row != k; ++j) std::swap(column(j)[k], column(j)[row]);
      eliminate(k);
    }
    return check;
  }

 private:
  Real* column(Index j) { return entries_.data() + Offset{j} * m_; }
  void met(Real value) { largest_ = std::max(largest_, std::abs(double{value})); }

  Index largest_from(Index k) {
    const Real* const candidates = column(k);
    Index row = k;
    for (Index i = k + 1; i < m_; ++i) {
      if (std::abs(candidates[i]) > std::abs(candidates[row])) row = i;
    }
    return row;
  }

  Offset& count_of(PivotCheck& check, Index k, Index row, Index own) {
    if (row == own) return check.equal;
    met(column(k)[own]);
    const double by = std::abs(double{column(k)[own]}) - std::abs(double{column(k)[row]});
    const double close = 16.0 * k * double{std::numeric_limits<Real>::epsilon()} * largest_;
    return k > 0 && by <= close ? check.tied : check.different;
  }

  void eliminate(Index k) {
    Real* const lower = column(k);
    const Real pivot = lower[k];
    met(pivot);
    if (pivot == 0) return;
    for (Index i = k + 1; i < m_; ++i) lower[i] /= pivot;
    const Index rest = order_ - k - 1;
    const Offset blocks = (Offset{rest} + some_columns - 1) / some_columns;
    constexpr Offset worthwhile = 1 << 16;
    const int threads = threads_for(Offset{rest} * (m_ - k), worthwhile, threads_);
    parallel_for(blocks, threads, [&](Offset block) {
      const auto begin = static_cast<Index>(k + 1 + block * some_columns);
      for (Index j = begin; j < std::min(order_, begin + some_columns); ++j) {
        Real* const target = column(j);
        const Real factor = target[k];
        for (Index i = k + 1; i < m_; ++i) target[i] -= lower[i] * factor;
      }
    });
  }

  const Index m_, order_;
  const int threads_;
  RawVector<Real> entries_;
  double largest_ = 0;
};

}  // namespace

template <class Real>
PivotCheck replay_dense_pivots(const DenseView<Real>& a, std::span<const std::int32_t> pivots,
                               int threads) {
  return Replay<Real>(a, threads).follow(pivots);
}

template PivotCheck replay_dense_pivots<float>(const DenseView<float>&,
                                               std::span<const std::int32_t>, int);
template PivotCheck replay_dense_pivots<double>(const DenseView<double>&,
                                                std::span<const std::int32_t>, int);

}  // namespace lufact
