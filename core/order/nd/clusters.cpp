// SPDX-License-Identifier: BSD-3-Clause
// Synchronous rounds: what a vertex does depends on the round before, never on other threads.
#include <optional>

#include "core/matrix/parallel.hpp"
#include "core/order/nd/coarsening.hpp"
#include "core/order/nd/flagged.hpp"

namespace lufact::nd {
namespace {

constexpr Index free_vertex = -1, outside = -2;

class Clustering {
 public:
  Clustering(const Graph& graph, const ClusterRules& rules, int threads)
      : graph_(graph),
        rules_(rules),
        threads_(threads),
        leader_(graph.n),
        next_(graph.n),
        number_(graph.n) {}

  Clusters stars() && {
    is_seed_ = Buffer<char>(graph_.n);
    priority_ = Buffer<std::uint32_t>(graph_.n);
#pragma omp parallel num_threads(threads_) if (threads_ > 1)
    {
      step([&](Index v) {
        leader_[v] = initial_leader(v);
        priority_[v] = hash32(rules_.seed + static_cast<std::uint64_t>(v));
      });
      for (int round = 0; round < 2; ++round) {
        step([&](Index v) { is_seed_[v] = leader_[v] == free_vertex && is_local_maximum(v); });
        step([&](Index v) { next_[v] = star_of(v); });
#pragma omp single
        std::swap(leader_, next_);
      }
      step([&](Index v) {
        next_[v] = star_of_neighbour(v);
        number_[v] = next_[v] == v ? 1 : 0;
      });
    }
    std::swap(leader_, next_);
    return numbered();
  }

  Clusters pairs() && {
    partner_ = Buffer<Index>(graph_.n);
#pragma omp parallel num_threads(threads_) if (threads_ > 1)
    {
      step([&](Index v) {
        leader_[v] = initial_leader(v);
        partner_[v] = -1;
      });
      for (int round = 0; round < 3; ++round) {
        step([&](Index v) { next_[v] = leader_[v] == free_vertex ? best_partner(v, true) : -1; });
        step([&](Index v) { pair_with_mutual_best(v); });
      }
      step([&](Index v) { next_[v] = leader_[v] == free_vertex ? best_partner(v, false) : -1; });
      step([&](Index v) {
        if (partner_[v] > v) adopt(v);
      });
      step([&](Index v) {
        if (leader_[v] == free_vertex) leader_[v] = v;
        number_[v] = leader_[v] == v ? 1 : 0;
      });
    }
    return numbered();
  }

 private:
  // Calls body for all vertices; no thread goes on before all threads are through.
  template <class Body>
  void step(const Body& body) {
    each_vertex(graph_.n, threads_, [&](Index v) {
      body(v);
      return true;
    });
#pragma omp barrier
  }

  Index initial_leader(Index v) const noexcept {
    return !rules_.left_out.empty() && rules_.left_out[v] != 0 ? outside : free_vertex;
  }

  // Numbers the clusters. leader_[v] is the vertex that leads v's cluster, `outside` for a vertex
  // left out; number_ marks the leaders.
  Clusters numbered() {
    const auto n = static_cast<std::size_t>(graph_.n);
    Clusters result;
    result.count = exclusive_scan({number_.begin(), n}, threads_);
    result.cluster_of = Buffer<Index>(graph_.n);
#pragma omp parallel for num_threads(threads_) if (threads_ > 1)
    for (Index v = 0; v < graph_.n; ++v) {
      result.cluster_of[v] = leader_[v] < 0 ? -1 : number_[leader_[v]];
    }
    return result;
  }

  void pair_with_mutual_best(Index v) noexcept {
    const Index u = next_[v];
    if (u < 0 || next_[u] != v) return;
    leader_[v] = std::min(u, v);
    partner_[v] = u;
  }

  bool is_local_maximum(Index v) const noexcept {
    for (const Index u : graph_.neighbours(v)) {
      if (leader_[u] != free_vertex) continue;
      if (priority_[u] > priority_[v] || (priority_[u] == priority_[v] && u > v)) return false;
    }
    return true;
  }

  // Whether v may join the star of `seed`: a star of this weight can take two more such.
  bool fits_star(Index v, Offset seed_weight) const noexcept {
    return 3 * (seed_weight + graph_.weight_of(v)) <= rules_.largest_weight;
  }

  Index star_of(Index v) const noexcept {
    if (leader_[v] != free_vertex) return leader_[v];
    if (is_seed_[v] != 0) return v;
    Index best = free_vertex;
    float best_rating = -1;
    for (Offset p = graph_.begin[v]; p < graph_.end(v); ++p) {
      const Index u = graph_.adjacent[p];
      const bool seed = leader_[u] == free_vertex ? is_seed_[u] != 0 : leader_[u] == u;
      if (!seed || !fits_star(v, graph_.weight_of(u))) continue;
      const float rating =
          static_cast<float>(graph_.edge_weight_of(p)) / static_cast<float>(graph_.weight_of(u));
      if (rating > best_rating) {
        best_rating = rating;
        best = u;
      }
    }
    return best;
  }

  // For a vertex v that no star took: the star of a neighbour, or v itself.
  Index star_of_neighbour(Index v) const noexcept {
    if (leader_[v] != free_vertex) return leader_[v];
    Index best = v;
    float best_rating = -1;
    for (Offset p = graph_.begin[v]; p < graph_.end(v); ++p) {
      const Index u = graph_.adjacent[p];
      if (leader_[u] < 0) continue;
      const Offset weight = Offset{graph_.weight_of(u)} + graph_.weight_of(leader_[u]);
      if (!fits_star(v, weight)) continue;
      const float rating =
          static_cast<float>(graph_.edge_weight_of(p)) / static_cast<float>(weight);
      if (rating > best_rating) {
        best_rating = rating;
        best = leader_[u];
      }
    }
    return best;
  }

  // The best neighbour for v to share a cluster with, among free ones only or among all that are
  // not left out.
  Index best_partner(Index v, bool only_free) const noexcept {
    Index best = -1;
    float best_rating = -1;
    std::optional<std::uint32_t> best_tie;  // of the best so far, once a tie was met
    const Offset wv = graph_.weight_of(v);
    for (Offset p = graph_.begin[v]; p < graph_.end(v); ++p) {
      const Index u = graph_.adjacent[p];
      if (leader_[u] == outside || (only_free && leader_[u] != free_vertex)) continue;
      const Offset wu = graph_.weight_of(u);
      if (wu + wv > rules_.largest_weight) continue;
      // Over the weight of u alone: that of v is the same for all.
      const auto edge = static_cast<float>(graph_.edge_weight_of(p));
      const float rating = edge * edge / static_cast<float>(wu);
      if (rating < best_rating) continue;
      std::optional<std::uint32_t> tie;
      if (rating == best_rating) {
        if (!best_tie) best_tie = tie_break(best, v);
        tie = tie_break(u, v);
        if (*tie <= *best_tie) continue;
      }
      best_rating = rating;
      best_tie = tie;
      best = u;
    }
    return best;
  }
  // A hash of an edge, the same seen from both ends.
  std::uint32_t tie_break(Index u, Index v) const noexcept {
    const auto low = static_cast<std::uint64_t>(std::min(u, v));
    const auto high = static_cast<std::uint64_t>(std::max(u, v));
    return hash32((high << 32 | low) + rules_.seed);
  }

  // The pair led by v takes in free neighbours that prefer one of the two, within the weight. A
  // free vertex prefers one vertex only, so no other pair looks at its leader.
  void adopt(Index v) noexcept {
    const Index other = partner_[v];
    Offset weight = Offset{graph_.weight_of(v)} + graph_.weight_of(other);
    for (const Index preferred : {v, other}) {
      for (const Index u : graph_.neighbours(preferred)) {
        if (next_[u] != preferred || leader_[u] != free_vertex) continue;
        if (weight + graph_.weight_of(u) > rules_.largest_weight) continue;
        weight += graph_.weight_of(u);
        leader_[u] = v;
      }
    }
  }

  const Graph& graph_;
  const ClusterRules& rules_;
  int threads_;
  Buffer<Index> leader_, next_, number_, partner_;
  Buffer<char> is_seed_;  // stars only, as their priorities
  Buffer<std::uint32_t> priority_;
};

}  // namespace

Clusters star_clusters(const Graph& graph, const ClusterRules& rules, int threads) {
  return Clustering(graph, rules, team_for(graph, threads)).stars();
}

Clusters matched_clusters(const Graph& graph, const ClusterRules& rules, int threads) {
  return Clustering(graph, rules, team_for(graph, threads)).pairs();
}

Clusters packed_isolated(const Graph& graph, const ClusterRules& rules) {
  Clusters result{.count = 0, .cluster_of = Buffer<Index>(graph.n)};
  Index open = -1;  // the cluster that is being filled
  Offset filled = 0;
  for (Index v = 0; v < graph.n; ++v) {
    const bool isolated = graph.degree[v] == 0;
    if (!isolated || open < 0 || filled + graph.weight_of(v) > rules.largest_weight) {
      result.cluster_of[v] = result.count++;
      if (!isolated) continue;
      open = result.cluster_of[v];
      filled = 0;
    }
    result.cluster_of[v] = open;
    filled += graph.weight_of(v);
  }
  return result;
}

}  // namespace lufact::nd
