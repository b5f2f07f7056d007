// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/verify/validate_fronts.hpp"

namespace lufact {
namespace {

// Goes through the tasks in their order and keeps what is complete.
class GraphChecker {
 public:
  GraphChecker(const FrontTree& tree, const TaskGraph& graph)
      : tree_(tree),
        graph_(graph),
        complete_(graph.shape.size(), 0),
        read_(graph.shape.size(), 0),
        part_(graph.shape.size(), -1),
        entries_(tree.entry_source.size(), false),
        owner_(at(graph.factor_entries + graph.contribution_entries), nobody) {}

  std::string find_fault() {
    if (graph_.shape.size() != tree_.parent.size()) return "there is not one shape for each front";
    std::string fault = find_ticket_fault();
    if (fault.empty()) fault = find_part_fault();
    if (fault.empty() && !graph_.factor_end.empty()) fault = find_factor_part_fault();
    for (Index f = 0; f < tree_.fronts() && fault.empty(); ++f) fault = find_shape_fault(f);
    for (const FrontTask& task : graph_.factorization.task) {
      if (fault.empty()) fault = find_task_fault(task);
    }
    for (Index f = 0; f < tree_.fronts() && fault.empty(); ++f) fault = find_rest(f);
    if (fault.empty() && std::find(entries_.begin(), entries_.end(), false) != entries_.end()) {
      return "an entry of B is not added";
    }
    return fault;
  }

 private:
  static constexpr Index nobody = -1, factors = -2;  // of owner_, beside fronts

  static Index side(const FrontShape& shape) { return std::max<Index>(shape.tiles, 1); }
  bool done(Index f) const {
    const FrontShape& shape = graph_.shape[at(f)];
    return complete_[at(f)] == Offset{side(shape)} * side(shape);
  }

  std::string find_ticket_fault() const {
    const bool whole = graph_.factorization.ticket.front() == 0 &&
                       at(graph_.factorization.ticket.back()) == graph_.factorization.task.size();
    for (std::size_t t = 0; t + 1 < graph_.factorization.ticket.size(); ++t) {
      const Index tasks = graph_.factorization.ticket[t + 1] - graph_.factorization.ticket[t];
      if (tasks < 1 || tasks > 4) return fmt::format("ticket {} has {} tasks", t, tasks);
      for (Index k = graph_.factorization.ticket[t];
           tasks > 1 && k < graph_.factorization.ticket[t + 1]; ++k) {
        if (graph_.factorization.task[at(k)].kind != TaskKind::warp_front) {
          return fmt::format("ticket {} has a task that takes a block", t);
        }
      }
    }
    return whole ? "" : "the tickets do not make up the tasks";
  }

  // Finds the part of every front as well.
  std::string find_part_fault() {
    const std::vector<Index>& end = graph_.part_end;
    const bool whole = !end.empty() && end.back() == graph_.factorization.tickets() &&
                       std::is_sorted(end.begin(), end.end()) && end.front() >= 0;
    if (!whole) return "the parts do not make up the tickets";
    for (std::size_t p = 0; p < end.size(); ++p) {
      const Index first = graph_.factorization.ticket[at(p == 0 ? 0 : end[p - 1])];
      for (Index t = first; t < graph_.factorization.ticket[at(end[p])]; ++t) {
        const Index f = graph_.factorization.task[at(t)].front;
        if (f < 0 || f >= tree_.fronts()) return fmt::format("a task names front {}", f);
        Index& part = part_[at(f)];
        if (part >= 0 && part != static_cast<Index>(p)) {
          return fmt::format("front {} is in two parts", f);
        }
        part = static_cast<Index>(p);
      }
    }
    return {};
  }

  // Where factors come to the device in parts: the fronts of a part, and no others, have what they
  // store and all of their solves in it.
  std::string find_factor_part_fault() const {
    const std::size_t parts = graph_.part_end.size();
    if (graph_.factor_end.size() != parts || graph_.solve_end.size() != parts) {
      return "the factors have other parts than the tasks";
    }
    const bool whole = graph_.factor_end.back() == graph_.factor_entries &&
                       graph_.solve_end.back() == graph_.solve.tickets() &&
                       std::is_sorted(graph_.solve_end.begin(), graph_.solve_end.end());
    if (!whole) return "the parts do not make up the factors and the tickets of the solves";
    for (std::size_t f = 0; f < graph_.shape.size(); ++f) {
      const bool last = f + 1 == graph_.shape.size();
      const Offset end = last ? graph_.factor_entries : graph_.shape[f + 1].factors;
      const std::size_t p = at(part_[f]);
      const Offset begin = p == 0 ? 0 : graph_.factor_end[p - 1];
      if (graph_.shape[f].factors < begin || end > graph_.factor_end[p]) {
        return fmt::format("front {} stores factors outside its part", f);
      }
    }
    for (std::size_t p = 0; p < parts; ++p) {
      const Index first = graph_.solve.ticket[at(p == 0 ? 0 : graph_.solve_end[p - 1])];
      for (Index t = first; t < graph_.solve.ticket[at(graph_.solve_end[p])]; ++t) {
        const Index f = graph_.solve.task[at(t)].front;
        if (part_[at(f)] != static_cast<Index>(p)) {
          return fmt::format("front {} is solved with outside its part", f);
        }
      }
    }
    return {};
  }

  std::string find_shape_fault(Index f) {
    const FrontShape& shape = graph_.shape[at(f)];
    const Offset row_tiles = shape.tiles - shape.pivot_tiles;
    const bool fits = shape.pivots == tree_.pivots(f) && shape.rows == tree_.contributions(f) &&
                      shape.parent == tree_.parent[at(f)] && shape.first == tree_.first[at(f)] &&
                      shape.parent_rows == tree_.row_ptr[at(f)];
    const bool tiled = shape.small()
                           ? round_up(shape.pivots, pivot_block) + shape.rows <= tile_order
                           : shape.pivot_width <= tile_order && shape.row_width <= tile_order &&
                                 shape.pivot_width * shape.pivot_tiles >= shape.pivots &&
                                 shape.row_width % stored_unit == 0 &&
                                 shape.row_width * row_tiles >= shape.rows &&
                                 shape.done == row_tiles * row_tiles;
    tile_done_.emplace_back(at(side(shape)) * at(side(shape)), false);
    return fits && tiled ? "" : fmt::format("the shape of front {} does not fit it", f);
  }

  // Tile of a row of the front, and the row in the tile.
  static std::pair<Index, Index> place(const FrontShape& shape, Index row) {
    const Index beyond = row - shape.pivots;
    if (shape.small()) {
      return {0, beyond < 0 ? row : round_up(shape.pivots, pivot_block) + beyond};
    }
    if (beyond < 0) return {row / shape.pivot_width, row % shape.pivot_width};
    return {shape.pivot_tiles + beyond / shape.row_width, beyond % shape.row_width};
  }

  std::string find_task_fault(const FrontTask& task) {
    const Index f = task.front;
    if (f < 0 || f >= tree_.fronts()) return fmt::format("a task names front {}", f);
    const FrontShape& shape = graph_.shape[at(f)];
    const Index i = task.tile_row, j = task.tile_column;
    if (std::min(i, j) < 0 || std::max(i, j) >= side(shape)) {
      return fmt::format("front {} has no tile ({}, {})", f, i, j);
    }
    const std::string name = fmt::format("tile ({}, {}) of front {}", i, j, f);
    if (tile(f, i, j)) return name + " is made twice";
    if (!inputs_there(shape, f, i, j)) return name + " comes before what it needs";
    if (const std::string fault = find_entries(task, shape); !fault.empty()) return name + fault;
    if (const std::string fault = find_blocks(task, shape); !fault.empty()) return name + fault;
    tile(f, i, j) = true;
    ++complete_[at(f)];
    if (!shape.small() && std::min(i, j) < shape.pivot_tiles) return store(task, name);
    if (shape.small()) {
      const Offset stored = Offset{shape.pivots} * (shape.pivots + 2 * Offset{shape.rows});
      const std::string fault = own(task, shape.factors, stored, name);
      if (!fault.empty()) return fault;
    }
    return write(f, i, j, name);
  }

  std::vector<bool>::reference tile(Index f, Index i, Index j) {
    return tile_done_[at(f)][at(Offset{i} * side(graph_.shape[at(f)]) + j)];
  }

  bool inputs_there(const FrontShape& shape, Index f, Index i, Index j) {
    const Index before = std::min({i, j, shape.pivot_tiles});
    for (Index k = 0; k < before; ++k) {
      if (!tile(f, i, k) || !tile(f, k, j)) return false;
    }
    return i == j || before == shape.pivot_tiles || tile(f, before, before);
  }

  std::string find_entries(const FrontTask& task, const FrontShape& shape) {
    for (Index e = task.entry_begin; e < task.entry_end; ++e) {
      const Offset p = tree_entry_of(task.front, graph_.entry_source[at(e)]);
      if (p < 0 || entries_[at(p)]) return " adds an entry of B that is not its own, or twice";
      entries_[at(p)] = true;
      const auto [row_tile, row] = place(shape, tree_.entry_row[at(p)]);
      const auto [column_tile, column] = place(shape, tree_.entry_column[at(p)]);
      if (row_tile != task.tile_row || column_tile != task.tile_column ||
          graph_.entry_place[at(e)] != row + 256 * column) {
        return " adds an entry of B at a wrong place";
      }
    }
    return {};
  }

  // The entry of the front with this source, or -1. Sources are looked up by an index that is made
  // once.
  Offset tree_entry_of(Index f, Index source) {
    if (entry_of_source_.empty()) {
      entry_of_source_.assign(tree_.entry_source.size(), -1);
      for (std::size_t p = 0; p < tree_.entry_source.size(); ++p) {
        entry_of_source_[at(tree_.entry_source[p])] = static_cast<Offset>(p);
      }
    }
    if (source < 0 || at(source) >= entry_of_source_.size()) return -1;
    const Offset p = entry_of_source_[at(source)];
    return p >= tree_.entry_ptr[at(f)] && p < tree_.entry_ptr[at(f) + 1] ? p : -1;
  }

  std::string find_blocks(const FrontTask& task, const FrontShape& shape) {
    for (Index b = task.block_begin; b < task.block_end; ++b) {
      const ChildBlock& block = graph_.block[at(b)];
      const Index c = block.child;
      if (c < 0 || c >= tree_.fronts() || tree_.parent[at(c)] != task.front) {
        return fmt::format(" adds front {}, which is no child", c);
      }
      const FrontShape& child = graph_.shape[at(c)];
      if (!done(c)) return fmt::format(" comes before its child {}", c);
      if (block.contribution != child.contribution || block.parent_rows != child.parent_rows ||
          block.done != child.done || block.leading != child.rows) {
        return fmt::format(" has a wrong copy of the shape of its child {}", c);
      }
      if (!inside(shape, child, block.row_begin, block.row_end, task.tile_row) ||
          !inside(shape, child, block.column_begin, block.column_end, task.tile_column)) {
        return fmt::format(" adds rows of its child {} that belong elsewhere", c);
      }
      if (!still_there(c, block)) return fmt::format(" reads its child {}, overwritten", c);
      read_[at(c)] +=
          Offset{block.row_end - block.row_begin} * (block.column_end - block.column_begin);
    }
    return {};
  }

  bool inside(const FrontShape& shape, const FrontShape& child, Index begin, Index end,
              Index tile) const {
    if (begin < 0 || end > child.rows) return false;
    for (Index r = begin; r < end; ++r) {
      if (place(shape, tree_.parent_row[at(child.parent_rows + r)]).first != tile) return false;
    }
    return true;
  }

  bool still_there(Index c, const ChildBlock& block) const {
    for (Index j = block.column_begin; j < block.column_end; ++j) {
      const Offset column = graph_.factor_entries + block.contribution + Offset{j} * block.leading;
      for (Index i = block.row_begin; i < block.row_end; ++i) {
        if (owner_[at(column + i)] != c) return false;
      }
    }
    return true;
  }

  std::string find_open_child(const FrontShape& shape, const std::string& name) const {
    for (Index c = shape.child_begin; c < shape.child_end; ++c) {
      if (!done(graph_.child[at(c)])) return name + " comes before a child";
    }
    return {};
  }

  // Writes a tile of the contribution block, which may be done once all children are complete.
  std::string write(Index f, Index i, Index j, const std::string& name) {
    const FrontShape& shape = graph_.shape[at(f)];
    const std::string fault = find_open_child(shape, name);
    if (!fault.empty()) return fault;
    const Index width = shape.small() ? shape.rows : shape.row_width;
    const Index first_row = shape.small() ? 0 : (i - shape.pivot_tiles) * width;
    const Index first_column = shape.small() ? 0 : (j - shape.pivot_tiles) * width;
    for (Index c = first_column; c < std::min(first_column + width, shape.rows); ++c) {
      for (Index r = first_row; r < std::min(first_row + width, shape.rows); ++r) {
        const Offset to = graph_.factor_entries + shape.contribution + Offset{c} * shape.rows + r;
        if (to < 0 || at(to) >= owner_.size()) return name + " writes beyond the arena";
        const Index before = std::exchange(owner_[at(to)], f);
        if (before == factors) return name + " overwrites factors";
        // The tasks of a front run at the same time: all of them must have read it.
        if (before >= 0 && before != f && !waits_for(f, tree_.parent[at(before)])) {
          return fmt::format("{} overwrites front {}, whose parent is not complete", name, before);
        }
      }
    }
    return {};
  }

  // Stores a tile of L, of U, or both on the diagonal, where blocks of fronts below may have been.
  std::string store(const FrontTask& task, const std::string& name) {
    const FrontShape& shape = graph_.shape[at(task.front)];
    const Index i = task.tile_row, j = task.tile_column, k = std::min(i, j), t = std::max(i, j);
    const Offset entries = Offset{shape.stored_rows(t)} * shape.stored_pivots(k);
    std::string fault;
    if (task.kind == TaskKind::lent_diagonal) fault = find_open_child(shape, name);
    if (i >= j && fault.empty()) fault = own(task, shape.lower_place(t, k), entries, name);
    if (i <= j && fault.empty()) fault = own(task, shape.upper_place(k, t), entries, name);
    return fault;
  }

  // Entries from `first` on become factors that a task stores.
  std::string own(const FrontTask& task, Offset first, Offset entries, const std::string& name) {
    for (Offset e = first; e < first + entries; ++e) {
      const Index before = std::exchange(owner_[at(e)], factors);
      if (before == nobody) continue;
      if (before == factors) return name + " overwrites factors";
      if (task.kind == TaskKind::diagonal) return name + " is not cleared where a block was";
      if (!waits_for_block(task.front, std::min(task.tile_row, task.tile_column), before)) {
        return fmt::format("{} overwrites front {}, whose parent need not be complete", name,
                           before);
      }
    }
    return {};
  }

  // Whether all that front f stores in tile column k waits for whoever reads the block of front
  // `owner`, whatever runs at the same time: for the child of f that is, or is above, its parent.
  // The first diagonal tile that the child contributes to waits for it, and later ones wait for
  // that one.
  bool waits_for_block(Index f, Index k, Index owner) const {
    const Index reader = tree_.parent[at(owner)];
    if (reader < 0 || !done(reader)) return false;
    if (part_[at(reader)] < part_[at(f)]) return true;
    Index child = reader;
    while (child >= 0 && tree_.parent[at(child)] != f) child = tree_.parent[at(child)];
    if (child < 0 || tree_.contributions(child) == 0) return false;
    const FrontShape& shape = graph_.shape[at(f)];
    const Index row = tree_.parent_row[at(tree_.row_ptr[at(child)])];
    return row < shape.pivots && row / shape.pivot_width <= k;
  }

  // Whether front `reader` is complete before any task of front f writes, whatever runs at the same
  // time: it is in an earlier part or below f.
  bool waits_for(Index f, Index reader) {
    if (std::pair(f, reader) == waits_) return true;
    Index above = reader;
    while (above >= 0 && above < f) above = tree_.parent[at(above)];
    const bool waits =
        done(reader) && reader != f && (above == f || part_[at(reader)] < part_[at(f)]);
    if (waits) waits_ = {f, reader};
    return waits;
  }

  std::string find_rest(Index f) const {
    if (!done(f)) return fmt::format("front {} lacks a task", f);
    const Offset rows = tree_.contributions(f);
    if (read_[at(f)] != rows * rows) {
      return fmt::format("{} of the {} entries of the contribution block of front {} are added",
                         read_[at(f)], rows * rows, f);
    }
    return {};
  }

  const FrontTree& tree_;
  const TaskGraph& graph_;
  std::vector<Offset> complete_, read_;    // tasks that ran, entries of the block that were added
  std::vector<Index> part_;                // of the factorization
  std::pair<Index, Index> waits_{-1, -1};  // seen last
  std::vector<std::vector<bool>> tile_done_;
  std::vector<bool> entries_;
  std::vector<Offset> entry_of_source_;
  std::vector<Index> owner_;  // of entries of the factors, then of the arena behind them
};

}  // namespace

ValidatorVerdict validate_task_graph(const FrontTree& tree, const TaskGraph& graph) {
  const std::string fault = GraphChecker(tree, graph).find_fault();
  return {fault.empty(), "task-graph", fault};
}

}  // namespace lufact
