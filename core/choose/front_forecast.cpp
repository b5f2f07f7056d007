// SPDX-License-Identifier: BSD-3-Clause
#include "core/choose/front_forecast.hpp"

#include <algorithm>
#include <vector>

#include "core/fronts/analysis/front_latency.hpp"
#include "core/pipeline/front_schedule.hpp"

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

FrontShares shares_of(const FrontTree& tree, double threads, const HostFrontRates& rates) {
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
    const double handled = own[at(f)] + rates.front_flops;
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
double seconds_of(const FrontShares& shares, double threads, const HostFrontRates& rates) {
  if (threads == 1) return shares.subtrees / rates.flops_per_s;
  const double useful = 1 + rates.use_of_another_thread * (threads - 1);
  const double shared = shares.subtrees + shares.all_threads;
  return rates.threads_start_s + (shares.one_thread + shared / useful) / rates.flops_per_s +
         rates.shared_tile_s * threads * shares.shared_tiles;
}

}  // namespace

// Values pass in page-locked memory but for the first time, which is in the plan.
FrontForecast forecast_on_gpu(const FrontTree& tree, const StageOptions& options) {
  const DeviceFrontRates& rate = options.rates.device_fronts;
  double flops = 0, tasks = 0;
  for (Index f = 0; f < tree.fronts(); ++f) {
    const Index pivots = tree.pivots(f), rows = tree.contributions(f);
    const double tiles = pivots + rows <= tile_order ? 1 : tiles_of(pivots) + tiles_of(rows);
    flops += shape_of(tree, f).flops();
    tasks += tiles * tiles;
  }
  const double path = longest_path(tree, [&](Index f) {
    return front_latency(tree.pivots(f), tree.contributions(f), options.rates.front_path);
  });
  const auto entries = static_cast<double>(tree.entries());
  return {rate.plan_s + rate.plan_front_s * tree.fronts() + rate.plan_task_s * tasks +
              rate.plan_entry_s * entries,
          rate.launches_s + rate.path_share * path + flops / rate.flops_per_s +
              rate.task_s * tasks + rate.entry_s * entries + rate.row_s * tree.n};
}

FrontForecast forecast_on_cpu(const FrontTree& tree, const StageOptions& options) {
  const HostFrontRates& rate = options.rates.host_fronts;
  const double threads = std::clamp<double>(options.threads, 1, rate.most_useful_threads);
  const FrontShares shares = shares_of(tree, threads, rate);
  const auto entries = static_cast<double>(tree.entries());
  return {rate.plan_s + rate.plan_front_s * tree.fronts() + rate.touch_value_s * shares.values,
          seconds_of(shares, threads, rate) + rate.entry_s * entries + rate.row_s * tree.n};
}

}  // namespace lufact
