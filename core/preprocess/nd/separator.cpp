// SPDX-License-Identifier: BSD-3-Clause
#include "core/preprocess/nd/separator.hpp"

#include <atomic>

#include "core/matrix/parallel.hpp"
#include "core/preprocess/nd/shared_list.hpp"

namespace lufact::nd {
namespace {

constexpr int rounds = 24;
constexpr Offset parallel_from_members = 512;
constexpr Index stays = -1;
constexpr int most_parts_seen = 64;

enum State : char { in_part = 0, member = 1 };

class SeparatorSearch {
 public:
  SeparatorSearch(const Graph& graph, Index hub_degree, Parts& part, int threads)
      : graph_(graph),
        hub_degree_(hub_degree),
        part_(part),
        threads_(threads),
        state_(graph.n),
        cut_edges_(graph.n),
        target_(graph.n),
        gain_(graph.n),
        leaves_(graph.n),
        members_(graph.n),
        next_(graph.n) {}

  Separator run() && {
    cover();
    for (int round = 0; round < rounds; ++round) {
      if (improve(round) * 500 < members_.size() || members_.size() == 0) break;
    }
    Separator result;
    result.vertices = ascending_members();
    result.inside = std::move(state_);
    return result;
  }

 private:
  template <class Body>
  void each_vertex(const Body& body) {
#pragma omp parallel for schedule(dynamic, 2048) num_threads(threads_) if (threads_ > 1)
    for (Index v = 0; v < graph_.n; ++v) body(v);
  }
  template <class Body>
  void each_member(const Body& body) {
    const Offset count = members_.size();
    const int threads = threads_for(count, parallel_from_members, threads_);
#pragma omp parallel for schedule(dynamic, 64) num_threads(threads) if (threads > 1)
    for (Offset k = 0; k < count; ++k) body(members_[k]);
  }

  void cover() {
    each_vertex([&](Index v) { cut_edges_[v] = count_cut_edges(v); });
    each_adding(graph_.n, 2048, threads_, members_, [&](Offset k, SharedList::Writer& writer) {
      const auto v = static_cast<Index>(k);
      target_[v] = stays;
      const bool covers = covers_an_edge(v);
      state_[v] = covers ? member : in_part;
      if (covers) writer.add(v);
      return covers;
    });
  }

  Index count_cut_edges(Index v) const noexcept {
    if (part_[v] < 0) return 0;
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
  // Which end of a cut edge covers it: one of the two, seen the same from both.
  bool covers_before(Index v, Index u) const noexcept {
    const Offset mine = Offset{cut_edges_[v]} * graph_.weight_of(u);
    const Offset other = Offset{cut_edges_[u]} * graph_.weight_of(v);
    if (mine != other) return mine > other;
    const Index a = part_[v], b = part_[u];
    const bool lower = (((a ^ b) * 7 + a + b) & 1) != 0;
    return lower ? a < b : a > b;
  }

  // One round; returns how many vertices left. No vertex looks at those that are pulled in before
  // all are, and the order in which threads add to the list does not matter.
  Offset improve(int round) {
    each_member([&](Index v) { propose(v, round); });
    each_member([&](Index v) { leaves_[v] = target_[v] != stays && has_best_move(v); });
    next_.clear();
    const int threads = threads_for(members_.size(), parallel_from_members, threads_);
    const Offset left =
        each_adding(members_.size(), 64, threads, next_, [&](Offset k, SharedList::Writer& kept) {
          const Index v = members_[k];
          if (leaves_[v] == 0) {
            kept.add(v);
            return false;
          }
          pull_neighbours(v, kept);
          return true;
        });
    if (left > 0) {
      each_member([&](Index v) {
        if (leaves_[v] == 0) return;
        state_[v] = in_part;
        part_[v] = target_[v];
        target_[v] = stays;
      });
    }
    swap(members_, next_);
    return left;
  }

  // Neighbours in other parts than that to which v goes become members.
  void pull_neighbours(Index v, SharedList::Writer& kept) noexcept {
    for (const Index u : graph_.neighbours(v)) {
      if (part_[u] == target_[v]) continue;
      std::atomic_ref<char> state(state_[u]);
      char expected = in_part;
      if (state.load(std::memory_order_relaxed) == in_part &&
          state.compare_exchange_strong(expected, member, std::memory_order_relaxed)) {
        kept.add(u);
      }
    }
  }

  // Each chunk of vertices counts its members, then writes them where those before it end.
  std::vector<Index> ascending_members() const {
    const Offset n = graph_.n;
    const int chunks = threads_;
    std::vector<Offset> begin(static_cast<std::size_t>(chunks) + 1, 0);
    const auto bound = [&](int chunk) { return n * chunk / chunks; };
#pragma omp parallel for schedule(static, 1) num_threads(chunks) if (chunks > 1)
    for (int c = 0; c < chunks; ++c) {
      begin[c + 1] = std::count(state_.begin() + bound(c), state_.begin() + bound(c + 1), member);
    }
    for (int c = 0; c < chunks; ++c) begin[c + 1] += begin[c];
    std::vector<Index> members(static_cast<std::size_t>(begin.back()));
#pragma omp parallel for schedule(static, 1) num_threads(chunks) if (chunks > 1)
    for (int c = 0; c < chunks; ++c) {
      Offset next = begin[c];
      for (Offset v = bound(c); v < bound(c + 1); ++v) {
        if (state_[v] == member) members[next++] = static_cast<Index>(v);
      }
    }
    return members;
  }

  // Weights of v's neighbours outside the separator, by part.
  struct Surroundings {
    std::array<Index, most_parts_seen> part;
    std::array<Offset, most_parts_seen> weight;
    int count = 0;

    bool add(Index neighbour_part, Offset vertex_weight) noexcept {
      int k = 0;
      while (k < count && part[k] != neighbour_part) ++k;
      if (k == most_parts_seen) return false;
      if (k == count) {
        part[count] = neighbour_part;
        weight[count++] = 0;
      }
      weight[k] += vertex_weight;
      return true;
    }
  };

  void propose(Index v, int round) noexcept {
    target_[v] = stays;
    if (round > 0 && graph_.degree[v] > hub_degree_) return;
    Surroundings around;
    for (const Index u : graph_.neighbours(v)) {
      if (state_[u] == in_part && !around.add(part_[u], graph_.weight_of(u))) return;
    }
    if (around.count == 0) {
      target_[v] = part_[v];  // nothing is pulled in; a hub (-1) stays
      gain_[v] = 1e20f;
      return;
    }
    const auto [to, pulled_cost] = best_target(around, v, round);
    const float gain = own_cost(around, v) - pulled_cost;
    const std::uint64_t coin = static_cast<std::uint64_t>(v) + 77u * static_cast<unsigned>(round);
    if (gain > 0 || (gain == 0 && round < rounds - 3 && (hash32(coin) & 1) != 0)) {
      target_[v] = to;
      gain_[v] = gain;
    }
  }

  // What v itself costs as a member: by the level at which the parts around it split.
  float own_cost(const Surroundings& around, Index v) const noexcept {
    Index low = around.part[0], high = around.part[0];
    for (int k = 1; k < around.count; ++k) {
      low = std::min(low, around.part[k]);
      high = std::max(high, around.part[k]);
    }
    float cost = 1;
    if (around.count > 1) {
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
    for (int k = 0; k < around.count; ++k) {
      const Index to = around.part[k];
      float cost = 0;
      for (int other = 0; other < around.count; ++other) {
        cost += static_cast<float>(around.weight[other]) * costs_.between(to, around.part[other]);
      }
      const std::uint64_t coin = static_cast<std::uint64_t>(v) * 31 +
                                 977u * static_cast<unsigned>(round) +
                                 static_cast<std::uint64_t>(to);
      if (best == stays || cost < least || (cost == least && (hash32(coin) & 1) != 0)) {
        best = to;
        least = cost;
      }
    }
    return {best, least};
  }

  bool has_best_move(Index v) const noexcept {
    const std::uint32_t rank = hash32(static_cast<std::uint64_t>(v));
    for (const Index u : graph_.neighbours(v)) {
      if (state_[u] != member || target_[u] == stays || target_[u] == target_[v]) continue;
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
  int threads_;
  LevelCosts costs_;
  Buffer<char> state_;
  Buffer<Index> cut_edges_, target_;
  Buffer<float> gain_;
  Buffer<char> leaves_;
  SharedList members_, next_;
};

}  // namespace

Separator find_separator(const Graph& graph, Index hub_degree, Parts& part, int threads) {
  return SeparatorSearch(graph, hub_degree, part, threads_for(graph.n, parallel_from, threads))
      .run();
}

}  // namespace lufact::nd
