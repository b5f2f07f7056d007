// SPDX-License-Identifier: BSD-3-Clause
#include "core/fronts/plan/tile_tasks.hpp"

#include <algorithm>
#include <span>

#include "core/fronts/plan/tile_place.hpp"
#include "core/matrix/parallel.hpp"

namespace lufact {
namespace {

constexpr Offset parts_per_thread = 8;
constexpr Offset worthwhile_weight = 2048;  // of a part, about 20 us

// tile_place of every row of a front of several tiles.
void list_places(const FrontShape& shape, std::vector<TilePlace>& places) {
  places.clear();
  const auto append = [&](TilePlace place, Index rows, Index width) {
    for (Index r = 0; r < rows; ++r) {
      places.push_back(place);
      if (++place.inside < width) continue;
      place = {place.tile + 1, 0};
    }
  };
  append({0, 0}, shape.pivots, shape.pivot_width);
  append({shape.pivot_tiles, 0}, shape.rows, shape.row_width);
}

// First row of the front in the tile after `tile`.
Index tile_end(const FrontShape& shape, Index tile) {
  if (shape.small()) return shape.pivots + shape.rows;
  if (tile < shape.pivot_tiles) return std::min((tile + 1) * shape.pivot_width, shape.pivots);
  return shape.pivots + std::min((tile - shape.pivot_tiles + 1) * shape.row_width, shape.rows);
}

// Rows of a child's contribution block that fall into one tile of its parent.
struct Piece {
  Index tile, begin, end;
};

void cut_child(const FrontShape& parent, std::span<const Index> parent_row,
               std::vector<Piece>& pieces) {
  pieces.clear();
  const auto rows = static_cast<Index>(parent_row.size());
  if (parent.small() && rows > 0) pieces.push_back({0, 0, rows});
  if (parent.small()) return;
  for (Index begin = 0; begin < rows;) {
    const Index tile = tile_place(parent, parent_row[at(begin)]).tile;
    const auto end =
        std::lower_bound(parent_row.begin() + begin, parent_row.end(), tile_end(parent, tile));
    pieces.push_back({tile, begin, static_cast<Index>(end - parent_row.begin())});
    begin = pieces.back().end;
  }
}

Index tasks_of(const FrontShape& shape) {
  return checked_index(tile_tasks(shape), "tasks of a front");
}

TaskKind kind_of(const FrontShape& shape, bool lends, Index row, Index column) {
  if (shape.small()) {
    const Index order = round_up(shape.pivots, pivot_block) + shape.rows;
    return order <= warp_front_order ? TaskKind::warp_front : TaskKind::block_front;
  }
  if (std::min(row, column) >= shape.pivot_tiles) return TaskKind::contribution;
  if (row == column) return lends && row > 0 ? TaskKind::lent_diagonal : TaskKind::diagonal;
  return row > column ? TaskKind::lower : TaskKind::upper;
}

// Where the tasks and blocks of each front begin.
struct Ranges {
  std::vector<Offset> task, block;
};

// Makes the tasks of one front after the other; one for each thread.
class FrontTasks {
 public:
  FrontTasks(const FrontTree& tree, TaskGraph& graph, std::vector<FrontTask>& tasks)
      : tree_(tree), graph_(graph), all_tasks_(tasks) {}

  // Number of rectangles of the children of front f.
  Offset count_blocks(Index f) {
    Offset blocks = 0;
    for_children(f, [&](Index) {
      blocks += static_cast<Offset>(pieces_.size()) * static_cast<Offset>(pieces_.size());
    });
    return blocks;
  }

  void make(Index f, Offset first_task, Offset first_block) {
    const FrontShape& shape = graph_.shape[at(f)];
    const Index count = tasks_of(shape);
    const Index side = std::max<Index>(shape.tiles, 1);
    const bool lends = !graph_.lends.empty() && graph_.lends[at(f)] != 0;
    for (Index t = 0; t < count; ++t) {
      FrontTask& task = all_tasks_[at(first_task + t)];
      task = {};
      task.kind = kind_of(shape, lends, t / side, t % side);
      task.front = f;
      task.tile_row = t / side;
      task.tile_column = t % side;
    }
    tasks_ = {all_tasks_.data() + first_task, at(count)};
    if (!tree_.entries_there) place_entries(f, shape, side);
    make_blocks(f, side, first_block);
  }

 private:
  template <class Body>
  void for_children(Index f, const Body& body) {
    const FrontShape& shape = graph_.shape[at(f)];
    for (Index k = shape.child_begin; k < shape.child_end; ++k) {
      const Index c = graph_.child[at(k)];
      cut_child(shape, {tree_.parent_row.data() + tree_.row_ptr[at(c)], at(tree_.contributions(c))},
                pieces_);
      body(c);
    }
  }

  void place_entries(Index f, const FrontShape& shape, Index side) {
    if (shape.small()) {
      take_entries(f, shape);
    } else {
      sort_entries(f, shape, side);
    }
  }

  void place_entry(std::size_t to, std::size_t from, Index row, Index column) {
    graph_.entry_source[to] = tree_.entry_source[from];
    graph_.entry_place[to] = entry_place(row, column);
  }

  void take_entries(Index f, const FrontShape& shape) {
    FrontTask& task = tasks_.front();
    task.entry_begin = static_cast<Index>(tree_.entry_ptr[at(f)]);
    task.entry_end = static_cast<Index>(tree_.entry_ptr[at(f) + 1]);
    for (std::size_t p = at(task.entry_begin); p < at(task.entry_end); ++p) {
      place_entry(p, p, tile_place(shape, tree_.entry_row[p]).inside,
                  tile_place(shape, tree_.entry_column[p]).inside);
    }
  }

  // Counting sort of the front's entries by tile.
  void sort_entries(Index f, const FrontShape& shape, Index side) {
    list_places(shape, places_);
    const auto for_entries = [&](const auto& body) {
      for (Offset p = tree_.entry_ptr[at(f)]; p < tree_.entry_ptr[at(f) + 1]; ++p) {
        const TilePlace row = places_[at(tree_.entry_row[at(p)])];
        const TilePlace column = places_[at(tree_.entry_column[at(p)])];
        body(tasks_[at(Offset{row.tile} * side + column.tile)], row.inside, column.inside, p);
      }
    };
    for_entries([](FrontTask& task, Index, Index, Offset) { ++task.entry_end; });
    Index place = static_cast<Index>(tree_.entry_ptr[at(f)]);
    for (FrontTask& task : tasks_) {
      const Index count = task.entry_end;
      task.entry_begin = task.entry_end = place;
      place += count;
    }
    for_entries([&](FrontTask& task, Index row, Index column, Offset p) {
      place_entry(at(task.entry_end++), at(p), row, column);
    });
  }

  // Rectangles of the children by tile.
  void make_blocks(Index f, Index side, Offset first_block) {
    const auto for_blocks = [&](const auto& body) {
      for_children(f, [&](Index c) {
        for (const Piece& rows : pieces_) {
          for (const Piece& columns : pieces_) {
            body(tasks_[at(Offset{rows.tile} * side + columns.tile)], c, rows, columns);
          }
        }
      });
    };
    for_blocks([](FrontTask& task, Index, const Piece&, const Piece&) { ++task.block_end; });
    auto place = static_cast<Index>(first_block);
    for (FrontTask& task : tasks_) {
      const Index count = task.block_end;
      task.block_begin = task.block_end = place;
      place += count;
    }
    for_blocks([&](FrontTask& task, Index c, const Piece& rows, const Piece& columns) {
      const FrontShape& child = graph_.shape[at(c)];
      graph_.block[at(task.block_end++)] = {child.contribution, child.parent_rows, c,
                                            child.done,         child.rows,        rows.begin,
                                            rows.end,           columns.begin,     columns.end};
    });
  }

  const FrontTree& tree_;
  TaskGraph& graph_;
  std::vector<FrontTask>& all_tasks_;
  std::span<FrontTask> tasks_;
  std::vector<Piece> pieces_;
  std::vector<TilePlace> places_;  // of the rows of a front
};

// First fronts of parts that take about as long as each other, and the number of fronts. The last
// fronts are the large ones: parts of as many fronts each would leave most of the work to one part.
std::vector<Index> cut_parts(const FrontTree& tree, const TaskGraph& graph, int threads) {
  constexpr Offset of_front = 16;
  const auto weight = [&](Index f) {
    return of_front + tasks_of(graph.shape[at(f)]) + tree.entry_ptr[at(f) + 1] -
           tree.entry_ptr[at(f)];
  };
  Offset whole = 0;
  for (Index f = 0; f < tree.fronts(); ++f) whole += weight(f);
  const Offset share = std::max(worthwhile_weight, whole / (parts_per_thread * threads));
  std::vector<Index> parts{0};
  Offset open = 0;
  for (Index f = 0; f < tree.fronts(); ++f) {
    open += weight(f);
    if (open < share) continue;
    parts.push_back(f + 1);
    open = 0;
  }
  if (parts.back() < tree.fronts()) parts.push_back(tree.fronts());
  return parts;
}

// Calls body(worker, f) for every front, several at the same time, the last parts first.
template <class Body>
void for_fronts(const FrontTree& tree, TaskGraph& graph, std::vector<FrontTask>& tasks,
                std::span<const Index> parts, int threads, const Body& body) {
  const auto count = static_cast<Offset>(parts.size()) - 1;
  parallel_for(count, threads, [&](Offset k) {
    FrontTasks worker(tree, graph, tasks);
    const Offset part = count - 1 - k;
    for (Index f = parts[at(part)]; f < parts[at(part + 1)]; ++f) body(worker, f);
  });
}

}  // namespace

std::vector<FrontTask> make_tile_tasks(const FrontTree& tree, int threads, TaskGraph& graph) {
  std::vector<FrontTask> tasks;
  Ranges ranges;
  ranges.task.resize(at(tree.fronts()) + 1, 0);
  ranges.block.resize(at(tree.fronts()) + 1, 0);
  const std::vector<Index> parts = cut_parts(tree, graph, threads);
  for_fronts(tree, graph, tasks, parts, threads, [&](FrontTasks& worker, Index f) {
    ranges.task[at(f) + 1] = tasks_of(graph.shape[at(f)]);
    ranges.block[at(f) + 1] = worker.count_blocks(f);
  });
  for (Index f = 0; f < tree.fronts(); ++f) {
    ranges.task[at(f) + 1] += ranges.task[at(f)];
    ranges.block[at(f) + 1] += ranges.block[at(f)];
  }
  tasks.resize(at(checked_index(ranges.task.back(), "the number of tasks")));
  graph.block.resize(at(checked_index(ranges.block.back(), "the rectangles of children")));
  graph.entries_there = tree.entries_there;
  graph.entries_unplaced = tree.entries_there ? tree.entries() : 0;
  graph.entry_source.resize(tree.entry_source.size());
  graph.entry_place.resize(tree.entry_source.size());
  for_fronts(tree, graph, tasks, parts, threads, [&](FrontTasks& worker, Index f) {
    worker.make(f, ranges.task[at(f)], ranges.block[at(f)]);
  });
  return tasks;
}

}  // namespace lufact
