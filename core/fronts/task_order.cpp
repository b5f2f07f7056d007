// SPDX-License-Identifier: BSD-3-Clause
#include "core/fronts/task_order.hpp"

#include <algorithm>

namespace lufact {
namespace {

// What tasks of the factorization take on an H200, in units: only their ratios matter, and not
// much.
constexpr double unit_seconds = 5e-6;
constexpr Index warp_front_units = 2, block_front_units = 3, diagonal_units = 3,
                triangular_units = 1, contribution_units = 1;
constexpr Index pivot_tile_units = diagonal_units + triangular_units;

std::size_t at(Index i) noexcept {
  return static_cast<std::size_t>(i);
}

// Units of the longest chain behind each front, `units(shape)` being those of a front itself, and
// the longest of all.
struct FrontLevels {
  std::vector<Index> after;
  Index longest = 0;

  template <class Units>
  FrontLevels(std::span<const FrontShape> shape, const Units& units) : after(shape.size(), 0) {
    for (std::size_t f = shape.size(); f-- > 0;) {
      const Index parent = shape[f].parent;
      if (parent >= 0) after[f] = after[at(parent)] + units(shape[at(parent)]);
      longest = std::max(longest, after[f] + units(shape[f]));
    }
  }
};

bool takes_a_warp(const FrontShape& shape) {
  return shape.small() && round_up(shape.pivots, pivot_block) + shape.rows <= warp_front_order;
}

Index factorization_units(const FrontShape& shape) {
  if (shape.small()) return takes_a_warp(shape) ? warp_front_units : block_front_units;
  return contribution_units + shape.pivot_tiles * pivot_tile_units;
}

// The level of a task of a front whose last task has `after` units behind it.
Index factorization_level(const FrontShape& shape, const FrontTask& task, Index after) {
  if (shape.small()) return after + factorization_units(shape);
  const Index left = shape.pivot_tiles - std::min(task.tile_row, task.tile_column);
  const Index start = after + contribution_units + left * pivot_tile_units;
  switch (task.kind) {
    case TaskKind::contribution:
      return after + contribution_units;
    case TaskKind::diagonal:
      return start;
    default:
      return start - diagonal_units;
  }
}

// In the solves every small front and every tile row takes a unit.
Index solve_units(const FrontShape& shape) {
  return 1 + shape.pivot_tiles;
}
Index solve_level(const FrontShape& shape, const FrontTask& task, Index after) {
  return after + 1 + std::max(shape.pivot_tiles - task.tile_row, 0);
}

struct LevelTask {
  Index level;
  bool shares;  // may share a ticket
};

// Appends tasks to a list, levels descending; in a level first the tasks that take a ticket each,
// and else as they come.
void append_by_level(std::span<const FrontTask> tasks, std::span<const LevelTask> levels,
                     Index most_in_ticket, OrderedTasks& list) {
  if (tasks.empty()) return;
  const auto [lowest, highest] = std::ranges::minmax(levels, {}, &LevelTask::level);
  const auto bucket = [top = highest.level](const LevelTask& task) {
    return 2 * at(top - task.level) + (task.shares ? 1 : 0);
  };
  const auto first = static_cast<Index>(list.task.size());
  std::vector<Index> place(2 * at(highest.level - lowest.level) + 3, 0);
  for (const LevelTask& task : levels) ++place[bucket(task) + 1];
  place[0] = first;
  for (std::size_t b = 1; b < place.size(); ++b) place[b] += place[b - 1];
  for (std::size_t b = 0; b + 1 < place.size(); ++b) {
    const Index width = b % 2 == 0 ? 1 : most_in_ticket;
    for (Index t = place[b]; t < place[b + 1]; t += width) {
      list.ticket.push_back(std::min(t + width, place[b + 1]));
    }
  }
  list.task.resize(list.task.size() + tasks.size());
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    list.task[at(place[bucket(levels[t])]++)] = tasks[t];
  }
}

// The tasks by part, and how many each part and those before it have.
std::vector<FrontTask> sort_by_part(std::span<const FrontTask> tasks, const FrontParts& parts,
                                    std::vector<std::size_t>& end) {
  const auto part = [&](const FrontTask& task) { return at(parts.part[at(task.front)]); };
  end.assign(at(parts.count) + 1, 0);
  for (const FrontTask& task : tasks) ++end[part(task) + 1];
  for (std::size_t p = 1; p < end.size(); ++p) end[p] += end[p - 1];
  std::vector<FrontTask> sorted(tasks.size());
  for (const FrontTask& task : tasks) sorted[end[part(task)]++] = task;
  end.pop_back();
  return sorted;
}

}  // namespace

void order_factorization(std::span<const FrontTask> tasks, const FrontParts& parts,
                         TaskGraph& graph) {
  const FrontLevels fronts(graph.shape, factorization_units);
  graph.critical_path = fronts.longest * unit_seconds;
  std::vector<std::size_t> end{tasks.size()};
  std::vector<FrontTask> sorted;
  if (parts.count > 1) tasks = sorted = sort_by_part(tasks, parts, end);
  std::vector<LevelTask> levels;
  levels.reserve(tasks.size());
  for (const FrontTask& task : tasks) {
    const std::size_t f = at(task.front);
    levels.push_back({factorization_level(graph.shape[f], task, fronts.after[f]),
                      task.kind == TaskKind::warp_front});
  }
  for (std::size_t p = 0; p < end.size(); ++p) {
    const std::size_t first = p == 0 ? 0 : end[p - 1], count = end[p] - first;
    append_by_level(tasks.subspan(first, count), std::span(levels).subspan(first, count),
                    warps_per_ticket, graph.factorization);
    graph.part_end.push_back(graph.factorization.tickets());
  }
}

void order_solve(std::span<const FrontTask> tasks, TaskGraph& graph) {
  const FrontLevels fronts(graph.shape, solve_units);
  std::vector<FrontTask> rows;
  std::vector<LevelTask> levels;
  for (const FrontTask& task : tasks) {
    if (task.tile_row != task.tile_column) continue;
    const std::size_t f = at(task.front);
    rows.push_back(task);
    levels.push_back({solve_level(graph.shape[f], task, fronts.after[f]), graph.shape[f].small()});
  }
  append_by_level(rows, levels, solve_warps_per_ticket, graph.solve);
}

}  // namespace lufact
