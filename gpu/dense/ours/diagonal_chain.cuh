// SPDX-License-Identifier: BSD-3-Clause
// The tiles on the diagonal of a dense matrix one after the other by one block, which waits for no
// tile of L or U in between: after tile k it divides the tiles below and right of it itself and
// subtracts their product from the next one. Others divide the same tiles again, for their own
// products.
#pragma once
#include "core/fronts/plan/diagonal_tiles.hpp"
#include "gpu/components/tensor_copy.cuh"
#include "gpu/dense/ours/tile_division.cuh"
#include "gpu/fronts/numeric/matrix_tile.cuh"
#include "gpu/fronts/numeric/panel_products.cuh"
#include "gpu/fronts/numeric/plain_tile.cuh"
#include "gpu/fronts/numeric/row_exchange.cuh"
#include "gpu/fronts/numeric/store_tiles.cuh"

namespace lufact::gpu::blocked {

// In shared memory. Places of tiles: two of the memory of a task, and a third one.
template <class T>
struct ChainMemory {
  TileMemory<T> task;
  T third[tile * tile_leading];
  T bound[tile];
  int at_hand;  // whether the tiles beside the next one are there
};

// By all threads of a block.
template <class T>
class DiagonalChain {
 public:
  __device__ DiagonalChain(const FrontProblem<T>& problem, const FrontShape& shape,
                           const ChainedTiles<T>& tiles, ChainMemory<T>& memory)
      : problem_(problem),
        shape_(shape),
        tiles_(tiles),
        memory_(memory),
        left_(memory.task.entry),
        middle_(memory.task.triangle),
        right_(memory.third) {}

  __device__ void run() {
    Fragment<T> entries;
    load_before(entries, 0);
#pragma unroll 1
    for (Index k = 0;; ++k) {
      eliminate(entries, k);
      __syncthreads();
      const bool is_last = k + 1 == shape_.tiles;
      const unsigned there = is_last || threadIdx.x != 0 ? 0U : peek_word(word(k + 1));
      put_tile(middle_, 1, tile_leading, entries, [](int i, int j, T value) {
        return i > j ? value : i == j ? T(1) : T(0);
      });
      order_copies_out();
      if (threadIdx.x == 0) note(there);
      const bool small = has_small_inverses(entries, memory_.bound);
      const bool at_hand = memory_.at_hand != 0;
      if (at_hand && small) copy_factors(k + 1);
      if (is_last || !small) {
        if (!small) keep_factors(entries, k);
        store_triangles(problem_.factors, shape_, k, entries);
        __syncthreads();
        raise(k, small ? stored_inverses : stored_factors);
        if (is_last) return;
        wait_for_tiles(k + 1);
        subtract_product_of_factors(entries, k + 1);
      } else {
        if (!at_hand) {
          wait_for_tiles(k + 1);
          copy_factors(k + 1);
        }
        subtract_product_of_inverses(entries, k + 1);
      }
      store_tile_of<true>(entries, true, tiles_.of_chain(k + 1, ChainTile::diagonal));
    }
  }

 private:
  __device__ const unsigned* word(Index k) const {
    return chain_word(problem_.sync, shape_, k);
  }
  // By one thread, before a barrier.
  __device__ void note(unsigned there) const {
    memory_.at_hand = there == unsigned{chain_tiles};
    if (memory_.at_hand) acquire_fence();
  }
  __device__ void wait_for_tiles(Index k) const {
    wait_for_words<BlockGroup>(
        1, [&](int) { return word(k); }, [](int) { return unsigned{chain_tiles}; });
  }
  // Behind a barrier that is behind the stores.
  __device__ void raise(Index k, unsigned stored) const {
    if (threadIdx.x != 0) return;
    unsigned* const flag = problem_.sync.flag + shape_.flags + lower_tile(shape_, k, k);
    cuda::atomic_ref<unsigned, cuda::thread_scope_device>(*flag).store(stored,
                                                                       cuda::memory_order_release);
  }

  // Tile k before its elimination: of tiles from 1 on, once it is complete, as left for the chain.
  __device__ void load_before(Fragment<T>& entries, Index k) const {
    if (k == 0) return MatrixTile<T>(tiles_, shape_, 0, 0).load(entries);
    const LanePlace lane;
    const T* const from = tiles_.of_chain(k, ChainTile::diagonal).entry +
                          (BlockGroup::first_column() + lane.column) * tile +
                          BlockGroup::first_row() + lane.row;
    entries.for_each_block([&](int i, int j, T(&pair)[2]) {
      pair[0] = from[j * tile + i];
      pair[1] = from[(j + 1) * tile + i];
    });
  }

  __device__ void eliminate(Fragment<T>& entries, Index k) {
    FixedRows rows;
    TileElimination<T, BlockGroup, FixedRows>(entries, memory_.task.panels, rows, problem_.rule,
                                              problem_.counters)
        .run(stored_pivots(shape_, k));
  }

  // Starts copies of the tiles left of tile k and above it.
  __device__ void copy_factors(Index k) {
    copy_tile(left_, ChainTile::lower, k);
    copy_tile(right_, ChainTile::upper, k);
    commit_copies();
  }
  __device__ void copy_tile(T* to, ChainTile which, Index k) {
    const StoredTile<T> tile_of_chain = tiles_.of_chain(k, which);
    const StoredTile<const T> from{tile_of_chain.entry, tile, tile};
#pragma unroll
    for (Index first = 0; first < tile; first += product_depth) {
      copy_panel_of<true>(to + first * tile_leading, from, first);
    }
  }

  // L and U of the tile in place of their inverses, which are large.
  __device__ void keep_factors(Fragment<T>& entries, Index k) {
    __syncthreads();
    load_before(entries, k);
    const Index pivots = stored_pivots(shape_, k);
    factor_plainly(entries, left_, middle_, pivots);
    MatrixTile<T>(tiles_, shape_, k, k).store(entries);
  }

  // Gives tile k what is left of it once the product of tiles (k, k - 1) and (k - 1, k) is
  // subtracted, out of the inverses of L and U of tile k - 1, and stores these. A barrier has
  // passed since the inverse of L was put into the middle place.
  __device__ void subtract_product_of_inverses(Fragment<T>& entries, Index k) {
    const StoredTile<T> lower = lower_stored(problem_.factors, shape_, k - 1, k - 1);
    const StoredTile<T> upper = upper_stored(problem_.factors, shape_, k - 1, k - 1);
    const bool whole = lower.is_whole();
    if (whole) {
      store_middle(lower.entry);
    } else {
      store_triangles(problem_.factors, shape_, k - 1, entries);
    }
    wait_for_copies<0>();
    __syncthreads();
    TileDivision<T>::multiply_from_left(right_, middle_);  // U(k - 1, k)
    wait_for_copies_out_to_read();
    __syncthreads();
    put_tile(middle_, tile_leading, 1, entries,
             [](int i, int j, T value) { return i <= j ? value : T(0); });
    order_copies_out();
    __syncthreads();
    if (whole) store_middle(upper.entry);
    load_before(entries, k);
    TileDivision<T>::multiply_from_right(left_, middle_);  // L(k, k - 1)
    wait_for_copies_out();
    __syncthreads();
    raise(k - 1, stored_inverses);
    Fragment<T> product;
    multiply_tiles(product, left_, right_, middle_);
    subtract(entries, product);
  }

  // The product of tiles (k, k - 1) and (k - 1, k) as others store them.
  __device__ void subtract_product_of_factors(Fragment<T>& entries, Index k) {
    const FrontTask task{.kind = TaskKind::diagonal, .tile_row = k, .tile_column = k};
    const TaskFactors<T> factors(problem_, task, shape_);
    Fragment<T> product;
    product.clear();
    PanelProducts<T>(factors, memory_.task, {}, k - 1).add(product, k);
    load_before(entries, k);
    subtract(entries, product);
  }

  // Stores the whole tile of the middle place, by the copy unit where there is one. By all threads,
  // behind a barrier; the place is read until wait_for_copies_out_to_read(), or the next barrier.
  __device__ void store_middle(T* to) const {
    const int thread = static_cast<int>(threadIdx.x);
    if constexpr (has_copy_unit) {
      if (thread >= tile) return;
      copy_bytes_out(to + thread * tile, middle_ + thread * tile_leading,
                     tile * static_cast<int>(sizeof(T)));
    } else {
      const int along = thread % (tile / 2) * 2;
#pragma unroll
      for (int own = thread / (tile / 2); own < tile; own += tile_threads / (tile / 2)) {
        const auto& two =
            *reinterpret_cast<const TwoEntries<T>*>(middle_ + own * tile_leading + along);
        store_results(to + own * tile + along, two.first, two.second);
      }
    }
  }

  __device__ static void subtract(Fragment<T>& entries, const Fragment<T>& product) {
#pragma unroll
    for (int y = 0; y < warp_blocks; ++y) {
#pragma unroll
      for (int x = 0; x < warp_blocks; ++x) {
        entries.entry[y][x][0] -= product.entry[y][x][0];
        entries.entry[y][x][1] -= product.entry[y][x][1];
      }
    }
  }

  const FrontProblem<T>& problem_;
  const FrontShape& shape_;
  const ChainedTiles<T>& tiles_;
  ChainMemory<T>& memory_;
  T *const left_, *const middle_, *const right_;
};

}  // namespace lufact::gpu::blocked
