// SPDX-License-Identifier: BSD-3-Clause
#include "core/systems/lane_plan.hpp"

#include <algorithm>
#include <stdexcept>

namespace lufact {
namespace {

// Appends tasks to a list, in the order in which they come, a ticket for as many of them as can
// share one.
class TicketFiller {
 public:
  TicketFiller(std::span<const FrontShape> shapes, OrderedTasks& list, Index most_in_ticket)
      : shapes_(shapes), list_(list), most_(most_in_ticket) {}

  // Whether the task takes but a warp of a block.
  void add(const FrontTask& task, bool shares) {
    if (!shares || !open_to_others_ || tasks_of_open() == most_ || waits_for_open(task)) close();
    list_.task.push_back(task);
    open_to_others_ = shares;
  }
  void close() {
    if (tasks_of_open() > 0) list_.ticket.push_back(static_cast<Index>(list_.task.size()));
  }

 private:
  Index tasks_of_open() const {
    return static_cast<Index>(list_.task.size()) - list_.ticket.back();
  }
  // A front between the two, if there is one, would be in the ticket as well.
  bool waits_for_open(const FrontTask& task) const {
    return std::ranges::any_of(
        std::span(list_.task).subspan(at(list_.ticket.back())),
        [&](const FrontTask& other) { return shapes_[at(other.front)].parent == task.front; });
  }

  std::span<const FrontShape> shapes_;
  OrderedTasks& list_;
  Index most_;
  bool open_to_others_ = false;
};

class SystemsPlanner {
 public:
  SystemsPlanner(const TaskGraph& graph, Index n, Index most)
      : graph_(graph), n_(n), number_(graph.shape.size(), none) {
    if (most > lane_front_order) throw std::invalid_argument("too many rows for a front by lanes");
    mark(most);
  }

  SystemsPlan run() {
    take_tasks();
    link();
    list_positions();
    plan_.tiles.shape = graph_.shape;
    store_closer();
    plan_.tiles.part_end =
        filter(graph_.factorization, graph_.part_end, plan_.tiles.factorization, warps_per_ticket,
               [](const FrontTask& task) { return task.kind == TaskKind::warp_front; });
    filter(graph_.solve, {}, plan_.tiles.solve, solve_warps_per_ticket,
           [&](const FrontTask& task) { return graph_.shape[at(task.front)].small(); });
    plan_.tiles.child = graph_.child;
    plan_.tiles.block = graph_.block;
    plan_.tiles.entry_source = graph_.entry_source;
    plan_.tiles.entry_place = graph_.entry_place;
    plan_.tiles.contribution_entries = graph_.contribution_entries;
    plan_.tiles.flags = graph_.flags;
    plan_.tiles.critical_path = graph_.critical_path;
    return std::move(plan_);
  }

 private:
  static constexpr Index none = -1, by_lanes = -2;  // of number_, before a front has its own

  // Children have lower numbers than their parents.
  void mark(Index most) {
    for (std::size_t f = 0; f < graph_.shape.size(); ++f) {
      const FrontShape& shape = graph_.shape[f];
      const auto children =
          std::span(graph_.child)
              .subspan(at(shape.child_begin), at(shape.child_end - shape.child_begin));
      const bool small = shape.small() && shape.pivots + shape.rows <= most;
      const bool closed =
          std::ranges::all_of(children, [&](Index c) { return number_[at(c)] != none; });
      if (small && closed) number_[f] = by_lanes;
    }
  }
  bool goes_by_lanes(Index f) const { return number_[at(f)] != none; }

  void take_tasks() {
    std::size_t task = 0;
    for (const Index end : graph_.part_end) {
      const std::size_t last = at(graph_.factorization.ticket[at(end)]);
      for (; task < last; ++task) {
        const FrontTask& next = graph_.factorization.task[task];
        if (goes_by_lanes(next.front)) take(next);
      }
      plan_.lanes.part_end.push_back(static_cast<Index>(plan_.lanes.front.size()));
    }
  }

  void take(const FrontTask& task) {
    LanePlan& lanes = plan_.lanes;
    const FrontShape& shape = graph_.shape[at(task.front)];
    LaneFront front;
    front.factors = lanes.factor_entries;
    front.contribution = shape.contribution;
    front.parent_rows = shape.parent_rows;
    front.front = task.front;
    front.first = shape.first, front.pivots = shape.pivots, front.rows = shape.rows;
    front.graph_entry = task.entry_begin;
    front.entry_begin = static_cast<Index>(lanes.entry.size());
    for (Index e = task.entry_begin; e < task.entry_end; ++e) lanes.entry.push_back(e);
    front.entry_end = static_cast<Index>(lanes.entry.size());
    number_[at(task.front)] = static_cast<Index>(lanes.front.size());
    lanes.front.push_back(front);
    lanes.factor_entries += Offset{shape.pivots} * (shape.pivots + 2 * Offset{shape.rows});
    const Offset end = shape.contribution + Offset{shape.rows} * shape.rows;
    lanes.contribution_entries = std::max(lanes.contribution_entries, end);
  }

  void link() {
    for (LaneFront& front : plan_.lanes.front) {
      const FrontShape& shape = graph_.shape[at(front.front)];
      front.child_begin = static_cast<Index>(plan_.lanes.child.size());
      for (Index k = shape.child_begin; k < shape.child_end; ++k) {
        const Index number = number_[at(graph_.child[at(k)])];
        const LaneFront& child = plan_.lanes.front[at(number)];
        plan_.lanes.child.push_back({child.contribution, child.parent_rows, number, child.rows});
      }
      front.child_end = static_cast<Index>(plan_.lanes.child.size());
      front.parent = shape.parent < 0 ? none : number_[at(shape.parent)];
      front.feeds_tiles = shape.parent >= 0 && front.parent == none;
    }
  }

  void list_positions() {
    std::vector<bool> mine(at(n_), false);
    for (const LaneFront& front : plan_.lanes.front) {
      std::fill_n(mine.begin() + front.first, front.pivots, true);
    }
    for (Index k = 0; k < n_; ++k) {
      (mine[at(k)] ? plan_.lanes.pivot : plan_.lanes.other).push_back(k);
    }
  }

  // Fronts of tiles keep the order of their places.
  void store_closer() {
    TaskGraph& tiles = plan_.tiles;
    Offset gap = 0, end = graph_.factor_entries;
    for (std::size_t f = 0; f < tiles.shape.size(); ++f) {
      const Offset next = f + 1 < tiles.shape.size() ? graph_.shape[f + 1].factors : end;
      const Offset entries = next - graph_.shape[f].factors;
      tiles.shape[f].factors -= gap;
      if (goes_by_lanes(static_cast<Index>(f))) gap += entries;
    }
    tiles.factor_entries = end - gap;
  }

  // The tasks of `from` that remain, in its order. Those that can share a ticket fill it up again.
  // `parts`: tickets of `from` up to the end of each part. Returns those of `to`.
  template <class Shares>
  std::vector<Index> filter(const OrderedTasks& from, std::span<const Index> parts,
                            OrderedTasks& to, Index most_in_ticket, const Shares& shares) const {
    std::vector<Index> part_end;
    TicketFiller filler(graph_.shape, to, most_in_ticket);
    for (Index t = 0; t < from.tickets(); ++t) {
      for (Index k = from.ticket[at(t)]; k < from.ticket[at(t) + 1]; ++k) {
        const FrontTask& task = from.task[at(k)];
        if (!goes_by_lanes(task.front)) filler.add(task, shares(task));
      }
      while (part_end.size() < parts.size() && parts[part_end.size()] == t + 1) {
        filler.close();
        part_end.push_back(to.tickets());
      }
    }
    filler.close();
    part_end.resize(parts.size(), to.tickets());
    return part_end;
  }

  const TaskGraph& graph_;
  Index n_;
  std::vector<Index> number_;  // of each front among those by lanes
  SystemsPlan plan_;
};

}  // namespace

void require_blocks_apart(std::span<const FrontShape> shapes) {
  const bool apart =
      std::ranges::all_of(shapes, [](const FrontShape& s) { return s.contribution >= 0; });
  if (!apart) throw std::logic_error("contribution blocks of many systems in the place of factors");
}

SystemsPlan plan_systems(const TaskGraph& graph, Index n, Index most) {
  require_blocks_apart(graph.shape);
  return SystemsPlanner(graph, n, most).run();
}

}  // namespace lufact
