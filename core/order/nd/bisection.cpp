// SPDX-License-Identifier: BSD-3-Clause
#include "core/order/nd/bisection.hpp"

#include <cstdlib>
#include <limits>
#include <utility>

namespace lufact::nd {
namespace {

constexpr double largest_side = 0.6;

// Vertices that a search asks for the one of largest gain again and again. Each answer goes through
// all vertices: they are tens to hundreds, and a heap would have to follow every move, which
// changes the gains of many.
class Candidates {
 public:
  void clear() noexcept { vertices_.clear(); }
  void add(Index v) { vertices_.push_back(v); }

  // Takes out the vertex of largest value among those that fit, the last one of equals; -1 where
  // none fits.
  template <class Value, class Fits>
  Index take_best(const Value& value, const Fits& fits) {
    std::size_t best = vertices_.size();
    Offset best_value = std::numeric_limits<Offset>::min();
    for (std::size_t k = 0; k < vertices_.size(); ++k) {
      const Offset own = value(vertices_[k]);
      if (own < best_value || !fits(vertices_[k])) continue;
      best = k;
      best_value = own;
    }
    if (best == vertices_.size()) return -1;
    const Index v = std::exchange(vertices_[best], vertices_.back());
    vertices_.pop_back();
    return v;
  }

 private:
  std::vector<Index> vertices_;
};

template <class Body>
void each_edge(const Piece& piece, Index v, const Body& body) {
  for (Index p = piece.begin[v]; p < piece.begin[v + 1]; ++p) {
    body(piece.adjacent[p], Offset{piece.edge_weight[p]});
  }
}

// Visits vertices breadth-first from `start` until the visited ones weigh `enough`, restarting
// where a component ends. Returns the visited vertices in order.
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

// Grows side 0 from `start`, each time by the vertex that adds least to the cut.
std::vector<char> grow_by_gain(const Piece& piece, Index start) {
  std::vector<char> side(piece.vertex.size(), 1);
  std::vector<Offset> gain(piece.vertex.size(), 0);
  for (Index v = 0; v < piece.size(); ++v) {
    each_edge(piece, v, [&](Index, Offset weight) { gain[v] -= weight; });
  }
  std::vector<char> met(piece.vertex.size(), 0);
  Candidates candidates;
  const auto meet = [&](Index v) {
    if (std::exchange(met[v], 1) == 0) candidates.add(v);
  };
  meet(start);
  Offset grown = 0;
  for (Index fresh = 0; 2 * grown < piece.total;) {
    const Index v =
        candidates.take_best([&](Index u) { return gain[u]; }, [](Index) { return true; });
    if (v < 0) {
      while (fresh < piece.size() && met[fresh] != 0) ++fresh;
      if (fresh == piece.size()) break;
      meet(fresh);
      continue;
    }
    const auto after = static_cast<double>(grown + piece.weight[v]);
    if (grown > 0 && after > largest_side * static_cast<double>(piece.total)) break;
    side[v] = 0;
    grown += piece.weight[v];
    each_edge(piece, v, [&](Index u, Offset weight) {
      gain[u] += 2 * weight;
      meet(u);
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
        state_(side_.size(), State::inside),
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
  enum class State : char { inside, candidate, moved };
  static constexpr std::size_t patience = 80;
  static constexpr int most_passes = 3;  // later ones find next to nothing
  Offset right() const noexcept { return piece_.total - left_; }
  Offset imbalance() const noexcept { return std::abs(left_ - right()); }

  // Makes one pass; returns whether the cut became smaller.
  bool improve() {
    collect_boundary();
    moved_.clear();
    const Offset before = cut_;
    Offset best_cut = cut_, best_imbalance = imbalance();
    std::size_t best_count = 0;
    while (moved_.size() < best_count + patience) {
      const Index v = next_vertex();
      if (v < 0) break;
      state_[v] = State::moved;
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
    candidates_.clear();
    for (Index v = 0; v < piece_.size(); ++v) {
      const bool at_boundary = gain_[v] > -degree_[v];
      state_[v] = at_boundary ? State::candidate : State::inside;
      if (at_boundary) candidates_.add(v);
    }
  }

  // The candidate of largest gain whose move keeps the balance, -1 where there is none. Ties go to
  // the heavier side.
  Index next_vertex() {
    const char heavier = 2 * left_ > piece_.total ? 0 : 1;
    const auto value = [&](Index v) { return 2 * gain_[v] + (side_[v] == heavier ? 1 : 0); };
    return candidates_.take_best(value, [this](Index v) {
      const Offset grown = (side_[v] == 0 ? right() : left_) + piece_.weight[v];
      const Offset now = side_[v] == 0 ? left_ : right();
      return grown <= limit_ || grown <= now;
    });
  }

  void move(Index v) {
    cut_ -= gain_[v];
    left_ += side_[v] == 0 ? -piece_.weight[v] : piece_.weight[v];
    side_[v] ^= 1;
    gain_[v] = -gain_[v];
    each_edge(piece_, v, [&](Index u, Offset weight) {
      gain_[u] += side_[u] == side_[v] ? -2 * weight : 2 * weight;
      if (state_[u] != State::inside) return;
      state_[u] = State::candidate;
      candidates_.add(u);
    });
  }

  const Piece& piece_;
  std::vector<char> side_;
  std::vector<Offset> gain_;    // by how much a move of the vertex lowers the cut
  std::vector<Offset> degree_;  // weight of the vertex's edges
  std::vector<State> state_;    // in this pass
  std::vector<Index> moved_;
  Candidates candidates_;
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
