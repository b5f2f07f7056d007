// SPDX-License-Identifier: BSD-3-Clause
#include <numeric>
#include <utility>
#include <vector>

#include "core/matrix/parallel.hpp"
#include "core/order/nd/bisection.hpp"
#include "core/order/nd/partition.hpp"

namespace lufact::nd {
namespace {

constexpr Index attempts_at_root = 16, least_attempts = 2;

Piece whole(const Graph& graph) {
  Piece piece;
  piece.vertex.resize(static_cast<std::size_t>(graph.n));
  std::iota(piece.vertex.begin(), piece.vertex.end(), 0);
  for (Index v = 0; v < graph.n; ++v) {
    for (Offset p = graph.begin[v]; p < graph.end(v); ++p) {
      piece.adjacent.push_back(graph.adjacent[p]);
      piece.edge_weight.push_back(graph.edge_weight_of(p));
    }
    piece.begin.push_back(
        checked_index(static_cast<Offset>(piece.adjacent.size()), "edges of the coarsest graph"));
    piece.weight.push_back(graph.weight_of(v));
    piece.total += graph.weight_of(v);
  }
  return piece;
}

// The two sides of the best of several bisections of each piece, in order.
std::vector<Piece> split(const std::vector<Piece>& pieces, std::uint64_t seed, int threads) {
  const auto count = static_cast<Offset>(pieces.size());
  const Offset attempts = std::max<Offset>(least_attempts, attempts_at_root / count);
  std::vector<Bisection> tried(static_cast<std::size_t>(count * attempts));
  parallel_for(count * attempts, threads, [&](Offset k) {
    const Offset piece = k / attempts;
    tried[k] =
        bisect(pieces[piece], (seed << 32) + static_cast<std::uint64_t>(k % attempts + 16 * piece));
  });
  std::vector<Piece> sides(2 * pieces.size());
  parallel_for(count, threads, [&](Offset piece) {
    const auto first = tried.begin() + piece * attempts;
    const auto best =
        std::min_element(first, first + attempts,
                         [](const Bisection& a, const Bisection& b) { return a.cut < b.cut; });
    for (const int side : {0, 1}) {
      sides[2 * piece + side] = side_of(pieces[piece], *best, side);
    }
  });
  return sides;
}

}  // namespace

Partition initial_partition(const Graph& graph, Index parts, std::uint64_t seed, int threads) {
  std::vector<Piece> pieces{whole(graph)};
  while (static_cast<Index>(pieces.size()) < parts) pieces = split(pieces, seed, threads);
  Partition partition{parts, Parts(graph.n), Buffer<char>(graph.n)};
  for (std::size_t k = 0; k < pieces.size(); ++k) {
    for (const Index v : pieces[k].vertex) {
      partition.part[v] = static_cast<Index>(k);
      partition.near_cut[v] = 1;
    }
  }
  return partition;
}

Partition projected(const Partition& coarse, const Buffer<Index>& cluster_of, int requested) {
  const Offset n = cluster_of.size();
  const int threads = threads_for(n, parallel_from, requested);
  Partition fine{coarse.parts, Parts(n), Buffer<char>(n)};
#pragma omp parallel for num_threads(threads) if (threads > 1)
  for (Offset v = 0; v < n; ++v) {
    const Index c = cluster_of[v];
    fine.part[v] = c < 0 ? -1 : coarse.part[c];
    fine.near_cut[v] = c < 0 ? 0 : coarse.near_cut[c];
  }
  return fine;
}

}  // namespace lufact::nd
