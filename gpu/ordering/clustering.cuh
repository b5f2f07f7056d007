// SPDX-License-Identifier: BSD-3-Clause
// The steps of one vertex in a round of clustering. Names and rules are those of the host's twin,
// core/order/nd/clusters.cpp.
#pragma once
#include "gpu/ordering/clusters.hpp"
#include "gpu/ordering/vertex_groups.cuh"

namespace lufact::gpu {

// One entry a vertex, but for `partial`.
struct ClusterArrays {
  Index *leader = nullptr, *next = nullptr, *number = nullptr, *partner = nullptr;
  std::uint32_t* priority = nullptr;
  unsigned char* is_seed = nullptr;
  Index* partial = nullptr;  // one entry a block
  Index* cluster_of = nullptr;
  Index* count = nullptr;  // a single one
};

class ClusterRounds {
 public:
  static constexpr Index free_vertex = -1, outside = -2;

  __device__ ClusterRounds(const GraphRef& graph, const DeviceClusterRules& rules,
                           const ClusterArrays& arrays)
      : graph_(graph), rules_(rules), leader_(arrays.leader), next_(arrays.next), arrays_(arrays) {}

  __device__ void swap_leaders() {
    Index* const leader = leader_;
    leader_ = next_;
    next_ = leader;
  }
  __device__ const Index* leader() const { return leader_; }
  __device__ bool is_free(Index v) const { return leader_[v] == free_vertex; }

  __device__ void start(Index v) const {
    leader_[v] = graph_.degree[v] > rules_.hub_degree ? outside : free_vertex;
    arrays_.partner[v] = -1;
    arrays_.priority[v] = nd::hash32(rules_.seed + static_cast<std::uint64_t>(v));
  }

  template <class Group>
  __device__ void elect_seed(const Group& group, Index v) const {
    const bool is_seed = is_free(v) && is_local_maximum(group, v);
    if (group.leads()) arrays_.is_seed[v] = is_seed ? 1 : 0;
  }
  template <class Group>
  __device__ void join_star(const Group& group, Index v) const {
    const Index star = is_free(v) ? star_of(group, v) : leader_[v];
    if (group.leads()) next_[v] = star;
  }
  // For a vertex that no star took: the star of a neighbour, or one of its own.
  template <class Group>
  __device__ void join_neighbour(const Group& group, Index v) const {
    const Index star = is_free(v) ? star_of_neighbour(group, v) : leader_[v];
    if (group.leads()) next_[v] = star;
  }

  // Chooses among free neighbours only, or among all that are not left out.
  template <class Group>
  __device__ void choose_partner(const Group& group, Index v, bool only_free) const {
    const Index partner = is_free(v) ? best_partner(group, v, only_free) : -1;
    if (group.leads()) next_[v] = partner;
  }
  __device__ void pair_with_mutual_best(Index v) const {
    const Index u = next_[v];
    if (u < 0 || next_[u] != v) return;
    leader_[v] = min(u, v);
    arrays_.partner[v] = u;
  }
  __device__ bool leads_pair(Index v) const { return arrays_.partner[v] > v; }
  // The pair led by v takes in free neighbours that prefer one of the two, within the weight. A
  // free vertex prefers one vertex only, so no other pair looks at its leader.
  template <class Group>
  __device__ void adopt(const Group& group, Index v) const {
    const Index other = arrays_.partner[v];
    Offset weight = Offset{weight_of(graph_, v)} + weight_of(graph_, other);
    adopt_neighbours(group, v, v, weight);
    adopt_neighbours(group, other, v, weight);
  }
  __device__ void stay_alone(Index v) const {
    if (is_free(v)) leader_[v] = v;
  }

 private:
  __device__ Offset begin(Index v) const { return graph_.begin[v]; }
  __device__ Offset end(Index v) const { return graph_.begin[v] + graph_.degree[v]; }

  template <class Group>
  __device__ bool is_local_maximum(const Group& group, Index v) const {
    const std::uint32_t own = arrays_.priority[v];
    return !group.any(begin(v), end(v), [&](Offset p) {
      const Index u = graph_.adjacent[p];
      if (!is_free(u)) return false;
      const std::uint32_t other = arrays_.priority[u];
      return other > own || (other == own && u > v);
    });
  }

  // Whether v may join the star of `seed`: a star of this weight can take two more such.
  __device__ bool fits_star(Index v, Offset seed_weight) const {
    return 3 * (seed_weight + weight_of(graph_, v)) <= rules_.largest_weight;
  }

  // The first of the neighbours with the largest value.
  template <class Group, class Load>
  __device__ Index best_rated(const Group& group, Index v, Index none, const Load& load) const {
    Index best = none;
    float best_rating = -1;
    group.in_order(begin(v), end(v), load, [&](const Neighbour& rated) {
      if (rated.value > best_rating) {
        best_rating = rated.value;
        best = rated.id;
      }
      return true;
    });
    return best;
  }

  template <class Group>
  __device__ Index star_of(const Group& group, Index v) const {
    if (arrays_.is_seed[v] != 0) return v;
    return best_rated(group, v, free_vertex, [&](Offset p, Neighbour& rated) {
      const Index u = graph_.adjacent[p];
      const bool seed = is_free(u) ? arrays_.is_seed[u] != 0 : leader_[u] == u;
      if (!seed || !fits_star(v, weight_of(graph_, u))) return false;
      rated = {u, static_cast<float>(edge_weight_of(graph_, p)) /
                      static_cast<float>(weight_of(graph_, u))};
      return true;
    });
  }

  template <class Group>
  __device__ Index star_of_neighbour(const Group& group, Index v) const {
    return best_rated(group, v, v, [&](Offset p, Neighbour& rated) {
      const Index u = graph_.adjacent[p];
      if (leader_[u] < 0) return false;
      const Offset weight = Offset{weight_of(graph_, u)} + weight_of(graph_, leader_[u]);
      if (!fits_star(v, weight)) return false;
      rated = {leader_[u],
               static_cast<float>(edge_weight_of(graph_, p)) / static_cast<float>(weight)};
      return true;
    });
  }

  template <class Group>
  __device__ Index best_partner(const Group& group, Index v, bool only_free) const {
    Index best = -1;
    float best_rating = -1;
    const Offset own_weight = weight_of(graph_, v);
    const auto load = [&](Offset p, Neighbour& rated) {
      const Index u = graph_.adjacent[p];
      if (leader_[u] == outside || (only_free && !is_free(u))) return false;
      const Offset weight = weight_of(graph_, u);
      if (weight + own_weight > rules_.largest_weight) return false;
      const auto edge = static_cast<float>(edge_weight_of(graph_, p));
      rated = {u, edge * edge / static_cast<float>(weight)};
      return true;
    };
    group.in_order(begin(v), end(v), load, [&](const Neighbour& rated) {
      const bool as_good = rated.value == best_rating;
      if (rated.value > best_rating || (as_good && tie_break(rated.id, v) > tie_break(best, v))) {
        best_rating = rated.value;
        best = rated.id;
      }
      return true;
    });
    return best;
  }
  // A hash of an edge, the same seen from both ends.
  __device__ std::uint32_t tie_break(Index u, Index v) const {
    const auto low = static_cast<std::uint64_t>(min(u, v));
    const auto high = static_cast<std::uint64_t>(max(u, v));
    return nd::hash32((high << 32 | low) + rules_.seed);
  }

  template <class Group>
  __device__ void adopt_neighbours(const Group& group, Index preferred, Index v,
                                   Offset& weight) const {
    const auto load = [&](Offset p, Neighbour& found) {
      found.id = graph_.adjacent[p];
      return next_[found.id] == preferred && is_free(found.id);
    };
    group.in_order(begin(preferred), end(preferred), load, [&](const Neighbour& found) {
      const Offset more = weight_of(graph_, found.id);
      if (weight + more > rules_.largest_weight) return true;
      weight += more;
      if (group.leads()) leader_[found.id] = v;
      return true;
    });
  }

  const GraphRef& graph_;
  const DeviceClusterRules& rules_;
  Index *leader_, *next_;  // of arrays_, in turn
  const ClusterArrays& arrays_;
};

}  // namespace lufact::gpu
