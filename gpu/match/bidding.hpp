// SPDX-License-Identifier: BSD-3-Clause
// Rounds of bids, all free rows at once: the auction algorithm of Bertsekas, Annals of Operations
// Research 14, 1988, in its Jacobi form with the least increment, one unit.
#pragma once
#include "gpu/match/match_state.hpp"

namespace lufact::gpu {

// A bid is a price, the negative of a dual, above a row; the highest bid wins, the lowest row among
// equals.
class Bid {
 public:
  LUFACT_BOTH_SIDES static Word of(std::int64_t price, Index row) {
    return static_cast<Word>(price + zero) << row_bits | static_cast<Word>(last_row - row);
  }
  LUFACT_BOTH_SIDES static Units dual(Word bid) {
    return static_cast<Units>(zero - static_cast<std::int64_t>(bid >> row_bits));
  }

 private:
  static constexpr int row_bits = 24;
  static constexpr Index last_row = (1 << row_bits) - 1;
  static constexpr std::int64_t zero = std::int64_t{1} << 38;
};

// What an entry leaves of a row's worth, least first; among equals a free column, then the first
// position.
class Offer {
 public:
  LUFACT_BOTH_SIDES static Word of(Units reduced, bool taken, Offset place) {
    return static_cast<Word>(static_cast<std::int64_t>(reduced) + zero) << 32 |
           static_cast<Word>(taken) << 31 | static_cast<Word>(place);
  }
  LUFACT_BOTH_SIDES static Offset place(Word offer) {
    return static_cast<Offset>(offer & 0x7fffffffU);
  }
  LUFACT_BOTH_SIDES static std::int64_t reduced(Word offer) {
    return static_cast<std::int64_t>(offer >> 32) - zero;
  }

 private:
  static constexpr std::int64_t zero = std::int64_t{1} << 31;
};

// A free row bids for its best column as much as makes it one unit worse than the second best.
template <class Lanes>
LUFACT_BOTH_SIDES void make_bid(const MatchArrays& m, Index row, const Lanes& lanes) {
  constexpr std::int64_t without_rival = 64 * units_per_power;
  const Offset begin = m.row_ptr[row], end = m.row_ptr[row + 1];
  Word best = unreached, second = unreached;
  for (Offset p = begin + lanes.rank(); p < end; p += lanes.count()) {
    const Units cost = m.cost[p];
    if (cost == no_cost) continue;
    const ColumnState column = m.columns[m.col_idx[p]];
    const Word offer = Offer::of(cost - column.dual, column.row >= 0, p - begin);
    second = lesser(second, larger(best, offer));
    best = lesser(best, offer);
  }
  lanes.least_two(best, second);
  if (lanes.rank() != 0) return;
  if (best == unreached) {
    m.bid_column[row] = -1;
    return;
  }
  const Offset p = begin + Offer::place(best);
  const Index column = m.col_idx[p];
  const std::int64_t raise =
      second == unreached ? without_rival : Offer::reduced(second) - Offer::reduced(best);
  const Word bid = Bid::of(raise + 1 - m.columns[column].dual, row);
  m.bid[row] = bid;
  m.bid_column[row] = column;
  m.bid_cost[row] = m.cost[p];
  raise_to(m.best_bid[column], bid);
}

// After all bids of a round: gives the row its column if it has won it. Returns the row that stays
// or becomes free, -1 where there is none or it has no entries.
LUFACT_BOTH_SIDES inline Index settle_bid(const MatchArrays& m, Index row) {
  const Index column = m.bid_column[row];
  if (column < 0) return -1;
  const Word bid = m.bid[row];
  if (m.best_bid[column] != bid) return row;
  const Index loser = m.columns[column].row;
  m.column_of_row[row] = column;
  m.cost_of_row[row] = m.bid_cost[row];
  m.columns[column] = {Bid::dual(bid), row};
  if (loser >= 0) m.column_of_row[loser] = -1;
  return loser;
}

// Rounds until at most `enough` rows are free. All rows are free at the beginning, and lists are
// empty. Returns how many are free, those without entries excepted after the first round.
template <class Team>
LUFACT_BOTH_SIDES Index play_bidding_rounds(const Team& team, const MatchArrays& m, int rounds,
                                            Index enough) {
  Index free_rows = m.n;
  const Item* free_list = nullptr;
  for (int round = 0; round < rounds && free_rows > enough; ++round) {
    const int next = (round + 1) % 3;
    if (team.leads()) m.counters->list_size[(round + 2) % 3] = 0;
    team.for_free_rows(m, free_list, free_rows,
                       [&](Index row, const auto& lanes) { make_bid(m, row, lanes); });
    team.sync();
    team.for_each(free_rows, [&](Offset k) {
      const Index row =
          free_list == nullptr ? static_cast<Index>(k) : static_cast<Index>(free_list[k]);
      const Index left = settle_bid(m, row);
      if (left >= 0) team.append(m, next, static_cast<Item>(left));
    });
    team.sync();
    free_list = m.list[next];
    free_rows = m.counters->list_size[next];
  }
  return free_rows;
}

}  // namespace lufact::gpu
