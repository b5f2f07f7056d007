// SPDX-License-Identifier: BSD-3-Clause
#include "core/fronts/analysis/renumber_supernodes.hpp"

#include <utility>

namespace lufact {
namespace {

// A range writes its own sets alone; of the sets above the ranges it reads what earlier steps have
// settled.
class SetNumberer {
 public:
  SetNumberer(AmalgamationSets& sets, const SubtreeRanges& ranges, int threads)
      : sets_(sets),
        ranges_(ranges),
        threads_(threads),
        left_(at(static_cast<Index>(ranges.count()))),
        with_above_(left_.size()),
        next_place_(sets.size()) {
    result_.first.assign(sets.size() + 1, 0);
    result_.rows.resize(sets.size());
    result_.parent.resize(sets.size());
    result_.now.resize(sets.size());
    result_.place.resize(sets.size());
  }

  AmalgamatedSets run() && {
    find_topmost_above();
    for_ranges([&](std::size_t r) {
      for (Index s = ranges_.end[r] - 1; s >= ranges_.begin[r]; --s) {
        find_topmost(s);
        if (is_left(s)) left_[r].add(1, set(s).pivots);
      }
    });
    Left all;
    ranges_.in_order(
        count(),
        [&](std::size_t r) {
          const Left own = std::exchange(left_[r], all);
          all.add(own.sets, own.columns);
        },
        [&](Index s) { number(s, all); });
    for_ranges([&](std::size_t r) {
      for (Index s = ranges_.begin[r]; s < ranges_.end[r]; ++s) number(s, left_[r]);
    });
    for_ranges([&](std::size_t r) {
      for (Index s = ranges_.begin[r]; s < ranges_.end[r]; ++s) {
        if (set(s).into < ranges_.end[r]) {
          place(s);
        } else {
          with_above_[r].push_back(s);
        }
      }
    });
    ranges_.in_order(
        count(),
        [&](std::size_t r) {
          for (const Index s : with_above_[r]) place(s);
        },
        [&](Index s) { place(s); });
    return finish(all);
  }

 private:
  // Number of sets that are left, and of their columns.
  struct Left {
    Index sets = 0, columns = 0;

    void add(Index more_sets, Index more_columns) noexcept {
      sets += more_sets;
      columns += more_columns;
    }
  };

  Index count() const noexcept { return static_cast<Index>(sets_.size()); }
  AmalgamationSet& set(Index s) { return sets_[at(s)]; }
  bool is_left(Index s) const { return sets_[at(s)].into == s; }

  template <class Body>
  void for_ranges(const Body& body) {
    ranges_.for_each(
        threads_, [] { return 0; },
        [&](Offset range, int) { body(static_cast<std::size_t>(range)); });
  }

  void find_topmost(Index s) { set(s).into = set(set(s).into).into; }

  void find_topmost_above() {
    Index s = count();
    for (std::size_t r = ranges_.end.size(); r-- > 0; s = ranges_.begin[r]) {
      while (s > ranges_.end[r]) find_topmost(--s);
    }
    while (s > 0) find_topmost(--s);
  }

  // Numbers set s, if it is left, after the sets counted in `before`.
  void number(Index s, Left& before) {
    if (!is_left(s)) return;
    result_.now[at(s)] = before.sets;
    result_.first[at(before.sets)] = next_place_[at(before.sets)] = before.columns;
    result_.rows[at(before.sets)] = set(s).rows();
    before.add(1, set(s).pivots);
  }

  // Gives the columns of set s their position. Members of a merged set must be placed in ascending
  // order.
  void place(Index s) {
    const Index now = result_.now[at(set(s).into)];
    if (is_left(s)) {
      const Index parent = set(s).parent;
      result_.parent[at(now)] = parent < 0 ? -1 : result_.now[at(set(parent).into)];
    } else {
      result_.now[at(s)] = now;
    }
    result_.place[at(s)] = next_place_[at(now)];
    next_place_[at(now)] += set(s).own;
  }

  AmalgamatedSets finish(const Left& all) {
    result_.first.resize(at(all.sets) + 1);
    result_.first.back() = all.columns;
    result_.rows.resize(at(all.sets));
    result_.parent.resize(at(all.sets));
    return std::move(result_);
  }

  AmalgamationSets& sets_;
  const SubtreeRanges& ranges_;
  int threads_;
  std::vector<Left> left_;                      // sets left in each range, later before each range
  std::vector<std::vector<Index>> with_above_;  // by range: sets merged into one above the range
  RawVector<Index> next_place_;                 // of each set that is left
  AmalgamatedSets result_;
};

}  // namespace

AmalgamatedSets renumber_supernodes(AmalgamationSets& sets, const SubtreeRanges& ranges,
                                    int threads) {
  return SetNumberer(sets, ranges, threads).run();
}

}  // namespace lufact
