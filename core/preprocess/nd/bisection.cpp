// SPDX-License-Identifier: BSD-3-Clause
#include "core/preprocess/nd/bisection.hpp"

#include <array>
#include <cstdlib>
#include <queue>
#include <utility>

namespace lufact::nd {
namespace {

constexpr double largest_side = 0.6;

// Vertices by gain, largest first, ties to the larger number.
using Candidate = std::pair<Offset, Index>;
class Candidates : public std::priority_queue<Candidate> {
 public:
  void clear() noexcept { c.clear(); }
  // For many at once; arrange() before anything else.
  void append(const Candidate& candidate) { c.push_back(candidate); }
  void arrange() { std::make_heap(c.begin(), c.end()); }
};

template <class Body>
void each_edge(const Piece& piece, Index v, const Body& body) {
  for (Index p = piece.begin[v]; p < piece.begin[v + 1]; ++p) {
    body(piece.adjacent[p], Offset{piece.edge_weight[p]});
  }
}

// Visits vertices breadth-first from `start` until they weigh `enough`, restarting where a
// component ends. In order of visit; those met but not visited are left out.
std::vector<Index> breadth_first(const Piece& piece, Index start, Offset enough) {
  std::vector<char> seen(piece.vertex.size(), 0);
  std::vector<Index> queue{start};
  seen[start] = 1;
  Offset weight = 0;
  std::size_t head = 0;
  for (Index fresh = 0; weight < enough;) {
    if (head == queue.size()) {
      while (fresh < piece.size() && seen[fresh] != 0) ++fresh;
      if (fresh == piece.size()) break;
      seen[fresh] = 1;
      queue.push_back(fresh);
    }
    const Index v = queue[head++];
    weight += piece.weight[v];
    each_edge(piece, v, [&](Index u, Offset) {
      if (std::exchange(seen[u], 1) == 0) queue.push_back(u);
    });
  }
  queue.resize(head);
  return queue;
}

std::vector<char> grow_breadth_first(const Piece& piece, Index start) {
  std::vector<char> side(piece.vertex.size(), 1);
  for (const Index v : breadth_first(piece, start, piece.total / 2)) side[v] = 0;
  return side;
}

// Always takes the vertex that adds least to the cut.
std::vector<char> grow_by_gain(const Piece& piece, Index start) {
  std::vector<char> side(piece.vertex.size(), 1);
  std::vector<Offset> gain(piece.vertex.size(), 0);
  for (Index v = 0; v < piece.size(); ++v) {
    each_edge(piece, v, [&](Index, Offset weight) { gain[v] -= weight; });
  }
  Candidates candidates;
  candidates.emplace(gain[start], start);
  Offset grown = 0;
  for (Index fresh = 0; 2 * grown < piece.total;) {
    if (candidates.empty()) {
      while (fresh < piece.size() && side[fresh] == 0) ++fresh;
      if (fresh == piece.size()) break;
      candidates.emplace(gain[fresh], fresh);
    }
    const auto [value, v] = candidates.top();
    candidates.pop();
    if (side[v] == 0 || value != gain[v]) continue;
    const auto after = static_cast<double>(grown + piece.weight[v]);
    if (grown > 0 && after > largest_side * static_cast<double>(piece.total)) break;
    side[v] = 0;
    grown += piece.weight[v];
    each_edge(piece, v, [&](Index u, Offset weight) {
      if (side[u] == 0) return;
      gain[u] += 2 * weight;
      candidates.emplace(gain[u], u);
    });
  }
  return side;
}

class Refinement {
 public:
  Refinement(const Piece& piece, std::vector<char> side)
      : piece_(piece),
        side_(std::move(side)),
        gain_(side_.size(), 0),
        degree_(side_.size(), 0),
        locked_(side_.size(), 0),
        limit_(static_cast<Offset>(static_cast<double>(piece.total) * largest_side) + 1) {
    for (Index v = 0; v < piece_.size(); ++v) {
      each_edge(piece_, v, [&](Index u, Offset weight) {
        gain_[v] += side_[u] == side_[v] ? -weight : weight;
        degree_[v] += weight;
        if (side_[u] != side_[v]) cut_ += weight;
      });
      if (side_[v] == 0) left_ += piece_.weight[v];
    }
    cut_ /= 2;
  }

  Bisection run() && {
    for (int pass = 0; pass < most_passes && improve(); ++pass) {
    }
    return {std::move(side_), cut_};
  }

 private:
  static constexpr std::size_t patience = 80;
  static constexpr int most_passes = 3;  // later ones find next to nothing
  Offset right() const noexcept { return piece_.total - left_; }
  Offset imbalance() const noexcept { return std::abs(left_ - right()); }

  // One pass; whether the cut became smaller.
  bool improve() {
    collect_boundary();
    moved_.clear();
    const Offset before = cut_;
    Offset best_cut = cut_, best_imbalance = imbalance();
    std::size_t best_count = 0;
    while (moved_.size() < best_count + patience) {
      const Index v = next_vertex();
      if (v < 0) break;
      locked_[v] = 1;
      move(v);
      moved_.push_back(v);
      if (is_better(best_cut, best_imbalance)) {
        best_cut = cut_;
        best_imbalance = imbalance();
        best_count = moved_.size();
      }
    }
    while (moved_.size() > best_count) {
      move(moved_.back());
      moved_.pop_back();
    }
    return cut_ < before;
  }

  bool is_better(Offset best_cut, Offset best_imbalance) const noexcept {
    if (std::max(left_, right()) > limit_) return false;
    const bool best_fits = best_imbalance <= 2 * limit_ - piece_.total;
    if (!best_fits) return imbalance() < best_imbalance || cut_ < best_cut;
    return cut_ < best_cut || (cut_ == best_cut && imbalance() < best_imbalance);
  }

  void collect_boundary() {
    for (Candidates& heap : candidates_) heap.clear();
    std::fill(locked_.begin(), locked_.end(), 0);
    for (Index v = 0; v < piece_.size(); ++v) {
      const bool at_boundary = gain_[v] > -degree_[v];
      if (at_boundary) candidates_[static_cast<std::size_t>(side_[v])].append({gain_[v], v});
    }
    for (Candidates& heap : candidates_) heap.arrange();
  }

  // The free vertex of largest gain whose move keeps the balance, -1 where there is none.
  Index next_vertex() {
    Index best = -1;
    for (const int from : {0, 1}) {
      Candidates& heap = candidates_[static_cast<std::size_t>(from)];
      drop_stale(heap, from);
      if (heap.empty()) continue;
      const Index v = heap.top().second;
      const Offset grown = (from == 0 ? right() : left_) + piece_.weight[v];
      const Offset now = from == 0 ? left_ : right();
      if (grown > limit_ && grown > now) continue;
      const bool heavier = from == (2 * left_ > piece_.total ? 0 : 1);
      if (best < 0 || gain_[v] > gain_[best] || (gain_[v] == gain_[best] && heavier)) best = v;
    }
    return best;
  }
  // An entry is made where a gain grows; where it falls, the old one is corrected when it is met.
  void drop_stale(Candidates& heap, int from) {
    while (!heap.empty()) {
      const auto [gain, v] = heap.top();
      const bool gone = locked_[v] != 0 || side_[v] != from || gain < gain_[v];
      if (!gone && gain == gain_[v]) return;
      heap.pop();
      if (!gone) heap.emplace(gain_[v], v);
    }
  }

  void move(Index v) {
    cut_ -= gain_[v];
    left_ += side_[v] == 0 ? -piece_.weight[v] : piece_.weight[v];
    side_[v] ^= 1;
    gain_[v] = -gain_[v];
    each_edge(piece_, v, [&](Index u, Offset weight) {
      if (side_[u] == side_[v]) {
        gain_[u] -= 2 * weight;
        return;
      }
      gain_[u] += 2 * weight;
      if (locked_[u] == 0) candidates_[static_cast<std::size_t>(side_[u])].emplace(gain_[u], u);
    });
  }

  const Piece& piece_;
  std::vector<char> side_;
  std::vector<Offset> gain_;    // what the cut loses where the vertex moves
  std::vector<Offset> degree_;  // weight of the vertex's edges
  std::vector<char> locked_;
  std::vector<Index> moved_;
  std::array<Candidates, 2> candidates_;
  Offset limit_, left_ = 0, cut_ = 0;  // left_: weight of side 0
};

}  // namespace

Bisection bisect(const Piece& piece, std::uint64_t attempt) {
  if (piece.size() < 2) return {std::vector<char>(piece.vertex.size(), 0), 0};
  auto start = static_cast<Index>(hash64(attempt, 13) % static_cast<std::uint64_t>(piece.size()));
  // Every other attempt starts far from there.
  if ((attempt & 1) != 0) start = breadth_first(piece, start, piece.total + 1).back();
  std::vector<char> side =
      (attempt & 2) != 0 ? grow_by_gain(piece, start) : grow_breadth_first(piece, start);
  return Refinement(piece, std::move(side)).run();
}

Piece side_of(const Piece& piece, const Bisection& bisection, int side) {
  Piece result;
  std::vector<Index> local(piece.vertex.size(), -1);
  for (Index v = 0; v < piece.size(); ++v) {
    if (bisection.side[v] != side) continue;
    local[v] = result.size();
    result.vertex.push_back(piece.vertex[v]);
    result.weight.push_back(piece.weight[v]);
    result.total += piece.weight[v];
  }
  for (Index v = 0; v < piece.size(); ++v) {
    if (local[v] < 0) continue;
    each_edge(piece, v, [&](Index u, Offset weight) {
      if (local[u] < 0) return;
      result.adjacent.push_back(local[u]);
      result.edge_weight.push_back(static_cast<Index>(weight));
    });
    result.begin.push_back(static_cast<Index>(result.adjacent.size()));
  }
  return result;
}

}  // namespace lufact::nd
