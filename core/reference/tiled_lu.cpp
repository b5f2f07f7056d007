// SPDX-License-Identifier: BSD-3-Clause
#include "core/reference/tiled_lu.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/fronts/plan/diagonal_tiles.hpp"
#include "core/pipeline/front_tasks.hpp"
#include "core/reference/dense_lu.hpp"

namespace lufact::reference {
namespace {

template <class Real>
struct Block {
  Real* entry;
  Index rows, columns;
  Offset ld;

  Real& operator()(Index i, Index j) const { return entry[j * ld + i]; }
  Block part(Index row, Index column, Index part_rows, Index part_columns) const {
    return {entry + column * ld + row, part_rows, part_columns, ld};
  }
};

template <class Real>
struct Square {
  explicit Square(Index n) : entries(at(Offset{n} * n)), block{entries.data(), n, n, n} {}

  std::vector<Real> entries;
  Block<Real> block;
};

template <class Real>
Square<Real> product(const Block<Real>& left, const Block<Real>& right) {
  Square<Real> sums(std::max(left.rows, right.columns));
  for (Index j = 0; j < right.columns; ++j) {
    for (Index p = 0; p < left.columns; ++p) {
      for (Index i = 0; i < left.rows; ++i) sums.block(i, j) += left(i, p) * right(p, j);
    }
  }
  return sums;
}

template <class Real>
void assign(const Block<Real>& to, const Square<Real>& from) {
  for (Index j = 0; j < to.columns; ++j) {
    for (Index i = 0; i < to.rows; ++i) to(i, j) = from.block(i, j);
  }
}

template <class Real>
void subtract(const Block<Real>& from, const Block<Real>& left, const Block<Real>& right) {
  const Square<Real> sums = product(left, right);
  for (Index j = 0; j < from.columns; ++j) {
    for (Index i = 0; i < from.rows; ++i) from(i, j) -= sums.block(i, j);
  }
}

template <class Real>
Real divided(Real value, Real pivot) {
  return pivot == 0 ? value : value / pivot;
}

// x := x U^-1.
template <class Real>
void solve_with_upper(const Block<Real>& lu, const Block<Real>& x) {
  for (Index j = 0; j < x.columns; ++j) {
    for (Index i = 0; i < x.rows; ++i) {
      for (Index p = 0; p < j; ++p) x(i, j) -= x(i, p) * lu(p, j);
      x(i, j) = divided(x(i, j), lu(j, j));
    }
  }
}

// x := L^-1 x.
template <class Real>
void solve_with_lower(const Block<Real>& lu, const Block<Real>& x) {
  for (Index j = 0; j < x.columns; ++j) {
    for (Index i = 0; i < x.rows; ++i) {
      for (Index p = 0; p < i; ++p) x(i, j) -= lu(i, p) * x(p, j);
    }
  }
}

template <class Real>
struct Inverses {
  explicit Inverses(const Block<Real>& lu) : lower(lu.rows), upper(lu.rows) {
    const Index n = lu.rows;
    for (Index j = 0; j < n; ++j) lower.block(j, j) = 1;
    solve_with_lower(lu, lower.block);
    for (Index j = 0; j < n; ++j) {
      upper.block(j, j) = 1 / lu(j, j);
      for (Index i = j - 1; i >= 0; --i) {
        for (Index p = i + 1; p <= j; ++p) upper.block(i, j) -= lu(i, p) * upper.block(p, j);
        upper.block(i, j) /= lu(i, i);
      }
    }
  }

  // Rows of U count as divided by their pivots. False for what is not finite.
  bool are_small() const {
    const Index n = lower.block.rows;
    for (Index j = 0; j < n; ++j) {
      const Real bound = largest_inverse_entry * std::abs(upper.block(j, j));
      if (!std::isfinite(bound)) return false;
      for (Index i = 0; i < n; ++i) {
        const bool small = i > j ? std::abs(lower.block(i, j)) <= largest_inverse_entry
                                 : std::abs(upper.block(i, j)) <= bound;
        if (!small) return false;
      }
    }
    return true;
  }

  Square<Real> lower, upper;
};

// L below the diagonal of D U^-1, U on it and above in L^-1 D.
template <class Real>
void multiply_out(const Inverses<Real>& inverses, const Block<Real>& tile) {
  const Square<Real> lower = product(tile, inverses.upper.block);
  const Square<Real> upper = product(inverses.lower.block, tile);
  for (Index j = 0; j < tile.columns; ++j) {
    for (Index i = 0; i < tile.rows; ++i) {
      tile(i, j) = i > j ? lower.block(i, j) : upper.block(i, j);
    }
  }
}

// One step: the tile on the diagonal, those below and beside it, and all behind them.
template <class Real>
class TiledStep {
 public:
  TiledStep(const Block<Real>& rest, Index width) : rest_(rest), width_(width), factors_(width) {
    const Block<Real> tile = rest.part(0, 0, width, width);
    for (Index j = 0; j < width; ++j) {
      for (Index i = 0; i < width; ++i) factors_.block(i, j) = tile(i, j);
    }
    dense_lu_without_pivoting(width, width, factors_.entries.data(), width);
  }

  // Gives whether the tile is kept.
  bool run(DiagonalTiles how) {
    const Inverses<Real> inverses(factors_.block);
    const bool kept =
        how == DiagonalTiles::factored || (how == DiagonalTiles::judged && !inverses.are_small());
    const Block<Real> tile = rest_.part(0, 0, width_, width_);
    if (kept) {
      for_tiles([&](const Block<Real>& below) { solve_with_upper(factors_.block, below); },
                [&](const Block<Real>& beside) { solve_with_lower(factors_.block, beside); });
      assign(tile, factors_);
    } else {
      for_tiles([&](const Block<Real>& x) { assign(x, product(x, inverses.upper.block)); },
                [&](const Block<Real>& x) { assign(x, product(inverses.lower.block, x)); });
      multiply_out(inverses, tile);
    }
    return kept;
  }

  // What is behind them -= L U.
  void update() const {
    const Index order = rest_.rows;
    for (Index j = width_; j < order; j += width_) {
      for (Index i = width_; i < order; i += width_) {
        const Index rows = std::min(width_, order - i), columns = std::min(width_, order - j);
        subtract(rest_.part(i, j, rows, columns), rest_.part(i, 0, rows, width_),
                 rest_.part(0, j, width_, columns));
      }
    }
  }

 private:
  template <class Below, class Beside>
  void for_tiles(const Below& below, const Beside& beside) const {
    for (Index i = width_; i < rest_.rows; i += width_) {
      const Index size = std::min(width_, rest_.rows - i);
      below(rest_.part(i, 0, size, width_));
      beside(rest_.part(0, i, width_, size));
    }
  }

  Block<Real> rest_;
  Index width_;
  Square<Real> factors_;
};

}  // namespace

template <class Real>
Index tiled_lu(Index n, Real* a, Index ld, DiagonalTiles diagonal) {
  const Block<Real> matrix{a, n, n, ld};
  const Index width = pivot_tile_width(n);
  Index kept = 0;
  for (Index k = 0; k < n; k += width) {
    TiledStep<Real> step(matrix.part(k, k, n - k, n - k), std::min(width, n - k));
    if (step.run(diagonal)) ++kept;
    step.update();
  }
  return kept;
}

template Index tiled_lu(Index, float*, Index, DiagonalTiles);
template Index tiled_lu(Index, double*, Index, DiagonalTiles);

}  // namespace lufact::reference
