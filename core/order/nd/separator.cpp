// SPDX-License-Identifier: BSD-3-Clause
#include "core/order/nd/separator.hpp"

#include <omp.h>

#include <array>
#include <atomic>

#include "core/matrix/parallel.hpp"
#include "core/order/nd/flagged.hpp"
#include "core/order/nd/part_weights.hpp"

namespace lufact::nd {
namespace {

// In the first sweep a member between two parts whose move gains nothing goes to the part of lower
// number, in the second sweep to the other. So a stretch of separator moves as one until some of
// its vertices can leave. If each vertex picked a side at random, the stretch would stay about
// where it is.
constexpr int sweeps = 2, rounds_a_sweep = 12, rounds = sweeps * rounds_a_sweep;
constexpr Index stays = -1;
// A vertex with more parts than 64 around it stays.
using Surroundings = PartWeights<64>;

class SeparatorSearch {
 public:
  SeparatorSearch(const Graph& graph, Index hub_degree, Partition& partition, int threads)
      : graph_(graph),
        hub_degree_(hub_degree),
        part_(partition.part),
        near_cut_(partition.near_cut),
        threads_(threads),
        is_member_(graph.n),
        is_open_(graph.n),
        pulled_(graph.n),
        leaves_(graph.n),
        cut_edges_(graph.n),
        target_(graph.n),
        gain_(graph.n),
        surroundings_(static_cast<std::size_t>(threads), Surroundings(partition.parts)) {}

  Separator run() && {
#pragma omp parallel num_threads(threads_) if (threads_ > 1)
    {
      Offset members = cover();
      for (int sweep = 0; sweep < sweeps; ++sweep) {
        if (sweep > 0) open_all();
        for (int round = 0; round < rounds_a_sweep && members > 0; ++round) {
          const Offset left = improve(sweep * rounds_a_sweep + round, members);
          if (left * 50 < members) break;
        }
      }
    }
    Separator result;
    result.vertices = ascending_members();
    result.inside = std::move(is_member_);
    return result;
  }

 private:
  // Moves of all threads in a round; the last element is that of cover().
  struct Count {
    std::atomic<Offset> left{0}, pulled{0};
  };

  // All threads of a parallel region call each step together. Covers the cut edges; returns the
  // number of members.
  Offset cover() {
    each_vertex(graph_.n, threads_, [&](Index v) {
      cut_edges_[v] = count_cut_edges(v);
      return true;
    });
#pragma omp barrier
    counts_[rounds].pulled += each_vertex(graph_.n, threads_, [&](Index v) {
      target_[v] = stays;
      is_member_[v] = is_open_[v] = covers_an_edge(v) ? 1 : 0;
      pulled_[v] = leaves_[v] = 0;
      return is_member_[v] != 0;
    });
#pragma omp barrier
    return counts_[rounds].pulled;
  }

  Index count_cut_edges(Index v) const noexcept {
    if (near_cut_[v] == 0 || part_[v] < 0) return 0;
    Index count = 0;
    for (const Index u : graph_.neighbours(v)) {
      count += part_[u] >= 0 && part_[u] != part_[v] ? 1 : 0;
    }
    return count;
  }

  bool covers_an_edge(Index v) const noexcept {
    const Index own = part_[v];
    if (own < 0) return true;
    if (cut_edges_[v] == 0) return false;
    for (const Index u : graph_.neighbours(v)) {
      if (part_[u] >= 0 && part_[u] != own && covers_before(v, u)) return true;
    }
    return false;
  }
  // Whether v, not u, covers the cut edge (v, u); both ends see the same answer.
  bool covers_before(Index v, Index u) const noexcept {
    const Offset mine = Offset{cut_edges_[v]} * graph_.weight_of(u);
    const Offset other = Offset{cut_edges_[u]} * graph_.weight_of(v);
    if (mine != other) return mine > other;
    const Index a = part_[v], b = part_[u];
    const bool lower = (((a ^ b) * 7 + a + b) & 1) != 0;
    return lower ? a < b : a > b;
  }

  void open_all() noexcept {
    each_vertex(graph_.n, threads_, [&](Index v) {
      is_open_[v] = is_member_[v];
      return true;
    });
#pragma omp barrier
  }

  // Plays one round and returns to every thread how many vertices left. All vertices are pulled in
  // before any vertex looks at them. Open members may leave: a member whose move would lose or go
  // against the sweep is closed until a neighbour leaves or is pulled in.
  Offset improve(int round, Offset& members) {
    Surroundings& around = surroundings_[static_cast<std::size_t>(omp_get_thread_num())];
    each_flagged(is_open_, threads_, [&](Index v) {
      is_open_[v] = propose(v, round, around) ? 1 : 0;
      return true;
    });
#pragma omp barrier
    each_flagged(is_open_, threads_, [&](Index v) {
      if (target_[v] == stays || !has_best_move(v)) return false;
      leaves_[v] = 1;
      pull_neighbours(v);
      return true;
    });
#pragma omp barrier
    Count& count = counts_[static_cast<std::size_t>(round)];
    count.pulled += each_flagged(pulled_, threads_, [&](Index v) {
      is_member_[v] = 1;
      pulled_[v] = 0;
      open_around(v);
      return true;
    });
    count.left += each_flagged(leaves_, threads_, [&](Index v) {
      is_member_[v] = leaves_[v] = 0;
      part_[v] = target_[v];
      target_[v] = stays;
      open_around(v);
      return true;
    });
#pragma omp barrier
    members += count.pulled - count.left;
    return count.left;
  }

  // Makes v's neighbours members that are in other parts than the one v goes to.
  void pull_neighbours(Index v) noexcept {
    for (const Index u : graph_.neighbours(v)) {
      if (part_[u] == target_[v] || is_member_[u] != 0) continue;
      std::atomic_ref<char>(pulled_[u]).store(1, std::memory_order_relaxed);
    }
  }

  // Opens the vertices near v, since v's move may change their best move. A flag of a vertex
  // outside the separator is cleared when a thread meets it.
  void open_around(Index v) noexcept {
    const auto open = [this](Index u) {
      std::atomic_ref<char>(is_open_[u]).store(1, std::memory_order_relaxed);
    };
    open(v);
    for (const Index u : graph_.neighbours(v)) open(u);
  }

  // Each chunk of vertices counts its members, then writes them where those before it end.
  std::vector<Index> ascending_members() const {
    const Offset n = graph_.n;
    const int chunks = threads_;
    std::vector<Offset> begin(static_cast<std::size_t>(chunks) + 1, 0);
    const auto bound = [&](int chunk) { return n * chunk / chunks; };
#pragma omp parallel for schedule(static, 1) num_threads(chunks) if (chunks > 1)
    for (int c = 0; c < chunks; ++c) {
      begin[c + 1] =
          std::count(is_member_.begin() + bound(c), is_member_.begin() + bound(c + 1), 1);
    }
    for (int c = 0; c < chunks; ++c) begin[c + 1] += begin[c];
    std::vector<Index> members(static_cast<std::size_t>(begin.back()));
#pragma omp parallel for schedule(static, 1) num_threads(chunks) if (chunks > 1)
    for (int c = 0; c < chunks; ++c) {
      Offset next = begin[c];
      for (Offset v = bound(c); v < bound(c + 1); ++v) {
        if (is_member_[v] != 0) members[next++] = static_cast<Index>(v);
      }
    }
    return members;
  }

  // Whether v stays open.
  bool propose(Index v, int round, Surroundings& around) noexcept {
    if (is_member_[v] == 0) return false;
    target_[v] = stays;
    if (round > 0 && graph_.degree[v] > hub_degree_) return false;
    around.clear();
    for (const Index u : graph_.neighbours(v)) {
      if (is_member_[u] != 0) continue;
      if (!around.add(part_[u], static_cast<float>(graph_.weight_of(u)))) return false;
    }
    if (around.count() == 0) {
      target_[v] = part_[v];  // nothing is pulled in; a hub (-1) stays
      gain_[v] = 1e20f;
      return target_[v] != stays;
    }
    const auto [to, pulled_cost] = best_target(around, v, round);
    const float gain = own_cost(around, v) - pulled_cost;
    if (gain > 0 || (gain == 0 && is_preferred(to, around, v, round))) {
      target_[v] = to;
      gain_[v] = gain;
    }
    return target_[v] != stays || (gain == 0 && around.count() > 2);
  }

  // Whether v may go to this part where the move gains nothing: between two parts as the sweep
  // goes, among more by chance.
  static bool is_preferred(Index to, const Surroundings& around, Index v, int round) noexcept {
    if (around.count() == 2) {
      const Index lower = std::min(around.part(0), around.part(1));
      return (to == lower) == (round < rounds_a_sweep);
    }
    const std::uint64_t coin = static_cast<std::uint64_t>(v) * 31 +
                               977u * static_cast<unsigned>(round) + static_cast<std::uint64_t>(to);
    return (hash32(coin) & 1) != 0;
  }

  // The cost of v as a member, by the level at which the parts around it split.
  float own_cost(const Surroundings& around, Index v) const noexcept {
    Index low = around.part(0), high = around.part(0);
    for (int k = 1; k < around.count(); ++k) {
      low = std::min(low, around.part(k));
      high = std::max(high, around.part(k));
    }
    float cost = 1;
    if (around.count() > 1) {
      cost = costs_.between(low, high);
    } else if (part_[v] >= 0 && part_[v] != low) {
      cost = costs_.between(part_[v], low);
    }
    return cost * static_cast<float>(graph_.weight_of(v));
  }

  std::pair<Index, float> best_target(const Surroundings& around, Index v,
                                      int round) const noexcept {
    Index best = stays;
    float least = 0;
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
    return {best, least};
  }

  bool has_best_move(Index v) const noexcept {
    const std::uint32_t rank = hash32(static_cast<std::uint64_t>(v));
    for (const Index u : graph_.neighbours(v)) {
      if (is_member_[u] == 0 || target_[u] == stays || target_[u] == target_[v]) continue;
      if (gain_[u] > gain_[v]) return false;
      if (gain_[u] < gain_[v]) continue;
      const std::uint32_t other = hash32(static_cast<std::uint64_t>(u));
      if (other > rank || (other == rank && u > v)) return false;
    }
    return true;
  }

  const Graph& graph_;
  Index hub_degree_;
  Parts& part_;
  const Buffer<char>& near_cut_;
  int threads_;
  LevelCosts costs_;
  Buffer<char> is_member_;
  Buffer<char> is_open_;
  Buffer<char> pulled_, leaves_;  // in the round in hand
  Buffer<Index> cut_edges_, target_;
  Buffer<float> gain_;
  std::vector<Surroundings> surroundings_;  // by thread
  std::array<Count, rounds + 1> counts_;
};

}  // namespace

Separator find_separator(const Graph& graph, Index hub_degree, Partition& partition, int threads) {
  return SeparatorSearch(graph, hub_degree, partition, threads_for(graph.n, parallel_from, threads))
      .run();
}

}  // namespace lufact::nd
