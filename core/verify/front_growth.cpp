// SPDX-License-Identifier: BSD-3-Clause
#include "core/verify/front_growth.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace lufact {
namespace {

// The largest magnitude seen, NaN once one was seen.
class Largest {
 public:
  void see(double value) {
    if (!(std::abs(value) <= value_)) value_ = std::abs(value);
  }
  double value() const noexcept { return value_; }

 private:
  double value_ = 0;
};

// inverse(V) for an upper triangle V of order p, where V(i, j) is v[i * row + j * column].
class UpperTriangle {
 public:
  UpperTriangle(const double* v, Offset row, Offset column, Index p)
      : p_(p), entries_(at(p) * at(p), 0.0) {
    for (Index j = 0; j < p; ++j) {
      u(j, j) = 1 / v[j * (row + column)];
      for (Index i = j - 1; i >= 0; --i) {
        double sum = 0;
        for (Index k = i + 1; k <= j; ++k) sum += v[i * row + k * column] * u(k, j);
        u(i, j) = -sum / v[i * (row + column)];
      }
    }
  }
  double operator()(Index i, Index j) const { return entries_[at(j) * at(p_) + at(i)]; }

 private:
  double& u(Index i, Index j) { return entries_[at(j) * at(p_) + at(i)]; }

  Index p_;
  std::vector<double> entries_;
};

void see_triangle(const UpperTriangle& u, Index p, Largest& largest) {
  for (Index j = 0; j < p; ++j) {
    for (Index i = 0; i <= j; ++i) largest.see(u(i, j));
  }
}

// A small front has inverse(U11) and -inverse(U11) U12.
void see_small_front(const FrontShape& shape, const double* factors, Largest& largest) {
  const Index p = shape.pivots;
  const Offset order = Offset{p} + shape.rows;
  const UpperTriangle u(factors, 1, order, p);
  see_triangle(u, p, largest);
  const double* const right = factors + p * order;
  for (Index c = 0; c < shape.rows; ++c) {
    for (Index i = 0; i < p; ++i) {
      double sum = 0;
      for (Index k = i; k < p; ++k) sum += u(i, k) * right[Offset{c} * p + k];
      largest.see(sum);
    }
  }
}

Index rows_of_tile(const FrontShape& shape, Index t) {
  if (t < shape.pivot_tiles) return shape.stored_pivots(t);
  return std::min(shape.row_width, shape.rows - (t - shape.pivot_tiles) * shape.row_width);
}

// A front of tiles has inverse(U_kk), transposed, and U_kt.
void see_tiles(const FrontShape& shape, const double* values, Largest& largest) {
  for (Index k = 0; k < shape.pivot_tiles; ++k) {
    const Index p = shape.stored_pivots(k);
    see_triangle(UpperTriangle(values + shape.upper_place(k, k), shape.stored_rows(k), 1, p), p,
                 largest);
    for (Index t = k + 1; t < shape.tiles; ++t) {
      const double* const tile = values + shape.upper_place(k, t);
      for (Index c = 0; c < p; ++c) {
        for (Index i = 0; i < rows_of_tile(shape, t); ++i) {
          largest.see(tile[Offset{c} * shape.stored_rows(t) + i]);
        }
      }
    }
  }
}

double largest_scaled_entry(const PermutedMatrix& b) {
  Largest largest;
  for (Index i = 0; i < b.pattern.n_rows; ++i) {
    for (Offset p = b.pattern.row_ptr[at(i)]; p < b.pattern.row_ptr[at(i) + 1]; ++p) {
      largest.see(b.row_scale[at(i)] * b.values[at(p)] * b.col_scale[at(b.pattern.col_idx[at(p)])]);
    }
  }
  return largest.value();
}

}  // namespace

double growth_of_u(const PermutedMatrix& b, std::span<const FrontShape> shapes,
                   std::span<const double> values) {
  Largest largest;
  for (const FrontShape& shape : shapes) {
    if (shape.pivots == 0) continue;
    if (shape.small()) {
      see_small_front(shape, values.data() + shape.factors, largest);
    } else {
      see_tiles(shape, values.data(), largest);
    }
  }
  const double input = largest_scaled_entry(b);
  return input == 0 ? 0 : largest.value() / input;
}

}  // namespace lufact
