// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "core/reference/front_elimination.hpp"

namespace lufact::reference {
namespace {

// One right-hand side, by positions: every front takes its rows out of x, and puts them back.
class FrontSolve {
 public:
  FrontSolve(const FrontTree& tree, std::span<const FrontShape> shapes,
             std::span<const double> values, std::span<const std::uint8_t> row_sources,
             std::vector<double>& x)
      : tree_(tree), shapes_(shapes), values_(values), row_sources_(row_sources), x_(x) {}

  void run() {
    for (Index f = 0; f < tree_.fronts(); ++f) {
      for (Index r = 0; r < tree_.order(f); ++r) at_row(f, r, true);
      forward(shapes_[at(f)]);
      for (Index r = 0; r < tree_.order(f); ++r) at_row(f, r, false);
    }
    for (Index f = tree_.fronts() - 1; f >= 0; --f) {
      for (Index r = 0; r < tree_.order(f); ++r) at_row(f, r, true);
      backward(shapes_[at(f)]);
      for (Index r = 0; r < tree_.pivots(f); ++r) at_row(f, r, false);
    }
  }

 private:
  void at_row(Index f, Index r, bool take) {
    const Index pivots = tree_.pivots(f);
    const Index position =
        r < pivots ? tree_.first[at(f)] + r : tree_.row[at(tree_.row_ptr[at(f)] + r - pivots)];
    w_.resize(std::max(w_.size(), at(r) + 1));
    (take ? w_[at(r)] : x_[at(position)]) = take ? x_[at(position)] : w_[at(r)];
  }

  void forward(const FrontShape& shape) {
    if (!shape.small()) return forward_tiles(shape);
    const Index pivots = shape.pivots, order = pivots + shape.rows;
    exchange_rows(shape);
    std::vector<double> result(w_);
    for (Index c = 0; c < pivots; ++c) {
      const double* const column = values_.data() + shape.factors + Offset{c} * order;
      for (Index i = c + 1; i < order; ++i) result[at(i)] += column[i] * w_[at(c)];
    }
    w_ = result;
  }

  void exchange_rows(const FrontShape& shape) {
    if (row_sources_.empty()) return;
    const std::vector<double> before(w_);
    for (Index k = 0; k < shape.pivots; ++k) {
      w_[at(k)] = before[at(row_sources_[at(shape.first + k)])];
    }
  }

  void backward(const FrontShape& shape) {
    if (!shape.small()) return backward_tiles(shape);
    const Index pivots = shape.pivots, order = pivots + shape.rows;
    const double* const rows = values_.data() + shape.factors + Offset{pivots} * order;
    std::vector<double> result(at(pivots), 0.0);
    for (Index i = 0; i < pivots; ++i) {
      for (Index c = i; c < pivots; ++c) {
        result[at(i)] += values_[at(shape.factors + Offset{c} * order + i)] * w_[at(c)];
      }
      for (Index c = 0; c < shape.rows; ++c) {
        result[at(i)] += rows[Offset{c} * pivots + i] * w_[at(pivots + c)];
      }
    }
    std::copy(result.begin(), result.end(), w_.begin());
  }

  // First row of tile t, and rows in it.
  static Index tile_first(const FrontShape& shape, Index t) {
    return t < shape.pivot_tiles ? t * shape.pivot_width
                                 : shape.pivots + (t - shape.pivot_tiles) * shape.row_width;
  }
  static Index tile_rows(const FrontShape& shape, Index t) {
    return t < shape.pivot_tiles
               ? std::min(shape.pivot_width, shape.pivots - t * shape.pivot_width)
               : std::min(shape.row_width, shape.rows - (t - shape.pivot_tiles) * shape.row_width);
  }
  // Entry (i, c) of tile (t, k) of L, or (c, i) of tile (k, t) of U.
  double lower(const FrontShape& shape, Index t, Index k, Index i, Index c) const {
    return values_[at(shape.lower_place(t, k) + Offset{c} * shape.stored_rows(t) + i)];
  }
  double upper(const FrontShape& shape, Index k, Index t, Index i, Index c) const {
    return values_[at(shape.upper_place(k, t) + Offset{c} * shape.stored_rows(t) + i)];
  }

  void forward_tiles(const FrontShape& shape) {
    for (Index k = 0; k < shape.pivot_tiles; ++k) {
      const Index first = tile_first(shape, k), pivots = tile_rows(shape, k);
      std::vector<double> y(at(pivots), 0.0);
      for (Index i = 0; i < pivots; ++i) {
        for (Index c = 0; c < pivots; ++c) {
          y[at(i)] += lower(shape, k, k, i, c) * w_[at(first + c)];
        }
      }
      std::copy(y.begin(), y.end(), w_.begin() + first);
      for (Index t = k + 1; t < shape.tiles; ++t) {
        for (Index i = 0; i < tile_rows(shape, t); ++i) {
          for (Index c = 0; c < pivots; ++c) {
            w_[at(tile_first(shape, t) + i)] -= lower(shape, t, k, i, c) * y[at(c)];
          }
        }
      }
    }
  }

  void backward_tiles(const FrontShape& shape) {
    for (Index k = shape.pivot_tiles - 1; k >= 0; --k) {
      const Index first = tile_first(shape, k), pivots = tile_rows(shape, k);
      for (Index t = k + 1; t < shape.tiles; ++t) {
        for (Index i = 0; i < tile_rows(shape, t); ++i) {
          for (Index c = 0; c < pivots; ++c) {
            w_[at(first + c)] -= upper(shape, k, t, i, c) * w_[at(tile_first(shape, t) + i)];
          }
        }
      }
      std::vector<double> x(at(pivots), 0.0);
      for (Index c = 0; c < pivots; ++c) {
        for (Index i = c; i < pivots; ++i) {
          x[at(c)] += upper(shape, k, k, i, c) * w_[at(first + i)];
        }
      }
      std::copy(x.begin(), x.end(), w_.begin() + first);
    }
  }

  const FrontTree& tree_;
  std::span<const FrontShape> shapes_;
  std::span<const double> values_;
  std::span<const std::uint8_t> row_sources_;
  std::vector<double>& x_;
  std::vector<double> w_;
};

}  // namespace

void solve_fronts(const FrontTree& tree, std::span<const FrontShape> shapes,
                  std::span<const double> values, std::span<const std::uint8_t> row_sources,
                  std::span<double> x, Index columns) {
  for (Index c = 0; c < columns; ++c) {
    const auto column = x.subspan(at(Offset{c} * tree.n), at(tree.n));
    std::vector<double> by_position(at(tree.n));
    for (Index k = 0; k < tree.n; ++k) by_position[at(k)] = column[at(tree.label[at(k)])];
    FrontSolve(tree, shapes, values, row_sources, by_position).run();
    for (Index k = 0; k < tree.n; ++k) column[at(tree.label[at(k)])] = by_position[at(k)];
  }
}

}  // namespace lufact::reference
