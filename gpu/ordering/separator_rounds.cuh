// SPDX-License-Identifier: BSD-3-Clause
// The steps of one vertex in a round of the separator's refinement. Names, rules and the order in
// which floats are added are those of the host's twin, core/order/nd/separator.cpp.
#pragma once
#include "gpu/ordering/surroundings.cuh"
#include "gpu/ordering/vertex_groups.cuh"

namespace lufact::gpu {

// One entry a vertex, but for the last ones.
struct SeparatorArrays {
  Index* part = nullptr;
  const char* near_cut = nullptr;
  char* is_member = nullptr;
  unsigned char *is_open = nullptr, *pulled = nullptr, *leaves = nullptr;
  Index *cut_edges = nullptr, *target = nullptr;
  float* gain = nullptr;
  Index *members = nullptr, *member_count = nullptr;  // ascending; a single number
  Index* partial = nullptr;                           // one entry a block
  // Counts by round over all vertices, zeros at first; `covered` is one count, of the cover.
  unsigned long long *left = nullptr, *pulled_in = nullptr, *covered = nullptr;
};

class SeparatorRounds {
 public:
  static constexpr int sweeps = 2, rounds_a_sweep = 12, rounds = sweeps * rounds_a_sweep;
  static constexpr Index stays = -1;
  // A vertex with more parts than 64 around it stays.
  using Surroundings = PartWeights<64>;

  __device__ SeparatorRounds(const GraphRef& graph, Index hub_degree, const SeparatorArrays& arrays,
                             const DeviceLevelCosts& costs)
      : graph_(graph), hub_degree_(hub_degree), arrays_(arrays), costs_(costs) {}

  // Whether v may have edges to other parts.
  __device__ bool may_be_cut(Index v) const {
    return arrays_.near_cut[v] != 0 && arrays_.part[v] >= 0;
  }
  template <class Group>
  __device__ void count_cut_edges(const Group& group, Index v) const {
    const Index own = arrays_.part[v];
    Index count = 0;
    if (may_be_cut(v)) {
      count = group.count(begin(v), end(v), [&](Offset p) {
        const Index other = arrays_.part[graph_.adjacent[p]];
        return other >= 0 && other != own;
      });
    }
    if (group.leads()) arrays_.cut_edges[v] = count;
  }
  template <class Group>
  __device__ void cover(const Group& group, Index v) const {
    const bool covers = arrays_.part[v] < 0 || covers_an_edge(group, v);
    if (!group.leads()) return;
    arrays_.target[v] = stays;
    arrays_.is_member[v] = arrays_.is_open[v] = covers ? 1 : 0;
    arrays_.pulled[v] = arrays_.leaves[v] = 0;
    if (covers) atomicAdd(arrays_.covered, 1ull);
  }

  __device__ void open_member(Index v) const { arrays_.is_open[v] = arrays_.is_member[v]; }

  __device__ Index cut_edges(Index v) const { return arrays_.cut_edges[v]; }
  __device__ bool is_open(Index v) const { return arrays_.is_open[v] != 0; }
  __device__ bool is_pulled(Index v) const { return arrays_.pulled[v] != 0; }
  __device__ bool is_leaving(Index v) const { return arrays_.leaves[v] != 0; }

  // Whether v walks its list in this round.
  __device__ bool proposes(Index v, int round) const {
    return arrays_.is_member[v] != 0 && (round == 0 || graph_.degree[v] <= hub_degree_);
  }
  template <class Group>
  __device__ void propose(const Group& group, Index v, int round) const {
    Index target = stays;
    float gain = 0;
    const bool stays_open = proposes(v, round) && find_move(group, v, round, target, gain);
    if (!group.leads()) return;
    arrays_.is_open[v] = stays_open ? 1 : 0;
    if (arrays_.is_member[v] == 0) return;
    arrays_.target[v] = target;
    if (target != stays) arrays_.gain[v] = gain;
  }

  template <class Group>
  __device__ void leave_if_best(const Group& group, Index v) const {
    const Index target = arrays_.target[v];
    if (target == stays || !has_best_move(group, v)) return;
    if (group.leads()) arrays_.leaves[v] = 1;
    // Neighbours in other parts than the one v goes to become members. All threads write the same
    // value here.
    group.for_each(begin(v), end(v), [&](Offset p) {
      const Index u = graph_.adjacent[p];
      if (arrays_.part[u] != target && arrays_.is_member[u] == 0) arrays_.pulled[u] = 1;
    });
  }

  // Applies v's changes and opens its neighbours, whose best moves may have changed.
  template <class Group>
  __device__ void settle(const Group& group, Index v, int round) const {
    if (group.leads()) {
      if (is_pulled(v)) {
        arrays_.is_member[v] = 1;
        arrays_.pulled[v] = 0;
        atomicAdd(&arrays_.pulled_in[round], 1ull);
      }
      if (is_leaving(v)) {
        arrays_.is_member[v] = 0;
        arrays_.leaves[v] = 0;
        arrays_.part[v] = arrays_.target[v];
        arrays_.target[v] = stays;
        atomicAdd(&arrays_.left[round], 1ull);
      }
      arrays_.is_open[v] = 1;
    }
    group.for_each(begin(v), end(v), [&](Offset p) { arrays_.is_open[graph_.adjacent[p]] = 1; });
  }

 private:
  __device__ Offset begin(Index v) const { return graph_.begin[v]; }
  __device__ Offset end(Index v) const { return graph_.begin[v] + graph_.degree[v]; }

  template <class Group>
  __device__ bool covers_an_edge(const Group& group, Index v) const {
    if (arrays_.cut_edges[v] == 0) return false;
    return group.any(begin(v), end(v), [&](Offset p) {
      const Index u = graph_.adjacent[p], other = arrays_.part[u];
      return other >= 0 && other != arrays_.part[v] && covers_before(v, u);
    });
  }
  // Whether v, not u, covers the cut edge (v, u); both ends see the same answer.
  __device__ bool covers_before(Index v, Index u) const {
    const Offset mine = Offset{arrays_.cut_edges[v]} * weight_of(graph_, u);
    const Offset other = Offset{arrays_.cut_edges[u]} * weight_of(graph_, v);
    if (mine != other) return mine > other;
    const Index a = arrays_.part[v], b = arrays_.part[u];
    const bool lower = (((a ^ b) * 7 + a + b) & 1) != 0;
    return lower ? a < b : a > b;
  }

  // Whether v stays open.
  template <class Group>
  __device__ bool find_move(const Group& group, Index v, int round, Index& target,
                            float& gain) const {
    Surroundings around;
    bool fits = true;
    const auto load = [&](Offset p, Neighbour& seen) {
      const Index u = graph_.adjacent[p];
      if (arrays_.is_member[u] != 0) return false;
      seen = {arrays_.part[u], static_cast<float>(weight_of(graph_, u))};
      return true;
    };
    group.in_order(begin(v), end(v), load, [&](const Neighbour& seen) {
      fits = around.add(seen.id, seen.value);
      return fits;
    });
    if (!fits) return false;
    if (around.count() == 0) {
      target = arrays_.part[v];  // nothing is pulled in; a hub (-1) stays
      gain = 1e20f;
      return target != stays;
    }
    float pulled_cost = 0;
    const Index to = best_target(around, v, round, pulled_cost);
    gain = own_cost(around, v) - pulled_cost;
    if (gain > 0 || (gain == 0 && is_preferred(to, around, v, round))) target = to;
    return target != stays || (gain == 0 && around.count() > 2);
  }

  // Whether v may go to this part where the move gains nothing: between two parts as the sweep
  // goes, among more by chance.
  __device__ static bool is_preferred(Index to, const Surroundings& around, Index v, int round) {
    if (around.count() == 2) {
      const Index lower = min(around.part(0), around.part(1));
      return (to == lower) == (round < rounds_a_sweep);
    }
    const std::uint64_t coin = static_cast<std::uint64_t>(v) * 31 +
                               977u * static_cast<unsigned>(round) + static_cast<std::uint64_t>(to);
    return (nd::hash32(coin) & 1) != 0;
  }

  // The cost of v as a member, by the level at which the parts around it split.
  __device__ float own_cost(const Surroundings& around, Index v) const {
    Index low = around.part(0), high = around.part(0);
    for (int k = 1; k < around.count(); ++k) {
      low = min(low, around.part(k));
      high = max(high, around.part(k));
    }
    const Index own = arrays_.part[v];
    float cost = 1;
    if (around.count() > 1) {
      cost = costs_.between(low, high);
    } else if (own >= 0 && own != low) {
      cost = costs_.between(own, low);
    }
    return cost * static_cast<float>(weight_of(graph_, v));
  }

  __device__ Index best_target(const Surroundings& around, Index v, int round, float& least) const {
    Index best = stays;
    for (int k = 0; k < around.count(); ++k) {
      const Index to = around.part(k);
      float cost = 0;
      for (int other = 0; other < around.count(); ++other) {
        cost += around.weight(other) * costs_.between(to, around.part(other));
      }
      if (best == stays || cost < least || (cost == least && is_preferred(to, around, v, round))) {
        best = to;
        least = cost;
      }
    }
    return best;
  }

  template <class Group>
  __device__ bool has_best_move(const Group& group, Index v) const {
    const std::uint32_t rank = nd::hash32(static_cast<std::uint64_t>(v));
    return !group.any(begin(v), end(v), [&](Offset p) {
      const Index u = graph_.adjacent[p], target = arrays_.target[u];
      if (arrays_.is_member[u] == 0 || target == stays || target == arrays_.target[v]) return false;
      if (arrays_.gain[u] != arrays_.gain[v]) return arrays_.gain[u] > arrays_.gain[v];
      const std::uint32_t other = nd::hash32(static_cast<std::uint64_t>(u));
      return other > rank || (other == rank && u > v);
    });
  }

  const GraphRef& graph_;
  Index hub_degree_;
  const SeparatorArrays& arrays_;
  const DeviceLevelCosts& costs_;
};

}  // namespace lufact::gpu
