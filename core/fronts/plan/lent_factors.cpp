// SPDX-License-Identifier: BSD-3-Clause
#include "core/fronts/plan/lent_factors.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "core/fronts/plan/contribution_arenas.hpp"

namespace lufact {
namespace {

// Arenas and fronts smaller than this share of all arenas, 1 in so many, are left as they are.
constexpr Offset least_share = 700;

// Room in the factors of a front, taken from its end downwards.
struct LentRoom {
  Offset limit = 0, end = 0;

  Offset entries() const noexcept { return std::max<Offset>(end - limit, 0); }
};

class Lender {
 public:
  Lender(const FrontTree& tree, TaskGraph& graph)
      : tree_(tree),
        graph_(graph),
        shape_(graph.shape),
        need_(subtree_needs(shape_)),
        lent_(shape_.size(), not_lent),
        least_(std::max<Offset>(need_.back().both() / least_share, 1)) {}

  // Subtrees that take little have what they need already, and there are many of them.
  void run() {
    TwoArenas& all = need_.back();
    for (std::size_t f = 0; f < shape_.size(); ++f) {
      if (need_[f].both() < least_) continue;
      const bool is_root = shape_[f].parent < 0;
      if (is_root) all.own -= need_[f].other, all.other -= need_[f].own;
      sum_up(f);
      if (may_lend(shape_[f])) lend(f);
      if (is_root) all.own += need_[f].other, all.other += need_[f].own;
    }
    place();
  }

 private:
  static constexpr Offset not_lent = -1;

  bool is_lent(std::size_t f) const { return lent_[f] != not_lent; }
  Offset block(std::size_t f) const { return block_entries(shape_[f]); }
  std::span<const Index> children(std::size_t f) const {
    return std::span(graph_.child)
        .subspan(at(shape_[f].child_begin), at(shape_[f].child_end - shape_[f].child_begin));
  }

  // Children have what they need already.
  void sum_up(std::size_t f) {
    TwoArenas need;
    for (const Index c : children(f)) {
      need.own += need_[at(c)].other;
      if (!is_lent(at(c))) need.other += need_[at(c)].own;
    }
    need_[f] = {std::max(need.own, block(f)), need.other};
  }

  bool may_lend(const FrontShape& shape) const {
    return shape.pivot_tiles > 0 && shape.stored_entries() >= least_;
  }

  // What front f can lend below its children, by where it is taken from and by child.
  struct Offer {
    Offset limit;
    std::size_t room;
    Index child;
  };
  // From children that contribute to late tile columns alone, which may have the end, to those that
  // may have all but the first diagonal tile: that one would have to be cleared while others wait.
  std::vector<Offer> offers(std::size_t f) const {
    const FrontShape& shape = shape_[f];
    std::vector<Offer> found;
    for (const Index c : children(f)) {
      const FrontShape& child = shape_[at(c)];
      if (child.rows == 0 || child.child_end == child.child_begin) continue;
      const Index row = tree_.parent_row[at(child.parent_rows)];
      if (row >= shape.pivots) continue;
      const Index k = row / shape.pivot_width;
      found.push_back({k > 0 ? shape.lower_place(k, k) : after_diagonal(shape).limit, 0, c});
      if (k == 0) found.push_back({before_diagonal(shape).limit, 1, c});
    }
    std::ranges::stable_sort(found, std::greater{}, &Offer::limit);
    return found;
  }
  // What is stored behind the two first diagonal tiles, and between them.
  static LentRoom after_diagonal(const FrontShape& shape) {
    const Offset diagonal = Offset{shape.stored_rows(0)} * shape.stored_pivots(0);
    return {shape.upper_place(0, 0) + diagonal, shape.factors + shape.stored_entries()};
  }
  static LentRoom before_diagonal(const FrontShape& shape) {
    const Offset diagonal = Offset{shape.stored_rows(0)} * shape.stored_pivots(0);
    return {shape.factors + diagonal, shape.upper_place(0, 0)};
  }

  // First the arena that is f's own becomes smaller, then that of its children.
  void lend(std::size_t f) {
    const std::vector<Offer> all = offers(f);
    std::array<LentRoom, 2> left{after_diagonal(shape_[f]), before_diagonal(shape_[f])};
    const std::array<LentRoom, 2> whole = left;
    Offset wanted = -block(f);
    for (const Index c : children(f)) wanted += need_[at(c)].other;
    for (const Offer& offer : all) {
      LentRoom room{offer.limit, left[offer.room].end};
      wanted -= reduce_other(at(offer.child), wanted, room);
      left[offer.room].end = room.end;
    }
    for (const Offer& offer : all) {
      const auto c = at(offer.child);
      LentRoom room{offer.limit, left[offer.room].end};
      reduce_own(c, need_[c].own - block(c), room);
      left[offer.room].end = room.end;
    }
    if (left[0].end == whole[0].end && left[1].end == whole[1].end) return;
    sum_up(f);
    graph_.lends.resize(shape_.size(), 0);
    graph_.lends[f] = 1;
  }

  // Makes the arena of front f's children smaller, by `wanted` entries or by what room allows, or
  // somewhat more, and returns by how many.
  Offset reduce_other(std::size_t f, Offset wanted, LentRoom& room) {
    if (wanted <= 0 || need_[f].other < least_ || room.entries() < least_) return 0;
    std::vector<std::pair<Offset, Index>> largest_first;
    for (const Index c : children(f)) {
      const Offset own = need_[at(c)].own;
      if (own >= least_ && !is_lent(at(c))) largest_first.emplace_back(own, c);
    }
    std::ranges::stable_sort(largest_first, std::greater{}, &std::pair<Offset, Index>::first);
    Offset reduced = 0;
    for (const auto& [own, c] : largest_first) {
      if (reduced >= wanted || room.entries() < least_) break;
      if (own <= room.entries()) {
        room.end -= own;
        lent_[at(c)] = room.end;
        reduced += own;
      } else {
        reduced += reduce_own(at(c), std::min(wanted - reduced, own - block(at(c))), room);
      }
    }
    need_[f].other -= reduced;
    return reduced;
  }

  // The same of the arena that is front f's own, which its block keeps from becoming smaller.
  Offset reduce_own(std::size_t f, Offset wanted, LentRoom& room) {
    Offset below = 0;
    for (const Index c : children(f)) {
      if (below >= wanted || room.entries() < least_) break;
      below += reduce_other(at(c), wanted - below, room);
    }
    const Offset reduced = std::min(below, need_[f].own - block(f));
    need_[f].own -= reduced;
    return reduced;
  }

  void place() {
    std::vector<TwoArenas> next(shape_.size() + 1);
    next.back() = {0, need_.back().own};
    for (std::size_t f = shape_.size(); f-- > 0;) {
      TwoArenas& left = next[parent_of(shape_, f)];
      if (is_lent(f)) {
        next[f] = take_arenas({0, need_[f].other}, left);
        next[f].own = lent_[f] - graph_.factor_entries;
      } else {
        next[f] = take_arenas(need_[f], left);
      }
      shape_[f].contribution = next[f].own;
    }
    graph_.contribution_entries = need_.back().both();
  }

  const FrontTree& tree_;
  TaskGraph& graph_;
  std::vector<FrontShape>& shape_;
  std::vector<TwoArenas> need_;  // of subtrees, as far as it is not lent; the last as of a root
  std::vector<Offset> lent_;     // where in the factors the own arena of a front's subtree begins
  Offset least_;
};

}  // namespace

void place_in_factors(const FrontTree& tree, TaskGraph& graph) {
  Lender(tree, graph).run();
}

}  // namespace lufact
