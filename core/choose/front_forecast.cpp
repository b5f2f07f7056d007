// SPDX-License-Identifier: BSD-3-Clause
#include "core/choose/front_forecast.hpp"

#include <algorithm>
#include <vector>

#include "core/pipeline/front_schedule.hpp"
#include "core/rates/front_latency.hpp"

namespace lufact {
namespace {

Index tiles_of(Index rows) noexcept {
  return round_up(rows, tile_order) / tile_order;
}

ScheduledFront shape_of(const FrontTree& tree, Index f) {
  ScheduledFront front;
  front.pivots = tree.pivots(f);
  front.rows = tree.contributions(f);
  return front;
}

// The largest sum of cost(f) on a path to a root.
template <class Cost>
double longest_path(const FrontTree& tree, const Cost& cost) {
  std::vector<double> below(at(tree.fronts()), 0);
  double longest = 0;
  for (Index f = 0; f < tree.fronts(); ++f) {
    const double here = below[at(f)] + cost(f);
    longest = std::max(longest, here);
    const Index parent = tree.parent[at(f)];
    if (parent >= 0) below[at(parent)] = std::max(below[at(parent)], here);
  }
  return longest;
}

// Operations by the threads that do them, as `subtrees` divides the fronts.
struct FrontShares {
  double subtrees = 0;      // a thread each
  double one_thread = 0;    // fronts above, too small for all threads: others wait meanwhile
  double all_threads = 0;   // fronts above
  double shared_tiles = 0;  // of pivots, in fronts that all threads work on
  double values = 0;        // entries of the factors
};

FrontShares shares_of(const FrontTree& tree, double threads) {
  constexpr double handling = 6000;  // of a front: its solves, and what front_work() leaves out
  // Work of each front alone, and with all fronts below it.
  std::vector<double> own(at(tree.fronts()), 0), work(at(tree.fronts()), 0);
  double whole = 0;
  for (Index f = 0; f < tree.fronts(); ++f) {
    if (tree.pivots(f) > 0) own[at(f)] = front_work(shape_of(tree, f));
    whole += own[at(f)];
    work[at(f)] += own[at(f)];
    const Index parent = tree.parent[at(f)];
    if (parent >= 0) work[at(parent)] += work[at(f)];
  }
  FrontShares shares;
  for (Index f = 0; f < tree.fronts(); ++f) {
    const ScheduledFront front = shape_of(tree, f);
    if (front.pivots == 0) continue;
    shares.values += static_cast<double>(front.end());
    const double handled = own[at(f)] + handling;
    if (threads == 1 || work[at(f)] <= whole / (subtrees_per_thread * threads)) {
      shares.subtrees += handled;
    } else if (front.flops() < shared_front_flops) {
      shares.one_thread += handled;
    } else {
      shares.all_threads += handled;
      shares.shared_tiles += tiles_of(front.pivots);
    }
  }
  return shares;
}

// Numeric step and solve, without what is done for each entry and row of the matrix.
double seconds_of(const FrontShares& shares, double threads) {
  constexpr double start = 0.08e-3, use_of_another = 0.6, tile_of_a_thread = 5e-6;
  if (threads == 1) return shares.subtrees / front_work_per_second;
  const double useful = 1 + use_of_another * (threads - 1);
  const double shared = shares.subtrees + shares.all_threads;
  return start + (shares.one_thread + shared / useful) / front_work_per_second +
         tile_of_a_thread * threads * shares.shared_tiles;
}

}  // namespace

// Values pass in page-locked memory but for the first time, which is in the plan.
FrontForecast forecast_on_gpu(const FrontTree& tree, const StageOptions&) {
  constexpr double plan = 0.455e-3, plan_front = 124e-9, plan_task = 45e-9, plan_entry = 1.1e-9;
  constexpr double fixed = 0.135e-3, of_path = 1.1, flops_per_second = 50e12, of_task = 15e-9;
  constexpr double of_entry = 0.3e-9, of_row = 0.5e-9;
  double flops = 0, tasks = 0;
  for (Index f = 0; f < tree.fronts(); ++f) {
    const Index pivots = tree.pivots(f), rows = tree.contributions(f);
    const double tiles = pivots + rows <= tile_order ? 1 : tiles_of(pivots) + tiles_of(rows);
    flops += shape_of(tree, f).flops();
    tasks += tiles * tiles;
  }
  const double path = longest_path(
      tree, [&](Index f) { return front_latency(tree.pivots(f), tree.contributions(f)); });
  const auto entries = static_cast<double>(tree.entry_source.size());
  return {plan + plan_front * tree.fronts() + plan_task * tasks + plan_entry * entries,
          fixed + of_path * path + flops / flops_per_second + of_task * tasks + of_entry * entries +
              of_row * tree.n};
}

FrontForecast forecast_on_cpu(const FrontTree& tree, const StageOptions& options) {
  constexpr double most_useful_threads = 16;
  constexpr double plan = 0.14e-3, plan_front = 55e-9, touch_value = 1.7e-9;
  constexpr double of_entry = 10e-9, of_row = 25e-9;
  const double threads = std::clamp<double>(options.threads, 1, most_useful_threads);
  const FrontShares shares = shares_of(tree, threads);
  const auto entries = static_cast<double>(tree.entry_source.size());
  return {plan + plan_front * tree.fronts() + touch_value * shares.values,
          seconds_of(shares, threads) + of_entry * entries + of_row * tree.n};
}

}  // namespace lufact
