// SPDX-License-Identifier: BSD-3-Clause
// The tiles on the diagonal of a dense matrix one after the other by one block, which waits for no
// tile of L or U in between: after tile k it divides the tiles below and right of it itself and
// subtracts their product from the next one. Others divide the same tiles again, for their own
// products. From tile to tile the way through two other blocks took 10 of 26 us on an H200
// (docs/dense.md).
#pragma once
#include <cstdio>
#include "core/fronts/plan/diagonal_tiles.hpp"
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
    int late = 0;
    t0 = clock64();
    load_before(entries, 0);
#pragma unroll 1
    for (Index k = 0;; ++k) {
      eliminate(entries, k);
      __syncthreads(); tick(0);
      const bool is_last = k + 1 == shape_.tiles;
      const unsigned there = is_last || threadIdx.x != 0 ? 0U : peek_word(word(k + 1));
      put(middle_, 1, tile_leading, entries,
          [](int i, int j, T value) { return i > j ? value : i == j ? T(1) : T(0); });
      if (threadIdx.x == 0) note(there);
      const bool small = has_small_inverses(entries, memory_.bound);
      const bool at_hand = memory_.at_hand != 0;
      tick(1); if (!at_hand) ++late;
      if (at_hand && small) copy_factors(k + 1);
      if (is_last || !small) {
        if (!small) keep_factors(entries, k);
        store_triangles(problem_.factors, shape_, k, entries);
        __syncthreads();
        raise(k, small ? stored_inverses : stored_factors);
        if (is_last) {
        if (threadIdx.x == 0) printf("late %d of %d: elim %lld put/small %lld wait %lld storeL %lld waitcopies %lld divU %lld putU %lld storeU %lld divL %lld raise %lld Z %lld store %lld\n", late, k + 1, sum[0] / k, sum[1] / k, sum[2] / k, sum[3] / k, sum[4] / k, sum[5] / k, sum[6] / k, sum[7] / k, sum[8]/k, sum[9]/k, sum[10]/k, sum[11]/k);
        return;
        }
        wait_for_tiles(k + 1);
        subtract_product_of_factors(entries, k + 1);
      } else {
        if (!at_hand) {
          wait_for_tiles(k + 1);
          copy_factors(k + 1);
        }
        tick(2);
        subtract_product_of_inverses(entries, k + 1);
        tick(10);
      }
      store_tile_of<true>(entries, true, tiles_.of_chain(k + 1, ChainTile::diagonal));
      tick(11);
    }
  }

 private:
  long long sum[12] = {};
  long long t0;
  __device__ void tick(int n) { long long t1 = clock64(); sum[n] += t1 - t0; t0 = t1; }
  __device__ const unsigned* word(Index k) const { return chain_word(problem_.sync, shape_, k); }
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
  // subtracted, out of the inverses of L and U of tile k - 1, and stores these. A barrier has passed
  // since the inverse of L was put into the middle place.
  __device__ void subtract_product_of_inverses(Fragment<T>& entries, Index k) {
    const StoredTile<T> lower = lower_stored(problem_.factors, shape_, k - 1, k - 1);
    const StoredTile<T> upper = upper_stored(problem_.factors, shape_, k - 1, k - 1);
    const bool whole = lower.is_whole();
    if (whole) {
      store_middle(lower.entry);
    } else {
      store_triangles(problem_.factors, shape_, k - 1, entries);
    }
    tick(3);
    wait_for_copies<0>();
    __syncthreads();
    tick(4);
    divide_upper();
    __syncthreads();
    tick(5);
    put(middle_, tile_leading, 1, entries,
        [](int i, int j, T value) { return i <= j ? value : T(0); });
    __syncthreads();
    tick(6);
    if (whole) store_middle(upper.entry);
    tick(7);
    load_before(entries, k);
    divide_lower();
    __syncthreads();
    tick(8);
    raise(k - 1, stored_inverses);
    tick(9);
    Fragment<T> product;
    product.clear();
#pragma unroll 1
    for (int p = 0; p < tile; p += product_depth) {
      add_panel_product(product, left_ + p * tile_leading, right_ + p * tile_leading);
    }
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

  // Stores the whole tile of the middle place. By all threads, between barriers.
  __device__ void store_middle(T* to) const {
    const int along = static_cast<int>(threadIdx.x) % (tile / 2) * 2;
    const int first = static_cast<int>(threadIdx.x) / (tile / 2);
#pragma unroll
    for (int own = first; own < tile; own += tile_threads / (tile / 2)) {
      const auto& two =
          *reinterpret_cast<const TwoEntries<T>*>(middle_ + own * tile_leading + along);
      store_results(to + own * tile + along, two.first, two.second);
    }
  }

  // The right place's U(k - 1, k) = inverse of L times what it has; a warp has 16 columns, which no
  // other reads. The products' zeros above the diagonal are left out.
  __device__ void divide_upper() {
    T* const own = right_ + warp_number() * warp_share;
    T sum[warp_share / 8][tile / 16][2][2] = {};
#pragma unroll
    for (int k = 0; k < tile / block_order; ++k) {
      const T* const depth = own + k * block_order * tile_leading;
      const RightOperand<T> right[warp_share / 8] = {{depth, tile_leading},
                                                     {depth + block_order, tile_leading}};
#pragma unroll
      for (int g = k / 2; g < tile / 16; ++g) {
        const LeftOperand<T, 2> left(middle_ + k * block_order * tile_leading + g * 16,
                                     tile_leading);
#pragma unroll
        for (int y = 0; y < warp_share / 8; ++y) left.add_product(sum[y][g], right[y]);
      }
    }
    __syncwarp();
#pragma unroll
    for (int y = 0; y < warp_share / 8; ++y) {
#pragma unroll
      for (int x = 0; x < tile / block_order; ++x) {
        T* const to = own + (x * block_order + lane_.row) * tile_leading + y * block_order +
                      lane_.column;
        *reinterpret_cast<TwoEntries<T>*>(to) = {sum[y][x / 2][x % 2][0], sum[y][x / 2][x % 2][1]};
      }
    }
  }

  // The left place's L(k, k - 1) = what it has times the inverse of U; a warp has 16 rows. The
  // products' zeros below the diagonal are left out.
  __device__ void divide_lower() {
    T* const own = left_ + warp_number() * warp_share;
    T sum[tile / block_order][2][2] = {};
#pragma unroll
    for (int k = 0; k < tile / block_order; ++k) {
      const LeftOperand<T, 2> left(own + k * block_order * tile_leading, tile_leading);
#pragma unroll
      for (int y = k; y < tile / block_order; ++y) {
        left.add_product(sum[y], RightOperand<T>(middle_ + k * block_order * tile_leading +
                                                     y * block_order,
                                                 tile_leading));
      }
    }
    __syncwarp();
#pragma unroll
    for (int y = 0; y < tile / block_order; ++y) {
#pragma unroll
      for (int x = 0; x < 2; ++x) {
        T* const to = own + (y * block_order + lane_.column) * tile_leading + x * block_order +
                      lane_.row;
        to[0] = sum[y][x][0];
        to[tile_leading] = sum[y][x][1];
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

  // Puts body(row, column, entry) of every entry into a place.
  template <class Body>
  __device__ static void put(T* place, int row_step, int column_step, Fragment<T>& entries,
                             const Body& body) {
    const int row = BlockGroup::first_row(), column = BlockGroup::first_column();
    T* const to = place + row * row_step + column * column_step;
    entries.for_each([&](int i, int j, T& value) {
      to[i * row_step + j * column_step] = body(row + i, column + j, value);
    });
  }

  static constexpr int warp_share = tile / tile_warps;  // rows or columns of a warp
  static_assert(warp_share == 16);

  const FrontProblem<T>& problem_;
  const FrontShape& shape_;
  const ChainedTiles<T>& tiles_;
  ChainMemory<T>& memory_;
  T *const left_, *const middle_, *const right_;
  const LanePlace lane_;
};

}  // namespace lufact::gpu::blocked
