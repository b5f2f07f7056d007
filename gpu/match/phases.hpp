// SPDX-License-Identifier: BSD-3-Clause
// Phases of searches and augmentations, to a matching of largest size and least cost.
#pragma once
#include "gpu/match/bidding.hpp"
#include "gpu/match/row_costs.hpp"
#include "gpu/match/search.hpp"
#include "gpu/match/spread_duals.hpp"

namespace lufact::gpu {

// Lists the free rows in list 2.
template <class Team>
LUFACT_BOTH_SIDES void prepare_rows(const Team& team, const MatchArrays& m) {
  team.for_each(m.n, [&](Offset k) {
    const auto row = static_cast<Index>(k);
    const Index column = m.column_of_row[row];
    if (column >= 0) {
      m.rows[row] = {1 - m.cost_of_row[row] + m.columns[column].dual, column};
    } else {
      team.append(m, 2, static_cast<Item>(row));
    }
  });
}

// A free row's dual, of which its entry to one column at least has length 1; list 0 gets its items.
template <class Team, class Lanes>
LUFACT_BOTH_SIDES void plant_root(const Team& team, const MatchArrays& m, Index row,
                                  const Lanes& lanes) {
  const Offset begin = m.row_ptr[row], end = m.row_ptr[row + 1];
  Units least = no_cost;
  for (Offset p = begin + lanes.rank(); p < end; p += lanes.count()) {
    const Units cost = m.cost[p];
    if (cost != no_cost) least = lesser(least, cost - m.columns[m.col_idx[p]].dual);
  }
  least = lanes.least(least);
  if (least == no_cost) return;
  if (lanes.rank() == 0) {
    m.rows[row] = {1 - least, -1};
    m.best_end[row] = unreached;
  }
  for (Offset chunk = lanes.rank(); chunk < chunks_of(end - begin); chunk += lanes.count()) {
    team.append(m, 0, static_cast<Item>(row) | static_cast<Item>(chunk) << row_bits_of_item);
  }
}

// Whether the search has found the column's distance. Labels beyond the bound are not final:
// whether there are any depends on when it was found.
LUFACT_BOTH_SIDES inline bool is_reached(const MatchArrays& m, Word label, Units bound) {
  return label != unreached && m.shape.distance(label) <= bound;
}

// The step from a reached column towards the root of its tree: to the column that the row of its
// label is matched to, or where that row is free, the root, to -1 - row. Returns the column's
// distance, 0 where it is not reached.
LUFACT_BOTH_SIDES inline Units step_up(const MatchArrays& m, Index column, Units bound) {
  const Word label = m.label[column];
  if (!is_reached(m, label, bound)) return 0;
  const Index row = m.shape.row(label), before = m.rows[row].column;
  m.column_before[column] = before;
  m.up[column] = before >= 0 ? before : -1 - row;
  return m.shape.distance(label);
}

// The nearest free column of each tree, by pointer jumping (Wyllie, "The complexity of parallel
// computations", 1979): columns skip those above them, at any time and in any order, until they see
// the root.
LUFACT_BOTH_SIDES inline void find_end(const MatchArrays& m, Index column, Units bound) {
  const Word label = m.label[column];
  if (!is_reached(m, label, bound)) return;
  Index up = current(m.up[column]);
  while (up >= 0) {
    up = current(m.up[up]);
    set_current(m.up[column], up);
  }
  if (m.columns[column].row >= 0) return;
  m.counters->reached_free = 1;
  lower_to(m.best_end[-1 - up], m.shape.renamed(label, column));
}

// Whether the column is its tree's nearest free one: the end of a path to be augmented.
LUFACT_BOTH_SIDES inline bool is_best_end(const MatchArrays& m, Index column, Units bound) {
  const Word label = m.label[column];
  return is_reached(m, label, bound) && m.columns[column].row < 0 &&
         m.best_end[-1 - m.up[column]] == m.shape.renamed(label, column);
}

// Matches a column of such a path to the row before it. The paths of all trees have no row or
// column in common; nothing that another column reads is changed.
LUFACT_BOTH_SIDES inline void augment(const MatchArrays& m, Index column) {
  const Word label = m.label[column];
  const Index row = m.shape.row(label), before = m.column_before[column];
  const Units from = before < 0 ? 0 : m.shape.distance(m.label[before]);
  const Units length = m.shape.distance(label) - from;
  m.column_of_row[row] = column;
  m.cost_of_row[row] = length - m.rows[row].base + m.columns[column].dual;
  // A matched entry has length 0 instead of 1.
  m.columns[column] = {m.columns[column].dual - 1, row};
}

// One phase: the numbers of free rows, distances and so on of all threads are the same. Returns
// whether another one is to follow.
template <class Team>
class Phases {
 public:
  LUFACT_BOTH_SIDES Phases(const Team& team, const MatchArrays& m, const MatchRules& rules)
      : team_(team), m_(m), rules_(rules), lowered_(m.counters->lowered) {}

  // From a matching and duals that leave no entry a length below 0; label is `unreached`
  // everywhere. Ends with a barrier.
  LUFACT_BOTH_SIDES void run() {
    while (phase()) {
    }
    team_.sync();
  }

 private:
  LUFACT_BOTH_SIDES bool phase() {
    MatchCounters& counters = *m_.counters;
    begin();
    const auto free_rows = static_cast<Index>(counters.list_size[2]);
    if (free_rows == 0) return end_with(MatchEnd::perfect);
    team_.for_free_rows(m_, m_.list[2], free_rows,
                        [&](Index row, const auto& lanes) { plant_root(team_, m_, row, lanes); });
    team_.sync();
    if (team_.leads()) counters.free_rows = free_rows;
    if (!team_.search(m_, rules_, round_, wanted_ends(free_rows))) {
      return end_with(MatchEnd::long_paths);
    }
    const Units bound = counters.bound;
    Units farthest = 0;
    team_.for_each(m_.n, [&](Offset k) {
      farthest = larger(farthest, step_up(m_, static_cast<Index>(k), bound));
    });
    team_.raise(counters.farthest, farthest);
    team_.sync();
    team_.for_each(m_.n, [&](Offset k) { find_end(m_, static_cast<Index>(k), bound); });
    team_.sync();
    if (counters.reached_free == 0) {
      const bool bounded = counters.beyond_longest != 0 || bound < m_.shape.longest();
      return end_with(bounded ? MatchEnd::beyond_labels : MatchEnd::deficient);
    }
    // The same in every thread: counters change again behind the next barrier.
    const Units lowered = counters.farthest;
    if (lowered_ > most_lowered - lowered) return end_with(MatchEnd::beyond_duals);
    lowered_ += lowered;
    team_.for_paths(
        m_, [&](Index column) { return is_best_end(m_, column, bound); },
        [&](Index column) { augment(m_, column); });
    team_.sync();
    team_.for_each(m_.n, [&](Offset k) {
      const Word label = m_.label[k];
      if (label == unreached) return;
      m_.label[k] = unreached;
      m_.columns[k].dual += lesser(m_.shape.distance(label), lowered) - lowered;
    });
    if (team_.leads()) {
      ++counters.phases;
      counters.lowered = lowered_;
    }
    return true;
  }

  LUFACT_BOTH_SIDES void begin() {
    MatchCounters& counters = *m_.counters;
    team_.sync();
    if (team_.leads()) {
      counters.free_rows = counters.reached_free = counters.beyond_longest = 0;
      counters.farthest = 0;
      counters.bound = m_.shape.longest();
      for (std::int32_t& size : counters.list_size) size = 0;
    }
    team_.for_each(2 * DistanceBuckets::count, [&](Offset k) { m_.histogram[k] = 0; });
    team_.sync();
    prepare_rows(team_, m_);
    team_.sync();
  }

  LUFACT_BOTH_SIDES bool end_with(MatchEnd end) {
    if (team_.leads()) m_.counters->end = end;
    return false;
  }

  // Duals stay far from the ends of their type.
  static constexpr Units most_lowered = Units{1} << 29;

  const Team& team_;
  const MatchArrays& m_;
  const MatchRules& rules_;
  Units lowered_;  // at most, any dual by all phases
  std::int32_t round_ = 0;
};

// The whole matching: column minima as duals, two rounds of bids; where these leave many rows free,
// duals by diagonal scaling and a few rounds more; then phases. Counters are zero at the beginning;
// counters->end says how it ended. Ends with a barrier.
template <class Team>
LUFACT_BOTH_SIDES void find_matching(const Team& team, const MatchArrays& m,
                                     const MatchRules& rules) {
  MatchCounters& counters = *m.counters;
  team.for_each(m.n, [&](Offset k) {
    m.columns[k] = {no_cost, -1};
    m.column_of_row[k] = -1;
    m.best_bid[k] = 0;
    m.column_sum[k] = 0;
    m.label[k] = unreached;
    m.last_visit[k] = no_visit;
  });
  team.sync();
  team.for_all_rows(m, [&](Index row, const auto& lanes) { find_costs(m, row, lanes); });
  team.sync();
  if (counters.bad_values != 0) {
    if (team.leads()) counters.end = MatchEnd::values_not_finite;
    team.sync();
    return;
  }
  team.for_each(m.n, [&](Offset k) {
    Units& dual = m.columns[k].dual;
    if (dual == no_cost) dual = 0;
    m.spread_dual[k] = static_cast<float>(dual) / units_per_power;
  });
  team.sync();
  Index free_rows = play_bidding_rounds(team, m, rules.start_rounds, 0);
  if (team.leads()) counters.free_after_start = free_rows;
  if (free_rows > m.n / rules.spread_above) {
    if (counters.unequal_costs == 0 && rules.leaves_equal_costs) {
      if (team.leads()) counters.end = MatchEnd::equal_costs;
      team.sync();
      return;
    }
    spread_duals(team, m, rules);
    free_rows = play_bidding_rounds(team, m, rules.bidding_rounds, m.n / rules.bid_above);
    if (team.leads()) counters.spread = 1;
  }
  if (team.leads()) counters.free_after_bidding = free_rows;
  Phases<Team>(team, m, rules).run();
}

}  // namespace lufact::gpu
