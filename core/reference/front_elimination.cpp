// SPDX-License-Identifier: BSD-3-Clause
#include "core/reference/front_elimination.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace lufact::reference {
namespace {

// tile_order x tile_order, by columns.
struct Tile {
  std::vector<double> entries = std::vector<double>(at(tile_order) * at(tile_order), 0.0);
  double& operator()(Index i, Index j) { return entries[at(j) * at(tile_order) + at(i)]; }
  double operator()(Index i, Index j) const { return entries[at(j) * at(tile_order) + at(i)]; }
};

class Executor {
 public:
  Executor(const PermutedMatrix& matrix, const FrontTree& tree, const TaskGraph& graph,
           double threshold, Pivoting pivoting)
      : tree_(tree),
        graph_(graph),
        threshold_(threshold * matrix.scaled_norm),
        pivoting_(pivoting),
        scaled_(matrix.values.begin(), matrix.values.end()),
        values_(at(graph.factor_entries + graph.contribution_entries), 0.0),
        owner_(values_.size(), -1),
        flag_(at(graph.flags), false),
        done_(graph.shape.size(), 0) {
    if (pivoting == Pivoting::diagonal_block) result_.row_sources.assign(at(tree.n), 0);
    for (Index i = 0; i < matrix.pattern.n_rows; ++i) {
      for (Offset p = matrix.pattern.row_ptr[at(i)]; p < matrix.pattern.row_ptr[at(i) + 1]; ++p) {
        const Index j = matrix.pattern.col_idx[at(p)];
        scaled_[at(p)] *= matrix.row_scale[at(i)] * matrix.col_scale[at(j)];
      }
    }
  }

  FrontElimination run() {
    for (const FrontTask& task : graph_.factorization.task) run(task);
    values_.resize(at(graph_.factor_entries));
    result_.values = std::move(values_);
    return std::move(result_);
  }

 private:
  void run(const FrontTask& task) {
    const FrontShape& shape = graph_.shape[at(task.front)];
    Tile tile = assemble(task);
    if (shape.small()) return eliminate_small(task.front, shape, tile);
    const Index i = task.tile_row, j = task.tile_column;
    for (Index k = 0; k < std::min({i, j, shape.pivot_tiles}); ++k) {
      subtract_product(shape, i, j, k, tile);
    }
    switch (task.kind) {
      case TaskKind::contribution:
        return store_contribution(task, shape, tile);
      case TaskKind::diagonal:
      case TaskKind::lent_diagonal:
        return eliminate_diagonal(shape, i, tile);
      case TaskKind::lower:
        return store_lower(shape, i, j, tile_times_upper(shape, j, tile));
      default:
        return store_upper(shape, i, j, lower_times_tile(shape, i, tile));
    }
  }

  Tile assemble(const FrontTask& task) {
    Tile tile;
    for (Index e = task.entry_begin; e < task.entry_end; ++e) {
      const Index place = graph_.entry_place[at(e)];
      tile(place % 256, place / 256) = scaled_[at(graph_.entry_source[at(e)])];
    }
    for (Index b = task.block_begin; b < task.block_end; ++b)
      add_block(task, graph_.block[at(b)], tile);
    return tile;
  }

  void add_block(const FrontTask& task, const ChildBlock& block, Tile& tile) {
    const FrontShape& shape = graph_.shape[at(task.front)];
    if (done_[at(block.child)] != block.done) throw std::logic_error("a child is not complete");
    const Index* const row = tree_.parent_row.data() + block.parent_rows;
    for (Index j = block.column_begin; j < block.column_end; ++j) {
      for (Index i = block.row_begin; i < block.row_end; ++i) {
        const std::size_t from = place_of_block(block.contribution + Offset{j} * block.leading + i);
        if (owner_[from] != block.child) throw std::logic_error("a contribution was overwritten");
        tile(inside(shape, task.tile_row, row[i]), inside(shape, task.tile_column, row[j])) +=
            values_[from];
      }
    }
  }

  static Index inside(const FrontShape& shape, Index tile, Index row) {
    if (shape.small()) {
      return row < shape.pivots ? row : row - shape.pivots + round_up(shape.pivots, pivot_block);
    }
    if (tile < shape.pivot_tiles) return row - tile * shape.pivot_width;
    return row - shape.pivots - (tile - shape.pivot_tiles) * shape.row_width;
  }

  // Entry (r, c) of tile (i, k) of L, or (c, r) of tile (k, i) of U; zero in its padding.
  double lower(const FrontShape& shape, Index i, Index k, Index r, Index c) const {
    return stored(shape, shape.lower_tile(i, k), shape.lower_place(i, k), i, k, r, c);
  }
  double upper(const FrontShape& shape, Index k, Index i, Index r, Index c) const {
    return stored(shape, shape.upper_tile(k, i), shape.upper_place(k, i), i, k, r, c);
  }
  double stored(const FrontShape& shape, Index number, Offset place, Index i, Index k, Index r,
                Index c) const {
    if (!flag_[at(shape.flags + number)]) throw std::logic_error("a tile is not there yet");
    if (r >= shape.stored_rows(i) || c >= shape.stored_pivots(k)) return 0;
    return values_[at(place + Offset{c} * shape.stored_rows(i) + r)];
  }

  void subtract_product(const FrontShape& shape, Index i, Index j, Index k, Tile& tile) const {
    for (Index c = 0; c < shape.pivot_width; ++c) {
      for (Index col = 0; col < tile_order; ++col) {
        const double u = upper(shape, k, j, col, c);
        for (Index row = 0; u != 0 && row < tile_order; ++row) {
          tile(row, col) -= lower(shape, i, k, row, c) * u;
        }
      }
    }
  }

  Tile tile_times_upper(const FrontShape& shape, Index k, const Tile& tile) const {
    Tile product;
    for (Index row = 0; row < tile_order; ++row) {
      for (Index col = 0; col < shape.pivot_width; ++col) {
        for (Index c = 0; c <= col; ++c) {
          product(row, col) += tile(row, c) * upper(shape, k, k, col, c);
        }
      }
    }
    return product;
  }

  Tile lower_times_tile(const FrontShape& shape, Index k, const Tile& tile) const {
    Tile product;
    for (Index row = 0; row < shape.pivot_width; ++row) {
      for (Index col = 0; col < tile_order; ++col) {
        for (Index c = 0; c < shape.pivot_width; ++c) {
          product(row, col) += lower(shape, k, k, row, c) * tile(c, col);
        }
      }
    }
    return product;
  }

  void store_lower(const FrontShape& shape, Index i, Index k, const Tile& tile) {
    store(shape, shape.lower_place(i, k), i, k, [&](Index r, Index c) { return tile(r, c); });
    flag_[at(shape.flags + shape.lower_tile(i, k))] = true;
  }
  void store_upper(const FrontShape& shape, Index k, Index i, const Tile& tile) {
    store(shape, shape.upper_place(k, i), i, k, [&](Index r, Index c) { return tile(c, r); });
    flag_[at(shape.flags + shape.upper_tile(k, i))] = true;
  }
  template <class Entry>
  void store(const FrontShape& shape, Offset place, Index i, Index k, const Entry& entry) {
    const Index rows = shape.stored_rows(i);
    for (Index c = 0; c < shape.stored_pivots(k); ++c) {
      for (Index r = 0; r < rows; ++r) {
        const std::size_t to = at(place + Offset{c} * rows + r);
        values_[to] = entry(r, c);
        owner_[to] = -1;
      }
    }
  }

  double usable_pivot(double pivot) {
    if (!(std::abs(pivot) < threshold_)) return pivot;
    const double after = pivot < 0 ? -threshold_ : threshold_;
    ++result_.perturbed_pivots;
    result_.largest_perturbation = std::max(result_.largest_perturbation, std::abs(after - pivot));
    return after;
  }

  // The row, of those from k on, that pivot k comes from.
  Index pivot_row(const Tile& tile, Index k, Index pivots) const {
    if (pivoting_ == Pivoting::fixed_rows) return k;
    double largest = 0;
    for (Index i = k; i < pivots; ++i) largest = std::max(largest, std::abs(tile(i, k)));
    for (Index i = k; i < pivots; ++i) {
      if (std::abs(tile(i, k)) >= nearly_largest * largest) return i;
    }
    return k;
  }

  // In place LU of the first `pivots` rows and columns of the leading `order` ones. Gives the row
  // that each pivot comes from.
  std::vector<Index> factor(Tile& tile, Index pivots, Index order) {
    std::vector<Index> source(at(pivots));
    std::iota(source.begin(), source.end(), 0);
    for (Index k = 0; k < pivots; ++k) {
      const Index p = pivot_row(tile, k, pivots);
      if (p != k) {
        ++result_.exchanged_rows;
        std::swap(source[at(k)], source[at(p)]);
        for (Index j = 0; j < order; ++j) std::swap(tile(k, j), tile(p, j));
      }
      tile(k, k) = usable_pivot(tile(k, k));
      for (Index i = k + 1; i < order; ++i) {
        const double l = tile(i, k) /= tile(k, k);
        for (Index j = k + 1; j < order; ++j) tile(i, j) -= l * tile(k, j);
      }
    }
    return source;
  }

  // The inverses of L (unit diagonal) and U of the first `pivots` rows and columns.
  static void invert(const Tile& factors, Index pivots, Tile& lower, Tile& upper) {
    for (Index j = 0; j < pivots; ++j) {
      lower(j, j) = 1;
      for (Index i = j + 1; i < pivots; ++i) {
        for (Index k = j; k < i; ++k) lower(i, j) -= factors(i, k) * lower(k, j);
      }
      upper(j, j) = 1 / factors(j, j);
      for (Index i = j - 1; i >= 0; --i) {
        for (Index k = i + 1; k <= j; ++k) upper(i, j) -= factors(i, k) * upper(k, j);
        upper(i, j) /= factors(i, i);
      }
    }
  }

  void eliminate_diagonal(const FrontShape& shape, Index k, Tile& tile) {
    const Index pivots = std::min(shape.pivot_width, shape.pivots - k * shape.pivot_width);
    Tile lower, permuted, upper;
    const std::vector<Index> source = factor(tile, pivots, pivots);
    invert(tile, pivots, lower, upper);
    for (Index c = 0; c < pivots; ++c) {
      for (Index i = c; i < pivots; ++i) permuted(i, source[at(c)]) = lower(i, c);
    }
    store_lower(shape, k, k, permuted);
    store_upper(shape, k, k, upper);
  }

  void store_contribution(const FrontTask& task, const FrontShape& shape, const Tile& tile) {
    const Index first_row = (task.tile_row - shape.pivot_tiles) * shape.row_width;
    const Index first_column = (task.tile_column - shape.pivot_tiles) * shape.row_width;
    require_children(shape);
    for (Index j = first_column; j < std::min(first_column + shape.row_width, shape.rows); ++j) {
      for (Index i = first_row; i < std::min(first_row + shape.row_width, shape.rows); ++i) {
        put_contribution(task.front, i, j, tile(i - first_row, j - first_column));
      }
    }
    ++done_[at(task.front)];
  }

  void require_children(const FrontShape& shape) const {
    for (Index c = shape.child_begin; c < shape.child_end; ++c) {
      const Index child = graph_.child[at(c)];
      if (done_[at(child)] != graph_.shape[at(child)].done) {
        throw std::logic_error("a child is not complete");
      }
    }
  }

  void put_contribution(Index front, Index i, Index j, double value) {
    const FrontShape& shape = graph_.shape[at(front)];
    const std::size_t to = place_of_block(shape.contribution + Offset{j} * shape.rows + i);
    values_[to] = value;
    owner_[to] = front;
  }
  // The arena stands behind the factors.
  std::size_t place_of_block(Offset place) const { return at(graph_.factor_entries + place); }

  void eliminate_small(Index front, const FrontShape& shape, Tile& tile) {
    const Index pivots = shape.pivots, padded = round_up(pivots, pivot_block);
    const Index order = pivots + shape.rows;
    Tile dense, lower, upper;
    const auto place = [&](Index i) { return i < pivots ? i : i - pivots + padded; };
    for (Index j = 0; j < order; ++j) {
      for (Index i = 0; i < order; ++i) dense(i, j) = tile(place(i), place(j));
    }
    const std::vector<Index> source = factor(dense, pivots, order);
    if (pivoting_ == Pivoting::diagonal_block) {
      std::copy(source.begin(), source.end(), result_.row_sources.begin() + shape.first);
    }
    invert(dense, pivots, lower, upper);
    double* const columns = values_.data() + shape.factors;
    double* const rows = columns + Offset{pivots} * order;
    for (Index c = 0; c < pivots; ++c) {
      for (Index i = 0; i < order; ++i) {
        double& value = columns[Offset{c} * order + i];
        if (i < pivots) {
          value = i > c ? lower(i, c) : upper(i, c);
          continue;
        }
        for (Index k = c; k < pivots; ++k) value -= dense(i, k) * lower(k, c);
        for (Index k = 0; k <= c; ++k) {
          rows[Offset{i - pivots} * pivots + k] -= upper(k, c) * dense(c, i);
        }
      }
    }
    for (Index j = pivots; j < order; ++j) {
      for (Index i = pivots; i < order; ++i) {
        put_contribution(front, i - pivots, j - pivots, dense(i, j));
      }
    }
    require_children(shape);
    ++done_[at(front)];
  }

  const FrontTree& tree_;
  const TaskGraph& graph_;
  double threshold_;
  Pivoting pivoting_;
  std::vector<double> scaled_, values_;  // of factors, then of the arena of contribution blocks
  std::vector<Index> owner_;             // front whose block an entry belongs to, or -1
  std::vector<bool> flag_;
  std::vector<Index> done_;
  FrontElimination result_;
};

}  // namespace

FrontElimination eliminate_fronts(const PermutedMatrix& matrix, const FrontTree& tree,
                                  const TaskGraph& graph, double pivot_threshold,
                                  Pivoting pivoting) {
  return Executor(matrix, tree, graph, pivot_threshold, pivoting).run();
}

}  // namespace lufact::reference
