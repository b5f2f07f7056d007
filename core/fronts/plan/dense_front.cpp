// SPDX-License-Identifier: BSD-3-Clause
#include "core/fronts/plan/dense_front.hpp"

#include "core/fronts/plan/task_order.hpp"

namespace lufact {
namespace {

TaskKind kind_of(Index row, Index column) {
  if (row == column) return TaskKind::diagonal;
  return row > column ? TaskKind::lower : TaskKind::upper;
}

}  // namespace

TaskGraph dense_front_graph(Index order, int threads) {
  TaskGraph graph;
  FrontShape shape;
  shape.pivots = order;
  shape.pivot_width = pivot_tile_width(order);
  shape.pivot_tiles = shape.tiles = (order + shape.pivot_width - 1) / shape.pivot_width;
  const Offset stored = Offset{shape.tiles} * (Offset{shape.tiles} + 1);
  graph.flags = checked_index(stored, "the tiles of a front");
  graph.factor_entries = shape.stored_entries();
  graph.shape = {shape};
  std::vector<FrontTask> tasks;
  tasks.reserve(at(Offset{shape.tiles} * shape.tiles));
  for (Index row = 0; row < shape.tiles; ++row) {
    for (Index column = 0; column < shape.tiles; ++column) {
      tasks.push_back({.kind = kind_of(row, column), .tile_row = row, .tile_column = column});
    }
  }
  order_factorization(tasks, {}, threads, graph);
  return graph;
}

}  // namespace lufact
