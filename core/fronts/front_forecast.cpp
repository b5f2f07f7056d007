// SPDX-License-Identifier: BSD-3-Clause
#include "core/fronts/front_forecast.hpp"

#include <algorithm>
#include <vector>

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

}  // namespace

FrontForecast forecast_on_gpu(const FrontTree& tree, const StageOptions&) {
  constexpr double numeric = 0.3e-3, solve = 0.2e-3, transfer = 0.12e-3, plan = 0.5e-3;
  constexpr double plan_task = 0.15e-6, task = 20e-9, flops_per_second = 8e12;
  constexpr double front_latency = 6e-6, tile_latency = 16e-6, solve_of_path = 0.4;
  constexpr double copy_entry = 0.8e-9, copy_row = 7e-9;
  double flops = 0, tasks = 0;
  for (Index f = 0; f < tree.fronts(); ++f) {
    const Index pivots = tree.pivots(f), rows = tree.contributions(f);
    const double tiles = pivots + rows <= tile_order ? 1 : tiles_of(pivots) + tiles_of(rows);
    flops += shape_of(tree, f).flops();
    tasks += tiles * tiles;
  }
  const double path = longest_path(tree, [&](Index f) {
    const bool small = tree.order(f) <= tile_order;
    return small ? front_latency : front_latency + tile_latency * tiles_of(tree.pivots(f));
  });
  const double copies = transfer + copy_entry * static_cast<double>(tree.entry_source.size()) +
                        copy_row * static_cast<double>(tree.n);
  return {plan + plan_task * tasks, numeric + path + task * tasks + flops / flops_per_second +
                                        solve + solve_of_path * path + copies};
}

FrontForecast forecast_on_cpu(const FrontTree& tree, const StageOptions& options) {
  constexpr double plan_front = 80e-9, fork = 30e-6;
  constexpr double most_useful_threads = 16, use_of_another = 0.6;
  constexpr double place_entry = 3e-9, solve_front = 60e-9, solve_value = 0.5e-9;
  constexpr int solves = 2;  // with a step of refinement
  double work = 0, values = 0;
  for (Index f = 0; f < tree.fronts(); ++f) {
    const ScheduledFront front = shape_of(tree, f);
    work += front_work(front);
    values += static_cast<double>(front.end());
  }
  const double threads =
      1 + use_of_another * (std::clamp<double>(options.threads, 1, most_useful_threads) - 1);
  const double path = longest_path(tree, [&](Index f) {
    const ScheduledFront front = shape_of(tree, f);
    return front_work(front) / (front.flops() < shared_front_flops ? 1 : threads);
  });
  const double fronts = tree.fronts();
  const double entries = static_cast<double>(tree.entry_source.size());
  const double numeric = std::max(work / threads, path) / front_work_per_second;
  const double solve = solves * (fronts * solve_front + values * solve_value / threads);
  return {plan_front * fronts, (threads > 1 ? fork : 0) + numeric + solve + place_entry * entries};
}

}  // namespace lufact
