// SPDX-License-Identifier: BSD-3-Clause
#include "core/fronts/numeric/stored_form.hpp"

#include <algorithm>

#include "core/fronts/plan/front_shapes.hpp"

namespace lufact {
namespace {

// Square, by columns.
struct Square {
  Index order;
  std::vector<double> entries;

  explicit Square(Index n) : order(n), entries(at(Offset{n} * n), 0.0) {}
  double& operator()(Index i, Index j) { return entries[at(Offset{j} * order + i)]; }
};

// One front: L below the diagonal, which is one, U above.
template <class T>
class DenseFront {
 public:
  DenseFront(const ScheduledFront& front, const T* values) : front_(front), values_(values) {}

  double operator()(Index i, Index j) const {
    const Index pivots = front_.pivots;
    if (j >= pivots) return entry(front_.upper() + i * front_.row_stride() + j - pivots);
    if (i >= pivots) return entry(front_.lower() + j * front_.row_stride() + i - pivots);
    return entry(front_.values + j * front_.pivot_stride() + i);
  }

  // The inverses of the triangles of the pivots begin .. begin + count.
  Square inverse_lower(Index begin, Index count) const {
    Square result(count);
    for (Index j = 0; j < count; ++j) {
      result(j, j) = 1;
      for (Index i = j + 1; i < count; ++i) {
        for (Index k = j; k < i; ++k) result(i, j) -= (*this)(begin + i, begin + k) * result(k, j);
      }
    }
    return result;
  }
  Square inverse_upper(Index begin, Index count) const {
    Square result(count);
    for (Index j = 0; j < count; ++j) {
      result(j, j) = 1 / (*this)(begin + j, begin + j);
      for (Index i = j - 1; i >= 0; --i) {
        for (Index k = i + 1; k <= j; ++k) {
          result(i, j) -= (*this)(begin + i, begin + k) * result(k, j);
        }
        result(i, j) /= (*this)(begin + i, begin + i);
      }
    }
    return result;
  }

 private:
  double entry(Offset place) const { return static_cast<double>(values_[place]); }
  const ScheduledFront& front_;
  const T* values_;
};

template <class T>
void write_small(const FrontShape& shape, const DenseFront<T>& front, double* to) {
  const Index pivots = shape.pivots, order = pivots + shape.rows;
  Square lower = front.inverse_lower(0, pivots), upper = front.inverse_upper(0, pivots);
  for (Index c = 0; c < pivots; ++c) {
    for (Index i = 0; i < pivots; ++i) *to++ = i > c ? lower(i, c) : upper(i, c);
    for (Index i = pivots; i < order; ++i, ++to) {
      *to = 0;
      for (Index k = c; k < pivots; ++k) *to -= front(i, k) * lower(k, c);
    }
  }
  for (Index j = pivots; j < order; ++j) {
    for (Index c = 0; c < pivots; ++c, ++to) {
      *to = 0;
      for (Index k = c; k < pivots; ++k) *to -= upper(c, k) * front(k, j);
    }
  }
}

// First row of tile t, and the row behind its last.
std::pair<Index, Index> tile_rows(const FrontShape& shape, Index t) {
  if (t < shape.pivot_tiles) {
    const Index begin = t * shape.pivot_width;
    return {begin, std::min(begin + shape.pivot_width, shape.pivots)};
  }
  const Index begin = shape.pivots + (t - shape.pivot_tiles) * shape.row_width;
  return {begin, std::min(begin + shape.row_width, shape.pivots + shape.rows)};
}

// The row, counted from its tile's first, that row i of pivot tile t comes from; `source` holds the
// front's row sources.
Index row_source(const FrontShape& shape, const std::uint8_t* source, Index t, Index i) {
  return source == nullptr || t >= shape.pivot_tiles ? i : source[t * shape.pivot_width + i];
}

// The host's L has its rows exchanged in all columns; L of the stored form has them exchanged in
// the columns of the diagonal tile alone. `to`: where the factors of all fronts begin.
template <class T>
void write_tiles(const FrontShape& shape, const DenseFront<T>& front, const std::uint8_t* source,
                 double* to) {
  for (Index k = 0; k < shape.pivot_tiles; ++k) {
    const auto [begin, end] = tile_rows(shape, k);
    Square lower = front.inverse_lower(begin, end - begin);
    Square upper = front.inverse_upper(begin, end - begin);
    for (Index t = k; t < shape.tiles; ++t) {
      const auto [first, last] = tile_rows(shape, t);
      double* const l = to + shape.lower_place(t, k);
      double* const u = to + shape.upper_place(k, t);
      const Offset leading = shape.stored_rows(t);
      for (Index c = 0; c < end - begin; ++c) {
        const Index column = t == k ? row_source(shape, source, k, c) : c;
        for (Index i = 0; i < last - first; ++i) {
          const Index row = t == k ? i : row_source(shape, source, t, i);
          l[column * leading + row] = t == k ? lower(i, c) : front(first + i, begin + c);
          u[c * leading + i] = t == k ? upper(c, i) : front(begin + c, first + i);
        }
      }
    }
  }
}

}  // namespace

TaskGraph stored_shapes(const FrontTree& tree) {
  TaskGraph graph;
  shape_fronts(tree, 1, graph);
  return graph;
}

template <class T>
std::vector<double> stored_form(const StoredFronts<T>& fronts) {
  const TaskGraph graph = stored_shapes(fronts.tree);
  std::vector<double> result(at(graph.factor_entries), 0.0);
  for (std::size_t f = 0; f < graph.shape.size(); ++f) {
    const FrontShape& shape = graph.shape[f];
    if (shape.pivots == 0) continue;
    const DenseFront<T> front(fronts.schedule.front[f], fronts.values);
    const std::uint8_t* const source =
        fronts.row_source == nullptr ? nullptr : fronts.row_source + shape.first;
    if (shape.small()) {
      write_small(shape, front, result.data() + shape.factors);
    } else {
      write_tiles(shape, front, source, result.data());
    }
  }
  return result;
}

template std::vector<double> stored_form(const StoredFronts<float>& fronts);
template std::vector<double> stored_form(const StoredFronts<double>& fronts);

}  // namespace lufact
