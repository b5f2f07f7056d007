// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <limits>
#include <vector>

#include "core/order/nd/minimum_degree.hpp"
#include "core/order/nd/separator.hpp"

namespace lufact::nd {

// The stage of the order in which a vertex is eliminated.
enum class Role : char { leaf, separator, last };

// Role and place of each vertex as its neighbours need them, in one number, since neighbours are
// anywhere in memory: for a leaf vertex its place in its part, for a separator vertex its place in
// the separator, for role `last` nothing.
class Places {
 public:
  Places() = default;
  explicit Places(Offset n) : code_(n) {}

  void set_leaf(Offset v, Index place) noexcept { code_[v] = place; }
  void set_separator(Offset v, Index place) noexcept { code_[v] = ~place; }
  void set_last(Offset v) noexcept { code_[v] = nothing; }

  // The place of a leaf vertex, ~place of a separator vertex, or `nothing`.
  Index code(Index v) const noexcept { return code_[v]; }
  static constexpr Index nothing = std::numeric_limits<Index>::min();

 private:
  Buffer<Index> code_;
};

struct Leaves {
  std::vector<Index> order;       // of all leaf vertices, part by part
  std::vector<Index> part_begin;  // in `order`, then the end
  std::vector<Index> separator;   // separator vertices, ascending
  Places places;
  // The elements that eliminating the leaves makes: element e is a clique of the separator vertices
  // whose places are covered[begin[e] .. begin[e + 1]).
  std::vector<Offset> begin{0};
  std::vector<Index> covered;
  std::vector<PathCost> path;
  OrderingCost cost;
};

// Minimum degree on each part, the separator around it as a halo, one task a part, largest first.
// Vertices of role `last` are ignored. `rates` are those of paths.
Leaves order_leaves(const Graph& graph, const Parts& part, Index parts, const Buffer<Role>& role,
                    int threads, const ColumnPathRates& rates);

}  // namespace lufact::nd
