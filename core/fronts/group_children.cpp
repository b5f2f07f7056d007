// SPDX-License-Identifier: BSD-3-Clause
#include "core/fronts/group_children.hpp"

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>

#include "core/fronts/child_lists.hpp"
#include "core/fronts/front_latency.hpp"

namespace lufact {
namespace {

constexpr Index least_alone = 2;  // children that are not grouped at once, however many there are

std::size_t at(Offset i) noexcept {
  return static_cast<std::size_t>(i);
}

// Writes the fronts of a tree, one after the other, to a new one with grouping fronts before those
// that need them.
class TreeRewriter {
 public:
  explicit TreeRewriter(const FrontTree& tree) : old_(tree), mark_(at(tree.n), -1) {
    new_.n = tree.n;
    new_.first.clear();
    new_.first.reserve(tree.first.size());
    new_.parent.reserve(tree.parent.size());
    new_.row_ptr.reserve(tree.row_ptr.size());
    new_.row.reserve(tree.row.size());
  }

  // Returns the number of front f of the old tree; `children` are numbers.
  Index append(Index f, std::vector<Index>& children) {
    while (static_cast<Index>(children.size()) > most_children) {
      if (!group_some(children, old_.first[at(f)])) break;
    }
    return emit(old_.first[at(f)], old_.pivots(f),
                {old_.row.data() + old_.row_ptr[at(f)], at(old_.contributions(f))}, children);
  }

  FrontTree finish() {
    new_.first.push_back(old_.first.back());
    return std::move(new_);
  }

 private:
  std::span<const Index> rows(Index number) const {
    return {new_.row.data() + new_.row_ptr[at(number)], at(new_.contributions(number))};
  }

  Index emit(Index first, Index pivots, std::span<const Index> front_rows,
             std::span<const Index> children) {
    new_.first.push_back(first);
    new_.row.insert(new_.row.end(), front_rows.begin(), front_rows.end());
    new_.row_ptr.push_back(static_cast<Offset>(new_.row.size()));
    new_.parent.push_back(-1);
    const auto number = static_cast<Index>(new_.parent.size()) - 1;
    double below = 0;
    for (const Index c : children) {
      new_.parent[at(c)] = number;
      below = std::max(below, path_[at(c)]);
    }
    path_.push_back(below + front_latency(pivots, static_cast<Index>(front_rows.size())));
    return number;
  }

  // Children of long paths do not wait for a group: as many stay alone as leave room for the groups
  // of the others, or fewer where nothing could be grouped. False: nothing can be.
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

  // The children that are left when all but the first `alone` of them, neighbours in order of size,
  // stand in groups.
  std::vector<Index> group(const std::vector<Index>& all, Index alone, Index first) {
    std::vector<Index> left(all.begin(), all.begin() + alone);
    std::vector<Index> children(all.begin() + alone, all.end());
    std::sort(children.begin(), children.end(), [&](Index a, Index b) {
      const auto key = [&](Index c) {
        return std::tuple(rows(c).size(), rows(c).empty() ? 0 : rows(c).front(), c);
      };
      return key(a) < key(b);
    });
    for (std::size_t begin = 0; begin < children.size();) {
      std::vector<Index> joint;
      const std::span<const Index> rest{children.data() + begin, children.size() - begin};
      const std::size_t taken = fill_group(rest, joint);
      if (taken == 1) {
        left.push_back(rest.front());
      } else {
        std::sort(joint.begin(), joint.end());
        left.push_back(emit(first, 0, joint, rest.first(taken)));
      }
      begin += taken;
    }
    return left;
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
  FrontTree new_;
  std::vector<Index> mark_;
  Index stamp_ = 0;
  std::vector<double> path_;  // latency of the longest path that ends with each new front
};

}  // namespace

void group_children(FrontTree& tree) {
  std::vector<Index> count(tree.parent.size(), 0);
  for (const Index p : tree.parent) {
    if (p >= 0) ++count[at(p)];
  }
  if (std::all_of(count.begin(), count.end(), [](Index c) { return c <= most_children; })) return;
  const ChildLists lists(tree.parent);
  std::vector<Index> number(tree.parent.size()), children;
  TreeRewriter rewriter(tree);
  for (Index f = 0; f < tree.fronts(); ++f) {
    children.clear();
    for (Index c = lists.head[at(f)]; c >= 0; c = lists.next[at(c)]) {
      children.push_back(number[at(c)]);
    }
    number[at(f)] = rewriter.append(f, children);
  }
  tree = rewriter.finish();
}

}  // namespace lufact
