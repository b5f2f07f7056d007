// SPDX-License-Identifier: BSD-3-Clause
// One thread of the host in place of the threads of a device: the steps of the matching are the
// same, and so are the results.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "gpu/match/search.hpp"

namespace lufact::gpu {

// A row's lanes where there is one.
struct OneLane {
  static Offset rank() { return 0; }
  static Offset count() { return 1; }
  template <class T>
  static T largest(T value) {
    return value;
  }
  template <class T>
  static T least(T value) {
    return value;
  }
  static Word sum(Word value) { return value; }
  static void least_two(Word&, Word&) {}
};

class HostTeam {
 public:
  // Puts the numbers 0 .. count-1 into the order in which they are to be visited. Empty: ascending.
  // Results do not depend on it.
  using Order = std::function<void(std::vector<Offset>&)>;
  explicit HostTeam(Order order = {}) : order_(std::move(order)) {}

  static constexpr bool leads() { return true; }
  static void sync() {}
  static void raise(Units& place, Units value) { place = larger(place, value); }

  template <class Body>
  void for_each(Offset count, const Body& body) const {
    if (!order_) {
      for (Offset k = 0; k < count; ++k) body(k);
      return;
    }
    for (const Offset k : visits(count)) body(k);
  }
  template <class Body>
  void for_all_rows(const MatchArrays& m, const Body& body) const {
    for_each(m.n, [&](Offset row) { body(static_cast<Index>(row), OneLane{}); });
  }
  // `list` null: all rows.
  template <class Body>
  void for_free_rows(const MatchArrays&, const Item* list, Offset count, const Body& body) const {
    for_each(count,
             [&](Offset k) { body(static_cast<Index>(list == nullptr ? k : list[k]), OneLane{}); });
  }
  // visit(column) for the columns of the path to each column that is_end, from the end on.
  template <class IsEnd, class Visitor>
  void for_paths(const MatchArrays& m, const IsEnd& is_end, const Visitor& visit) const {
    for_each(m.n, [&](Offset k) {
      const auto end = static_cast<Index>(k);
      if (!is_end(end)) return;
      for (Index column = end; column >= 0; column = m.column_before[column]) visit(column);
    });
  }
  static void append(const MatchArrays& m, int list, Item item) {
    m.list[list][m.counters->list_size[list]++] = item;
  }

  // Relaxes from the items of list 0 until nothing is left to relax, with the distances bounded so
  // that `wanted` free columns are within. False where the limits of the rules end it.
  bool search(const MatchArrays& m, const MatchRules& rules, std::int32_t& round,
              Index wanted) const {
    std::array<std::int32_t, DistanceBuckets::count> totals{};
    Queue queue{m, 0, 0};
    std::int32_t& count = m.counters->list_size[0];
    while (count > 0) {
      ++round;
      ++m.counters->rounds;
      if (count <= rules.thin_items) ++m.counters->thin_rounds;
      if (round > rules.rounds || m.counters->thin_rounds > rules.thin_rounds) {
        return false;
      }
      queue.size = 0;
      queue.list = 1 - queue.list;
      const Relaxation relaxation(m, queue, round, static_cast<Visit>(round));
      const Item* items = m.list[1 - queue.list];
      for_each(count, [&](Offset k) { relaxation.relax(items[k], OneLane{}); });
      count = queue.size;
      bound_distances(m, round, wanted, totals);
    }
    return true;
  }

 private:
  struct Queue {
    const MatchArrays& m;
    int list;
    std::int32_t size;

    void push(Index row, Offset length) {
      const auto chunks = static_cast<Item>(chunks_of(length));
      for (Item chunk = 0; chunk < chunks; ++chunk) {
        m.list[list][size++] = static_cast<Item>(row) | chunk << row_bits_of_item;
      }
    }
  };

  std::vector<Offset> visits(Offset count) const;
  static void bound_distances(const MatchArrays& m, std::int32_t round, Index wanted,
                              std::array<std::int32_t, DistanceBuckets::count>& totals);

  Order order_;
};

}  // namespace lufact::gpu
