// SPDX-License-Identifier: BSD-3-Clause
// The Jacobian of an economic model with foresight, stacked over its periods: an equation ties
// variables of its period, of the one before (stocks, habits) and of the next one (expectations),
// and sometimes one of a few exogenous variables that reach everywhere. Equations are not listed in
// the order of the variables that they determine, so that diagonals are missing and hardly an entry
// has a mirror image.
// Why it is nonsingular: in every period a rotation assigns a variable to each equation, which
// dominates its row.
#include <algorithm>

#include "core/base/random.hpp"
#include "core/generate/kinds.hpp"
#include "core/generate/position_set.hpp"

namespace lufact::generate {
namespace {

constexpr Index kExogenous = 8;  // the first variables of the first period

class EconomicModel {
 public:
  EconomicModel(Index n, Offset nnz, Index periods, std::uint64_t seed)
      : n_(n), width_(1 + (n - 1) / periods), seed_(seed), positions_(nnz) {}

  CsrMatrix make() {
    for (Index row = 0; row < n_; ++row) positions_.add(row, determined_by(row));
    for (std::uint64_t draw = 0; positions_.left() > 0; ++draw) add_term(draw);
    return dominant_matrix(
        n_, positions_.sorted(), [this](Index row) { return determined_by(row); },
        [this](Index row, Index col) {
          return signed_weight(
              hash64(seed_, static_cast<std::uint64_t>(row), static_cast<std::uint64_t>(col)));
        });
  }

 private:
  Index first_of(Index period) const { return period * width_; }
  // The last period may have fewer variables than the others.
  Index variables(Index period) const { return std::min(width_, n_ - first_of(period)); }

  // The variable that an equation determines.
  Index determined_by(Index row) const {
    const Index period = row / width_;
    const auto shift = static_cast<Index>(uniform_below(
        hash64(seed_, static_cast<std::uint64_t>(period), ~std::uint64_t{0}), variables(period)));
    return first_of(period) + (row - first_of(period) + shift) % variables(period);
  }

  // Of 32 terms 22 are of their own period, 5 lags, 4 leads and one exogenous.
  void add_term(std::uint64_t draw) {
    const auto row = static_cast<Index>(uniform_below(hash64(seed_, draw, 1), n_));
    const std::uint64_t kind = hash64(seed_, draw, 2) % 32;
    const std::uint64_t random = hash64(seed_, draw, 3);
    if (kind == 0) {
      positions_.add(row, static_cast<Index>(uniform_below(random, std::min(kExogenous, n_))));
      return;
    }
    const Index last = (n_ - 1) / width_;
    const Index step = kind < 6 ? -1 : kind < 10 ? 1 : 0;
    const Index period = std::clamp(row / width_ + step, Index{0}, last);
    const auto variable = static_cast<Index>(uniform_below(random, variables(period)));
    positions_.add(row, first_of(period) + variable);
  }

  Index n_, width_;
  std::uint64_t seed_;
  PositionSet positions_;
};

}  // namespace

CsrMatrix make_economic(std::span<const Offset> sizes, std::uint64_t seed) {
  return EconomicModel(static_cast<Index>(sizes[0]), sizes[1], static_cast<Index>(sizes[2]), seed)
      .make();
}

}  // namespace lufact::generate
