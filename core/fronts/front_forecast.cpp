// SPDX-License-Identifier: BSD-3-Clause
#include "core/fronts/front_forecast.hpp"

#include <algorithm>
#include <vector>

#include "core/fronts/front_latency.hpp"
#include "core/pipeline/front_schedule.hpp"

namespace lufact {
namespace {

std::size_t at(Offset i) noexcept {
  return static_cast<std::size_t>(i);
}

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

// Operations by who does them, as `subtrees` divides the fronts, and entries of the factors.
struct FrontShares {
  double subtrees = 0;      // a thread each
  double one_thread = 0;    // fronts above, too small for all threads: others wait meanwhile
  double all_threads = 0;   // fronts above
  double shared_tiles = 0;  // of pivots, in fronts that all threads work on
  double values = 0;
};

FrontShares shares_of(const FrontTree& tree, double threads) {
  std::vector<double> work(at(tree.fronts()), 0);
  double whole = 0;
  for (Index f = 0; f < tree.fronts(); ++f) {
    const double own = tree.pivots(f) > 0 ? front_work(shape_of(tree, f)) : 0;
    whole += own;
    work[at(f)] += own;
    const Index parent = tree.parent[at(f)];
    if (parent >= 0) work[at(parent)] += work[at(f)];
  }
  FrontShares shares;
  for (Index f = 0; f < tree.fronts(); ++f) {
    const ScheduledFront front = shape_of(tree, f);
    if (front.pivots == 0) continue;
    shares.values += static_cast<double>(front.end());
    if (threads == 1 || work[at(f)] <= whole / (subtrees_per_thread * threads)) {
      shares.subtrees += front_work(front);
    } else if (front.flops() < shared_front_flops) {
      shares.one_thread += front_work(front);
    } else {
      shares.all_threads += front_work(front);
      shares.shared_tiles += tiles_of(front.pivots);
    }
  }
  return shares;
}

double numeric_seconds(const FrontShares& shares, double threads) {
  constexpr double start = 0.2e-3, use_of_another = 0.6, tile_of_a_thread = 5.5e-6;
  if (threads == 1) return shares.subtrees / front_work_per_second;
  const double useful = 1 + use_of_another * (threads - 1);
  const double shared = shares.subtrees + shares.all_threads;
  return start + (shares.one_thread + shared / useful) / front_work_per_second +
         tile_of_a_thread * threads * shares.shared_tiles;
}

}  // namespace

FrontForecast forecast_on_gpu(const FrontTree& tree, const StageOptions&) {
  constexpr double plan = 1.0e-3, plan_task = 0.08e-6, copy_plan_entry = 0.7e-9;
  constexpr double copy_plan_row = 12e-9;
  constexpr double numeric = 0.2e-3, flops_per_second = 11e12;
  constexpr double solve = 0.1e-3, solve_of_path = 0.3, solve_task = 6e-9;
  constexpr double copies = 0.1e-3, copy_entry = 0.3e-9, copy_row = 2e-9;
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
  const double once = plan + plan_task * tasks + copy_plan_entry * entries + copy_plan_row * tree.n;
  return {once, numeric + path + flops / flops_per_second +              //
                    solve + solve_of_path * path + solve_task * tasks +  //
                    copies + copy_entry * entries + copy_row * tree.n};
}

FrontForecast forecast_on_cpu(const FrontTree& tree, const StageOptions& options) {
  constexpr double most_useful_threads = 16;
  constexpr double plan_front = 72e-9, plan_entry = 4e-9;
  constexpr double place_entry = 5e-9, small_values = 0.5e6;
  const double threads = std::clamp<double>(options.threads, 1, most_useful_threads);
  const FrontShares shares = shares_of(tree, threads);
  const double values_at_a_time = shares.values < small_values ? 1e-9 : 0.3e-9;
  const double solve =
      0.03e-3 + values_at_a_time * shares.values + 40e-9 * tree.fronts() + 13e-9 * tree.n;
  const auto entries = static_cast<double>(tree.entry_source.size());
  return {plan_front * tree.fronts() + plan_entry * entries,
          numeric_seconds(shares, threads) + solve + place_entry * entries};
}

}  // namespace lufact
