// SPDX-License-Identifier: BSD-3-Clause
#include "core/fronts/plan/task_order.hpp"

#include <algorithm>
#include <utility>

#include "core/base/raw_vector.hpp"
#include "core/matrix/parallel.hpp"

namespace lufact {
namespace {

// Times of the factorization's tasks on an H200 are counted in this unit. Only ratios matter, and
// these not much.
constexpr double unit_seconds = 5e-6;
constexpr Index warp_front_units = 2, block_front_units = 3, diagonal_units = 3,
                triangular_units = 1, contribution_units = 1;
constexpr Index pivot_tile_units = diagonal_units + triangular_units;

// For each front the units of the longest chain of fronts behind it, and the longest chain of all.
// `units(shape)` are those of a front itself.
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
    case TaskKind::lent_diagonal:
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

// Buckets by level, the highest first; in a level first the tasks that take a ticket each.
struct Buckets {
  Index highest;  // level

  std::size_t count() const {
    return at(checked_index(2 * Offset{highest} + 2, "the levels of tasks"));
  }
  Index of(Index level, bool shares_ticket) const noexcept {
    return 2 * (highest - level) + (shares_ticket ? 1 : 0);
  }
};
constexpr Index left_out = -1;

// Appends tasks to a list by a stable counting sort, several pieces of the tasks at the same time.
// bucket_of(task) may be left_out.
template <class BucketOf>
class BucketSort {
 public:
  BucketSort(std::span<const FrontTask> tasks, const Buckets& buckets, const BucketOf& bucket_of,
             int threads)
      : tasks_(tasks),
        buckets_(buckets.count()),
        bucket_of_(bucket_of),
        threads_(threads),
        bucket_(tasks.size()) {
    // Enough tasks in a piece to make its counts by bucket worthwhile.
    const std::size_t tasks_of_piece = std::max<std::size_t>(2'000, 2 * buckets_);
    const auto most = static_cast<std::size_t>(std::max(threads, 1));
    place_.resize(std::clamp<std::size_t>(tasks.size() / tasks_of_piece, 1, most));
  }

  void append(Index most_in_ticket, OrderedTasks& list) {
    if (tasks_.empty()) return;
    for_pieces([&](std::size_t t, std::vector<Index>& count) {
      bucket_[t] = bucket_of_(tasks_[t]);
      if (bucket_[t] != left_out) ++count[at(bucket_[t])];
    });
    append_tickets(most_in_ticket, list);
    for_pieces([&](std::size_t t, std::vector<Index>& place) {
      if (bucket_[t] != left_out) list.task[at(place[at(bucket_[t])]++)] = tasks_[t];
    });
  }

 private:
  // Turns counts of tasks into places, ordered by bucket and inside a bucket by piece.
  void append_tickets(Index most_in_ticket, OrderedTasks& list) {
    auto next = static_cast<Index>(list.task.size());
    for (std::size_t b = 0; b < buckets_; ++b) {
      Index ticket = next;
      for (std::vector<Index>& place : place_) next += std::exchange(place[b], next);
      const Index width = b % 2 == 0 ? 1 : most_in_ticket;
      for (; ticket < next; ticket += width) list.ticket.push_back(std::min(ticket + width, next));
    }
    list.task.resize(at(next));
  }

  // Calls body(task, state of the piece) for every task, those of a piece ascending.
  template <class Body>
  void for_pieces(const Body& body) {
    const std::size_t pieces = place_.size();
    parallel_for(static_cast<Offset>(pieces), threads_, [&](Offset k) {
      const auto piece = static_cast<std::size_t>(k);
      std::vector<Index>& state = place_[piece];
      state.resize(buckets_, 0);
      const std::size_t end = tasks_.size() * (piece + 1) / pieces;
      for (std::size_t t = tasks_.size() * piece / pieces; t < end; ++t) body(t, state);
    });
  }

  std::span<const FrontTask> tasks_;
  std::size_t buckets_;
  const BucketOf& bucket_of_;
  int threads_;
  RawVector<Index> bucket_;
  std::vector<std::vector<Index>> place_;  // by piece and bucket; counts at first
};

// Sorts tasks by part; counts the tasks up to the end of each part.
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

// Appends tasks to a list, one part after the other; returns the tickets up to the end of each.
template <class BucketOf>
std::vector<Index> append_parts(std::span<const FrontTask> tasks, const FrontParts& parts,
                                const Buckets& buckets, const BucketOf& bucket_of,
                                Index most_in_ticket, int threads, OrderedTasks& list) {
  std::vector<std::size_t> end{tasks.size()};
  std::vector<FrontTask> sorted;
  if (parts.count > 1) tasks = sorted = sort_by_part(tasks, parts, end);
  std::vector<Index> tickets;
  std::size_t first = 0;
  for (const std::size_t last : end) {
    BucketSort(tasks.subspan(first, last - first), buckets, bucket_of, threads)
        .append(most_in_ticket, list);
    tickets.push_back(list.tickets());
    first = last;
  }
  return tickets;
}

}  // namespace

void order_factorization(std::span<const FrontTask> tasks, const FrontParts& parts, int threads,
                         TaskGraph& graph) {
  const FrontLevels fronts(graph.shape, factorization_units);
  graph.critical_path = fronts.longest * unit_seconds;
  const Buckets buckets{fronts.longest};
  const auto bucket_of = [&](const FrontTask& task) {
    const std::size_t f = at(task.front);
    return buckets.of(factorization_level(graph.shape[f], task, fronts.after[f]),
                      task.kind == TaskKind::warp_front);
  };
  graph.part_end = append_parts(tasks, parts, buckets, bucket_of, warps_per_ticket, threads,
                                graph.factorization);
}

std::vector<Index> order_solve(std::span<const FrontTask> tasks, const FrontParts& parts,
                               int threads, TaskGraph& graph) {
  const FrontLevels fronts(graph.shape, solve_units);
  const Buckets buckets{fronts.longest};
  const auto bucket_of = [&](const FrontTask& task) {
    if (task.tile_row != task.tile_column) return left_out;
    const std::size_t f = at(task.front);
    const FrontShape& shape = graph.shape[f];
    return buckets.of(solve_level(shape, task, fronts.after[f]), shape.small());
  };
  return append_parts(tasks, parts, buckets, bucket_of, solve_warps_per_ticket, threads,
                      graph.solve);
}

}  // namespace lufact
