// SPDX-License-Identifier: BSD-3-Clause
#include "core/dense/cpu/strip_exchange.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace lufact {
namespace {

// Which rows move: rows[k] becomes what rows[from[k]] was.
struct Moves {
  Index count = 0;
  Index rows[2 * strip_columns] = {};
  Index from[2 * strip_columns] = {};

  Moves(Index first, std::span<const Index> pivots) {
    for (const auto width = static_cast<Index>(pivots.size()); count < width; ++count) {
      rows[count] = first + count;
    }
    std::iota(std::begin(from), std::end(from), 0);
    for (std::size_t k = 0; k < pivots.size(); ++k) std::swap(from[k], from[place_of(pivots[k])]);
  }
  bool any() const {
    for (Index k = 0; k < count; ++k) {
      if (from[k] != k) return true;
    }
    return false;
  }

 private:
  Index place_of(Index row) {
    const Index place = static_cast<Index>(std::find(rows, rows + count, row) - rows);
    if (place == count) rows[count++] = row;
    return place;
  }
};

}  // namespace

template <class T>
StripExchange<T>::StripExchange(Index widest)
    : widest_(widest), buffer_(at(Offset{widest} * most_rows)) {}

template <class T>
void StripExchange<T>::apply(const ThreadTeam& team, const PaddedColumns<T>& a, const RowRuns& rows,
                             Index first, std::span<const Index> pivots, Index begin, Index end) {
  const Moves moves(first, pivots);
  const Index behind = first + static_cast<Index>(pivots.size());
  if (!moves.any() || (begin == first && behind == end)) return;
  const Index low = rows.begin(team.rank()), high = rows.end(team.rank());
  const auto for_own = [&](const auto& body) {
    for (Index k = 0; k < moves.count; ++k) {
      if (moves.from[k] == k || moves.rows[k] < low || moves.rows[k] >= high) continue;
      for (Index j = begin; j < first; ++j) body(k, a(moves.rows[k], j), j - begin);
      for (Index j = behind; j < end; ++j) body(k, a(moves.rows[k], j), j - begin);
    }
  };
  for_own([&](Index k, const T& entry, Index j) { in_buffer(k)[j] = entry; });
  team.wait();
  for_own([&](Index k, T& entry, Index j) { entry = in_buffer(moves.from[k])[j]; });
}

template class StripExchange<float>;
template class StripExchange<double>;

}  // namespace lufact
