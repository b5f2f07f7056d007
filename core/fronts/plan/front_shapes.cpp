// SPDX-License-Identifier: BSD-3-Clause
#include "core/fronts/plan/front_shapes.hpp"

#include <algorithm>
#include <utility>

#include "core/matrix/parallel.hpp"

namespace lufact {
namespace {

constexpr Index fronts_per_part = 4096;

constexpr Offset aligned(Offset entries) noexcept {
  return (entries + stored_unit - 1) / stored_unit * stored_unit;
}

Index pieces(Index whole) noexcept {
  return round_up(whole, tile_order) / tile_order;
}

// The width of `count` pieces of `whole`, all equal but the last, which may be smaller.
Index even_width(Index whole, Index count) noexcept {
  return count == 0 ? 0 : round_up((whole + count - 1) / count, stored_unit);
}

// Tiles of L and of U that are stored: column and row k have tiles - k of each.
Offset stored_tiles(const FrontShape& shape) noexcept {
  const Offset pivots = shape.pivot_tiles, tiles = shape.tiles;
  return 2 * (pivots * tiles - pivots * (pivots - 1) / 2);
}

FrontShape cut(Index pivots, Index rows) {
  FrontShape shape;
  shape.pivots = pivots;
  shape.rows = rows;
  if (round_up(pivots, pivot_block) + rows <= tile_order) {
    shape.done = 1;
    return shape;
  }
  const Index row_tiles = pieces(rows);
  shape.pivot_tiles = pieces(pivots);
  shape.tiles = checked_index(Offset{shape.pivot_tiles} + row_tiles, "the tiles of a front");
  shape.pivot_width = pivot_tile_width(pivots);
  shape.row_width = even_width(rows, row_tiles);
  shape.done = checked_index(Offset{row_tiles} * row_tiles, "the tiles of a contribution block");
  return shape;
}

Offset stored_entries(const FrontShape& shape) {
  if (shape.small()) return Offset{shape.pivots} * (shape.pivots + 2 * Offset{shape.rows});
  return shape.stored_entries();
}

void list_children(const FrontTree& tree, TaskGraph& graph) {
  std::vector<Index> end(graph.shape.size(), 0);
  for (const Index p : tree.parent) {
    if (p >= 0) ++end[at(p)];
  }
  Index sum = 0;
  for (std::size_t f = 0; f < end.size(); ++f) {
    graph.shape[f].child_begin = graph.shape[f].child_end = sum;
    sum += end[f];
  }
  graph.child.resize(at(sum));
  for (Index f = 0; f < tree.fronts(); ++f) {
    const Index p = tree.parent[at(f)];
    if (p >= 0) graph.child[at(graph.shape[at(p)].child_end++)] = f;
  }
}

}  // namespace

void shape_fronts(const FrontTree& tree, int threads, TaskGraph& graph) {
  // Sums over a part of the fronts, later over the fronts before that part.
  struct Sums {
    Offset factors = 0, flags = 0;
  };
  graph.shape.resize(at(tree.fronts()));
  const Index parts = round_up(tree.fronts(), fronts_per_part) / fronts_per_part;
  std::vector<Sums> sums(at(parts) + 1);
  const auto for_parts = [&](const auto& body) {
    parallel_for(parts, threads, [&](Offset part) {
      const auto first = static_cast<Index>(part) * fronts_per_part;
      const Index end = std::min(first + fronts_per_part, tree.fronts());
      Sums sum = sums[at(part)];  // no neighbours in its cache line
      for (Index f = first; f < end; ++f) body(f, graph.shape[at(f)], sum);
      sums[at(part)] = sum;
    });
  };
  for_parts([&](Index f, FrontShape& shape, Sums& sum) {
    shape = cut(tree.pivots(f), tree.contributions(f));
    shape.first = tree.first[at(f)];
    shape.parent = tree.parent[at(f)];
    shape.parent_rows = tree.row_ptr[at(f)];
    shape.factors = sum.factors;
    shape.flags = checked_index(sum.flags, "the number of tiles");
    sum.factors += aligned(stored_entries(shape));
    sum.flags += stored_tiles(shape);
  });
  Sums before;
  for (Sums& sum : sums) {
    const Sums own = std::exchange(sum, before);
    before = {before.factors + own.factors, before.flags + own.flags};
  }
  graph.factor_entries = before.factors;
  graph.flags = checked_index(before.flags, "the number of tiles");
  for_parts([&](Index, FrontShape& shape, const Sums& sum) {
    shape.factors += sum.factors;
    shape.flags += static_cast<Index>(sum.flags);
  });
  list_children(tree, graph);
}

}  // namespace lufact
