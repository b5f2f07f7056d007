// SPDX-License-Identifier: BSD-3-Clause
// Builds the elimination forest of B + B' without locks. Parents only become smaller. Invariant:
// for any label t, the forest connects the vertices up to t exactly as the edges added so far
// connect them. So an edge (low, high) goes on as (p, high) where the parent p of low is below
// high, and an edge that displaces a larger parent p goes on as (high, p) (J. W. H. Liu 1990,
// section 3: a minimum spanning forest where an edge weighs its later end). A former parent stays
// an ancestor, so that outdated jumps are short but not wrong.
#pragma once
#include <cuda/atomic>

#include "gpu/components/grid.cuh"
#include "gpu/components/warp_sum.cuh"
#include "gpu/forest/elimination_forest.hpp"
#include "gpu/matrix/pattern_entries.cuh"

namespace lufact::gpu {

class ForestBuilder {
 public:
  __device__ ForestBuilder(const PatternRef& matrix, Offset nnz, const ForestArrays& forest)
      : matrix_(matrix), nnz_(nnz), forest_(forest), n_(matrix.n) {}

  // Fills parents and facts. There is a barrier after the first step, none at the end.
  __device__ void run(const Grid& grid) const {
    start(grid);
    grid.sync();
    find_edges(grid);
    grid.sync();
    const bool symmetric = forest_.facts->one_sided == 0;
    if (!symmetric) {
      find_left_edges(grid);
      grid.sync();
    }
    build_jumps(grid);
    add_edges(grid, symmetric);
    grid.sync();
    // A counter is cleared two rounds before it is used again, when no thread reads it.
    constexpr int counters = ForestArrays::counters;
    const Offset left = forest_.open[0];
    const Offset pending = left < forest_.most_pending ? left : forest_.most_pending;
    Offset unsettled = pending;
    for (int round = 1; unsettled > 0; ++round) {
      build_jumps(grid);
      if (grid.rank() == 0) forest_.open[(round + 1) % counters] = 0;
      add_pending(grid, pending, &forest_.open[round % counters]);
      grid.sync();
      unsettled = forest_.open[round % counters];
    }
    if (grid.rank() == 0) forest_.facts->pending = pending;
    count_crossings(grid);
  }

  // Builds the jumps along the current parents. A barrier follows each level, also the last.
  __device__ void build_jumps(const Grid& grid) const {
    grid.for_each(n_ + Offset{1}, [&](Offset v) {
      forest_.jumps[v].to[0] = forest_.parent[v];
      forest_.jumps[v].to[Jumps::levels] = forest_.jumps[v].to[Jumps::levels + 1] = n_;
    });
    grid.sync();
    for (int level = 1; level < Jumps::levels; ++level) {
      grid.for_each(n_ + Offset{1}, [&](Offset v) {
        Index ancestor = static_cast<Index>(v);
        for (int k = 0; k < Jumps::factor && ancestor < n_; ++k) {
          ancestor = forest_.jumps[ancestor].to[level - 1];
        }
        forest_.jumps[v].to[level] = ancestor;
      });
      grid.sync();
    }
  }

  // The first ancestor of v that is not before `vertex`, for v < vertex in the same tree, or n.
  __device__ Index ancestor_from(Index v, Index vertex) const {
    for (;;) {
      const Index p = forest_.parent[v], next = climb(v, p, vertex - 1);
      if (next == v) return p;
      v = next;
    }
  }

 private:
  __device__ void start(const Grid& grid) const {
    grid.for_each(n_ + Offset{1}, [&](Offset v) { forest_.parent[v] = n_; });
  }

  // Finds the edges and counts them; every vertex gets its smallest later neighbour that follows
  // from entries right of the diagonal as parent.
  __device__ void find_edges(const Grid& grid) const {
    Offset edges = 0, one_sided = 0;
    grid.for_each(nnz_, [&](Offset entry) {
      const Index row = row_of_entry(matrix_, entry), column = matrix_.col_idx[entry];
      const bool is_right = column > row, mirrored = is_right && has_entry(matrix_, column, row);
      const bool is_edge = column < row || (is_right && !mirrored);
      forest_.row_of[entry] = is_edge ? row : ~row;
      edges += is_edge;
      one_sided += is_edge;
      one_sided -= mirrored;  // its mirror image was counted
      if (is_right) offer_parent(path_edge(entry));
    });
    add_from_warp(forest_.facts->edges, edges);
    add_from_warp(forest_.facts->one_sided, one_sided);
  }

  // Offers parents by one-sided entries left of the diagonal.
  __device__ void find_left_edges(const Grid& grid) const {
    grid.for_each(nnz_, [&](Offset entry) {
      EdgePair edge;
      if (left_edge(entry, edge)) offer_parent(edge);
    });
  }

  // Adds every edge; an edge that is not settled after most_steps steps is left pending.
  __device__ void add_edges(const Grid& grid, bool symmetric) const {
    grid.for_each(nnz_, [&](Offset entry) {
      EdgePair edge;
      if (matrix_.col_idx[entry] > row_of(entry)) {
        edge = path_edge(entry);
      } else if (symmetric || !left_edge(entry, edge)) {
        return;
      }
      if (!add_edge(edge, most_steps)) leave_pending(edge);
    });
  }

  // One more round for the pending edges.
  __device__ void add_pending(const Grid& grid, Offset count, Index* open) const {
    grid.for_each(count, [&](Offset k) {
      EdgePair edge = forest_.pending[k];
      if (edge.low < 0) return;
      const bool added = add_edge(edge, most_steps);
      forest_.pending[k] = added ? EdgePair{} : edge;
      if (!added) atomicAdd(open, 1);
    });
  }

  // Labels are a postorder exactly where the parent of every vertex v is v + 1 or an ancestor of
  // v + 1: then, by induction, all labels between v and its parent are descendants of the parent.
  __device__ void count_crossings(const Grid& grid) const {
    Offset crossings = 0;
    grid.for_each(n_ - Offset{1}, [&](Offset v) {
      const Index p = forest_.parent[v];
      crossings += p != n_ && !is_ancestor(p, static_cast<Index>(v) + 1);
    });
    add_from_warp(forest_.facts->crossings, crossings);
  }

  static constexpr int most_steps = 32;
  using Parent = cuda::atomic_ref<Index, cuda::thread_scope_device>;

  __device__ Parent parent_of(Index v) const { return Parent(forest_.parent[v]); }
  __device__ Index load_parent(Index v) const {
    return parent_of(v).load(cuda::memory_order_relaxed);
  }

  __device__ Index row_of(Offset entry) const {
    const Index row = forest_.row_of[entry];
    return row < 0 ? ~row : row;
  }

  // An entry right of the diagonal as an edge from the entry before it in the row: the row's vertex
  // is connected to that entry's vertex, from which the way to the tree's root is shorter.
  __device__ EdgePair path_edge(Offset entry) const {
    return {matrix_.col_idx[entry - 1], matrix_.col_idx[entry]};
  }

  // False where the entry is not left of the diagonal, or its mirror image is an entry.
  __device__ bool left_edge(Offset entry, EdgePair& edge) const {
    edge = {matrix_.col_idx[entry], row_of(entry)};
    return edge.low < edge.high && !has_entry(matrix_, edge.low, edge.high);
  }

  __device__ void offer_parent(const EdgePair& edge) const {
    if (load_parent(edge.low) <= edge.high) return;
    parent_of(edge.low).fetch_min(edge.high, cuda::memory_order_relaxed);
  }

  // The last ancestor of v up to `limit` that v's jumps know, or v; `p` is the parent of v.
  __device__ Index climb(Index v, Index p, Index limit) const {
    if (p > limit) return v;
    const Jumps jumps = forest_.jumps[v];
    Index best = p;
#pragma unroll
    for (int level = 0; level < Jumps::levels; ++level) {
      if (jumps.to[level] <= limit && jumps.to[level] > best) best = jumps.to[level];
    }
    return best;
  }

  // False where the edge is not settled after `steps` steps; `edge` is then the edge to go on with.
  __device__ bool add_edge(EdgePair& edge, int steps) const {
    for (int step = 0; step < steps; ++step) {
      Index p = load_parent(edge.low);
      if (p > edge.high) {
        p = parent_of(edge.low).fetch_min(edge.high, cuda::memory_order_relaxed);
        if (p == n_) return true;
        if (p > edge.high) {
          edge = {edge.high, p};
          continue;
        }
      }
      edge.low = climb(edge.low, p, edge.high);
      if (edge.low == edge.high) return true;
    }
    return false;
  }

  __device__ void leave_pending(EdgePair& edge) const {
    const Index place = atomicAdd(&forest_.open[0], 1);
    if (place < forest_.most_pending) {
      forest_.pending[place] = edge;
    } else {
      while (!add_edge(edge, most_steps)) {
      }
    }
  }

  __device__ bool is_ancestor(Index ancestor, Index v) const {
    while (v < ancestor) {
      const Index next = climb(v, forest_.parent[v], ancestor);
      if (next == v) return false;
      v = next;
    }
    return true;
  }

  const PatternRef& matrix_;
  Offset nnz_;
  const ForestArrays& forest_;
  Index n_;
};

}  // namespace lufact::gpu
