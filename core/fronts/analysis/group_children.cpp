// SPDX-License-Identifier: BSD-3-Clause
#include "core/fronts/analysis/group_children.hpp"

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>

#include "core/fronts/analysis/child_lists.hpp"
#include "core/fronts/analysis/front_latency.hpp"

namespace lufact {
namespace {

constexpr Index least_alone = 2;  // the first try leaves at least so many children out of groups

std::vector<Index> count_children(std::span<const Index> parent) {
  std::vector<Index> count(parent.size(), 0);
  for (const Index p : parent) {
    if (p >= 0) ++count[at(p)];
  }
  return count;
}

// Renumbers the fronts of a tree, each grouping front before its parent.
class TreeGrouper {
 public:
  TreeGrouper(const FrontTree& tree, const RowsOfFront& rows_of, const FrontPathRates& rates)
      : old_(tree),
        rows_of_(rows_of),
        rates_(rates),
        child_count_(count_children(tree.parent)),
        number_(tree.parent.size()),
        below_(tree.parent.size(), 0),
        mark_(at(tree.n), -1) {
    new_.first.reserve(tree.first.size());
    new_.parent.reserve(tree.parent.size());
    new_.origin.reserve(tree.parent.size());
    new_.row_ptr.reserve(tree.row_ptr.size());
    path_.reserve(tree.parent.size());
  }

  GroupedFronts run() && {
    const auto children = list_children();
    for (Index f = 0; f < old_.fronts(); ++f) append(f, children);
    new_.first.push_back(old_.first.back());
    set_parents();
    return std::move(new_);
  }

 private:
  bool has_many(Index f) const { return child_count_[at(f)] > most_children; }

  // The children of the fronts that have too many.
  ChildLists list_children() const {
    std::vector<Index> parent(old_.parent.begin(), old_.parent.end());
    for (Index& p : parent) {
      if (p >= 0 && !has_many(p)) p = -1;
    }
    return ChildLists(parent);
  }

  void append(Index f, const ChildLists& lists) {
    double below = below_[at(f)];
    if (has_many(f)) {
      std::vector<Index> children;
      for (Index c = lists.head[at(f)]; c >= 0; c = lists.next[at(c)]) {
        children.push_back(number_[at(c)]);
      }
      while (static_cast<Index>(children.size()) > most_children) {
        if (!group_some(children, old_.first[at(f)])) break;
      }
      below = adopt(children, static_cast<Index>(new_.parent.size()));
    }
    number_[at(f)] = emit(f, old_.first[at(f)], old_.pivots(f), old_.contributions(f), below);
    const Index parent = old_.parent[at(f)];
    if (parent >= 0) below_[at(parent)] = std::max(below_[at(parent)], path_.back());
  }

  // Sets the parents of fronts that are in no group and whose old parents have few children.
  void set_parents() {
    for (std::size_t k = 0; k < new_.parent.size(); ++k) {
      const Index origin = new_.origin[k];
      if (new_.parent[k] >= 0 || origin < 0) continue;
      const Index parent = old_.parent[at(origin)];
      if (parent >= 0) new_.parent[k] = number_[at(parent)];
    }
  }

  std::span<const Index> rows(Index number) const {
    const Index origin = new_.origin[at(number)];
    return origin < 0 ? new_.rows_of_group(-1 - origin) : rows_of_(origin);
  }
  std::size_t row_count(Index number) const {
    return at(new_.row_ptr[at(number) + 1] - new_.row_ptr[at(number)]);
  }

  // Makes `number` the parent of `children`; returns the longest path that ends with one of them.
  double adopt(std::span<const Index> children, Index number) {
    double below = 0;
    for (const Index c : children) {
      new_.parent[at(c)] = number;
      below = std::max(below, path_[at(c)]);
    }
    return below;
  }

  Index emit(Index origin, Index first, Index pivots, Index row_count, double below) {
    new_.origin.push_back(origin);
    new_.first.push_back(first);
    new_.row_ptr.push_back(new_.row_ptr.back() + row_count);
    new_.parent.push_back(-1);
    path_.push_back(below + front_latency(pivots, row_count, rates_));
    return static_cast<Index>(new_.parent.size()) - 1;
  }
  Index emit_group(Index first, std::span<const Index> group_rows,
                   std::span<const Index> children) {
    const Index origin = -static_cast<Index>(new_.group_ptr.size());
    new_.group_row.insert(new_.group_row.end(), group_rows.begin(), group_rows.end());
    new_.group_ptr.push_back(static_cast<Offset>(new_.group_row.size()));
    const double below = adopt(children, static_cast<Index>(new_.parent.size()));
    return emit(origin, first, 0, static_cast<Index>(group_rows.size()), below);
  }

  // Groups some of the children; false where no two can share a group. The children of the longest
  // paths stay alone, so that they do not wait for a group: as many as leave room for the groups of
  // the others, or fewer where that many leave nothing to group.
  bool group_some(std::vector<Index>& children, Index first) {
    std::sort(children.begin(), children.end(), [&](Index a, Index b) {
      return std::pair(-path_[at(a)], a) < std::pair(-path_[at(b)], b);
    });
    const auto count = static_cast<Index>(children.size());
    const Index room = (most_children * most_children - count) / (most_children - 1);
    for (Index alone = std::max(room, least_alone);; alone /= 2) {
      std::vector<Index> left = group(children, alone, first);
      const bool grouped = left.size() < children.size();
      if (grouped) children = std::move(left);
      if (grouped || alone == 0) return grouped;
    }
  }

  // Puts all children but the first `alone` into groups of neighbours in order of size. Returns the
  // children alone and the grouping fronts.
  std::vector<Index> group(const std::vector<Index>& all, Index alone, Index first) {
    std::vector<Index> left(all.begin(), all.begin() + alone);
    const std::vector<Index> children = by_size({all.data() + alone, all.size() - at(alone)});
    for (std::size_t begin = 0; begin < children.size();) {
      std::vector<Index> joint;
      const std::span<const Index> rest{children.data() + begin, children.size() - begin};
      const std::size_t taken = fill_group(rest, joint);
      if (taken == 1) {
        left.push_back(rest.front());
      } else {
        std::sort(joint.begin(), joint.end());
        left.push_back(emit_group(first, joint, rest.first(taken)));
      }
      begin += taken;
    }
    return left;
  }

  // Children by number of rows, then by their first row, ascending.
  std::vector<Index> by_size(std::span<const Index> children) const {
    std::vector<std::tuple<std::size_t, Index, Index>> keys;
    keys.reserve(children.size());
    for (const Index c : children) {
      keys.emplace_back(row_count(c), row_count(c) == 0 ? 0 : rows(c).front(), c);
    }
    std::sort(keys.begin(), keys.end());
    std::vector<Index> sorted;
    sorted.reserve(keys.size());
    for (const auto& key : keys) sorted.push_back(std::get<2>(key));
    return sorted;
  }

  // How many of `children`, from the first on, make one group; `joint` becomes the union of their
  // rows.
  std::size_t fill_group(std::span<const Index> children, std::vector<Index>& joint) {
    ++stamp_;
    std::size_t taken = 0;
    for (; taken < children.size() && taken < most_children; ++taken) {
      const auto own = rows(children[taken]);
      const auto fresh = static_cast<std::size_t>(std::count_if(
          own.begin(), own.end(), [&](Index row) { return mark_[at(row)] != stamp_; }));
      const std::size_t size = joint.size() + fresh;
      const bool wide = size > tile_order && 5 * size > 6 * own.size();
      if (taken > 0 && wide) break;
      for (const Index row : own) {
        if (std::exchange(mark_[at(row)], stamp_) != stamp_) joint.push_back(row);
      }
    }
    return taken;
  }

  const FrontTree& old_;
  const RowsOfFront& rows_of_;
  const FrontPathRates& rates_;
  std::vector<Index> child_count_, number_;  // of each old front; number_: the new one
  std::vector<double> below_;  // of each old front with few children: longest path below it
  GroupedFronts new_;
  std::vector<Index> mark_;
  Index stamp_ = 0;
  std::vector<double> path_;  // latency of the longest path that ends with each new front
};

}  // namespace

GroupedFronts group_fronts(const FrontTree& tree, const RowsOfFront& rows_of,
                           const FrontPathRates& rates) {
  return TreeGrouper(tree, rows_of, rates).run();
}

std::vector<Index> children_to_group(std::span<const Index> parent) {
  const std::vector<Index> count = count_children(parent);
  std::vector<Index> children;
  for (std::size_t f = 0; f < parent.size(); ++f) {
    if (parent[f] >= 0 && count[at(parent[f])] > most_children) {
      children.push_back(static_cast<Index>(f));
    }
  }
  return children;
}

void group_children(FrontTree& tree, const FrontPathRates& rates) {
  if (children_to_group(tree.parent).empty()) return;
  const auto rows_of = [&](Index f) {
    return std::span<const Index>(tree.row.data() + tree.row_ptr[at(f)], at(tree.contributions(f)));
  };
  GroupedFronts grouped = group_fronts(tree, rows_of, rates);
  RawVector<Index> row(at(grouped.row_ptr.back()));
  for (std::size_t f = 0; f < grouped.origin.size(); ++f) {
    const Index origin = grouped.origin[f];
    const auto from = origin < 0 ? grouped.rows_of_group(-1 - origin) : rows_of(origin);
    std::copy(from.begin(), from.end(), row.begin() + grouped.row_ptr[f]);
  }
  tree.row = std::move(row);
  tree.first = std::move(grouped.first);
  tree.parent = std::move(grouped.parent);
  tree.row_ptr = std::move(grouped.row_ptr);
}

}  // namespace lufact
