// SPDX-License-Identifier: BSD-3-Clause
#include "core/fronts/plan/diagonal_tiles.hpp"
#include "gpu/dense/ours/diagonal_chain.cuh"
#include "gpu/dense/ours/front_kernels.hpp"
#include "gpu/fronts/numeric/tile_task.cuh"
#include "gpu/runtime/block_memory.hpp"

namespace lufact::gpu::blocked {
namespace {

// Of a block, in shared memory.
template <class T, class Tiles>
using FrontMemory = std::conditional_t<has_chain<T, Tiles>, ChainMemory<T>, TileMemory<T>>;

// Blocks of a multiprocessor. With a chain shared memory has room for two of doubles. Without,
// floats would have room for a fourth: order 8192 takes 0.99 of the time with it, order 2048 1.3
// times (docs/dense.md).
template <class T, class Tiles>
constexpr int blocks_per_multiprocessor = has_chain<T, Tiles> ? 2 : 3;

// Tickets come in an order in which all tasks that a task waits for have been started before it.
// The block that draws the first one, of tile 0 on the diagonal, has the chain if there is one. It
// waits for tasks that others have started before any that waits for it; so there have to be two
// blocks.
template <class T, class Tiles>
__global__ void __launch_bounds__(tile_threads, blocks_per_multiprocessor<T, Tiles>)
    dense_front_kernel(const __grid_constant__ FrontProblem<T> problem,
                       const __grid_constant__ Tiles tiles) {
  extern __shared__ __align__(16) char dynamic[];
  auto& memory = *reinterpret_cast<FrontMemory<T, Tiles>*>(dynamic);
  __shared__ TaskRecord record;
  __shared__ BlocksAtHand<T> at_hand;
  __shared__ PanelBarriers barriers;
  barriers.init();
  TicketQueue queue(problem.sync.next_ticket);
#pragma unroll 1
  for (;;) {
    const Index ticket = queue.next();
    if (ticket >= problem.plan.tickets) break;
    if (threadIdx.x < warp_size) record.load(problem.plan.record[ticket]);
    __syncthreads();
    using Task = TileTask<T, Pivoting::fixed_rows, ProductWay::ring, Tiles>;
    if constexpr (!has_chain<T, Tiles>) {
      Task(problem, record, memory, barriers, at_hand, queue, tiles).run();
    } else if (record.task.kind == TaskKind::diagonal && record.task.tile_row == 0) {
      DiagonalChain<T>(problem, record.shape, tiles, memory).run();
    } else {
      Task(problem, record, memory.task, barriers, at_hand, queue, tiles).run();
    }
  }
}

constexpr int diagonal_threads = 256, diagonal_leading = tile + 1;
constexpr int thread_entries = 4;  // a thread has so many rows and columns of a product
static_assert(tile / thread_entries * (tile / thread_entries) == diagonal_threads);

// In shared memory.
template <class T>
struct DiagonalMemory {
  T tile_entry[tile][diagonal_leading];  // by columns
  T inverse[tile][diagonal_leading];     // of L by columns, of U by rows
};

// A block a tile on the diagonal that has inverses, of which the matrix, or the place of the chain,
// has the entries D before elimination: its U is L^-1 D, its L is D U^-1.
template <class T>
class DiagonalTile {
 public:
  __device__ DiagonalTile(const FrontShape& shape, const ChainedTiles<T>& tiles,
                          DiagonalMemory<T>& memory)
      : shape_(shape), memory_(memory), k_(static_cast<Index>(blockIdx.x)) {
    const Index first = k_ * shape.pivot_width;
    pivots_ = min(shape.pivot_width, shape.pivots - first);
    ld_ = tiles.ld;
    to_ = tiles.entry + first * (tiles.ld + 1);
    const bool of_chain = tiles.left_for_chain != nullptr && k_ > 0;
    from_ = of_chain ? tiles.of_chain(k_, ChainTile::diagonal).entry : to_;
    from_ld_ = of_chain ? tile : ld_;
  }

  __device__ void run(const T* factors, const unsigned* flag) {
    if (flag[shape_.flags + lower_tile(shape_, k_, k_)] == stored_factors) return;
    for_entries([&](int along, int depth) {
      memory_.tile_entry[depth][along] =
          inside(along, depth) ? from_[depth * from_ld_ + along] : T(0);
    });
    load_inverse(upper_stored(factors, shape_, k_, k_));
    T lower[thread_entries][thread_entries] = {};
    multiply(
        lower, [&](int i, int p) { return memory_.tile_entry[p][i]; },
        [&](int p, int j) { return memory_.inverse[p][j]; });
    __syncthreads();
    load_inverse(lower_stored(factors, shape_, k_, k_));
    T upper[thread_entries][thread_entries] = {};
    multiply(
        upper, [&](int i, int p) { return memory_.inverse[p][i]; },
        [&](int p, int j) { return memory_.tile_entry[j][p]; });
    store(upper, lower);
  }

 private:
  __device__ bool inside(int row, int column) const { return max(row, column) < pivots_; }

  template <class Body>
  __device__ static void for_entries(const Body& body) {
    for (int e = static_cast<int>(threadIdx.x); e < tile * tile; e += diagonal_threads) {
      body(e % tile, e / tile);
    }
  }
  __device__ void load_inverse(const StoredTile<const T>& from) {
    for_entries([&](int along, int depth) {
      memory_.inverse[depth][along] =
          inside(along, depth) ? from.entry[depth * from.rows + along] : T(0);
    });
    __syncthreads();
  }

  __device__ static int row(int x) {
    return static_cast<int>(threadIdx.x) % (tile / thread_entries) + x * (tile / thread_entries);
  }
  __device__ static int column(int y) {
    return static_cast<int>(threadIdx.x) / (tile / thread_entries) + y * (tile / thread_entries);
  }

  template <class Left, class Right>
  __device__ void multiply(T (&sum)[thread_entries][thread_entries], const Left& left,
                           const Right& right) const {
#pragma unroll 4
    for (int p = 0; p < tile; ++p) {
      T factor[thread_entries];
#pragma unroll
      for (int x = 0; x < thread_entries; ++x) factor[x] = left(row(x), p);
#pragma unroll
      for (int y = 0; y < thread_entries; ++y) {
        const T other = right(p, column(y));
#pragma unroll
        for (int x = 0; x < thread_entries; ++x) sum[x][y] = fma(factor[x], other, sum[x][y]);
      }
    }
  }

  __device__ void store(const T (&upper)[thread_entries][thread_entries],
                        const T (&lower)[thread_entries][thread_entries]) const {
#pragma unroll
    for (int y = 0; y < thread_entries; ++y) {
#pragma unroll
      for (int x = 0; x < thread_entries; ++x) {
        const int i = row(x), j = column(y);
        if (!inside(i, j)) continue;
        to_[j * ld_ + i] = i > j ? lower[x][y] : upper[x][y];
      }
    }
  }

  const FrontShape& shape_;
  DiagonalMemory<T>& memory_;
  const Index k_;
  Index pivots_;
  Offset ld_, from_ld_;
  T* to_;
  const T* from_;
};

template <class T>
__global__ void __launch_bounds__(diagonal_threads)
    diagonal_tiles_kernel(const __grid_constant__ FrontShape shape,
                          const __grid_constant__ ChainedTiles<T> tiles, const T* factors,
                          const unsigned* flag) {
  extern __shared__ __align__(16) char dynamic[];
  auto& memory = *reinterpret_cast<DiagonalMemory<T>*>(dynamic);
  DiagonalTile<T>(shape, tiles, memory).run(factors, flag);
}

// Lets the kernel have the shared memory, and gives the blocks of it that run at once on the whole
// card.
template <class Kernel>
Offset resident_blocks(const DeviceSession& session, Kernel* kernel, int threads,
                       std::size_t memory) {
  LUFACT_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(memory)));
  int resident = 0;
  LUFACT_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, threads, memory));
  return Offset{resident} * session.sm_count();
}

// The same of a kernel of tile tasks, and of the one that comes after it.
template <class T, class Kernel>
Offset resident_task_blocks(const DeviceSession& session, Kernel* kernel, std::size_t memory) {
  resident_blocks(session, diagonal_tiles_kernel<T>, diagonal_threads, sizeof(DiagonalMemory<T>));
  return resident_blocks(session, kernel, tile_threads, memory);
}

}  // namespace

template <class T>
Offset resident_front_blocks(const DeviceSession& session) {
  return resident_task_blocks<T>(session, dense_front_kernel<T, DenseTiles<T>>,
                                 sizeof(TileMemory<T>));
}

template <class T>
Offset resident_chained_blocks(const DeviceSession& session) {
  if (sizeof(ChainMemory<T>) > most_shared_bytes()) return 0;
  return resident_task_blocks<T>(session, dense_front_kernel<T, ChainedTiles<T>>,
                                 sizeof(ChainMemory<T>));
}

template <class T>
void factor_front(DeviceSession& session, Offset blocks, const FrontProblem<T>& problem,
                  const FrontShape& shape, const ChainedTiles<T>& tiles) {
  const DenseTiles<T>& matrix = tiles;
  if (tiles.left_for_chain != nullptr) {
    launch(session, {blocks, tile_threads, sizeof(ChainMemory<T>)},
           dense_front_kernel<T, ChainedTiles<T>>, problem, tiles);
  } else {
    launch(session, {blocks, tile_threads, sizeof(TileMemory<T>)},
           dense_front_kernel<T, DenseTiles<T>>, problem, matrix);
  }
  launch(session, {shape.pivot_tiles, diagonal_threads, sizeof(DiagonalMemory<T>)},
         diagonal_tiles_kernel<T>, shape, tiles, problem.factors, problem.sync.flag);
}

#define LUFACT_FRONT_KERNELS_OF(T)                                                              \
  template Offset resident_front_blocks<T>(const DeviceSession&);                               \
  template Offset resident_chained_blocks<T>(const DeviceSession&);                             \
  template void factor_front(DeviceSession&, Offset, const FrontProblem<T>&, const FrontShape&, \
                             const ChainedTiles<T>&);
LUFACT_FRONT_KERNELS_OF(float)
LUFACT_FRONT_KERNELS_OF(double)
#undef LUFACT_FRONT_KERNELS_OF

}  // namespace lufact::gpu::blocked
