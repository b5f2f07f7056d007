// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <cuda/atomic>
#include <string>

#include "core/base/error.hpp"
#include "gpu/components/quick_reciprocal.cuh"
#include "gpu/components/stream_launch.cuh"
#include "gpu/dense/ours/panel_kernels.hpp"
#include "gpu/dense/ours/panel_messages.cuh"
#include "gpu/dense/ours/pivot_candidates.cuh"
#include "gpu/dense/ours/row_moves.cuh"

namespace lufact::gpu::blocked {
namespace {

constexpr int panel_threads = 256;  // without pivoting, and of tall panels
// Of panels that a cluster of 8 blocks holds: a look at an entry of the pivot's row serves two
// rows, and few warps ask for it.
constexpr int few_threads = 128;

__device__ int lane_of_warp() {
  return static_cast<int>(threadIdx.x % warp_size);
}
__device__ int warp_of_block() {
  return static_cast<int>(threadIdx.x / warp_size);
}

template <class T>
__device__ Divisor<T> divisor_of(T pivot) {
  return {pivot, quick_reciprocal(pivot), is_quick(pivot)};
}

// Row `row` of the panel, by the thread that holds it as its r-th; zeros behind the last column.
template <class T, int W, int R>
__device__ void load_row(const Panel<T>& panel, PanelRows<T, W, R>& rows, int r, Index row,
                         bool exists) {
  rows.place(r, exists ? row : -1);
#pragma unroll
  for (int c = 0; c < W; ++c) {
    rows.entry(r, c) = exists && c < panel.columns ? panel.a[c * panel.ld + row] : T(0);
  }
}

// After W steps, of which the last ones may have had no column.
template <class T, int W, int R>
__device__ void store_rows(const Panel<T>& panel, PanelRows<T, W, R>& rows) {
  for (Index step = panel.columns; step < W; ++step) rows.pass();
#pragma unroll
  for (int r = 0; r < R; ++r) {
    if (rows.position(r) < 0) continue;
    T* const to = panel.a + rows.position(r);
#pragma unroll
    for (int c = 0; c < W; ++c) {
      if (c < panel.columns) to[c * panel.ld] = rows.entry(r, c);
    }
  }
}

// The first zero pivot, seen by one thread of the grid.
class ZeroPivot {
 public:
  __device__ void look_at(Index step, bool is_zero) {
    if (is_zero && step_ < 0) step_ = step;
  }
  template <class T>
  __device__ void report(const Panel<T>& panel) const {
    if (step_ >= 0 && *panel.info == 0) *panel.info = panel.first + step_ + 1;
  }

 private:
  Index step_ = -1;
};

// With partial pivoting. All blocks run at once, and each learns the pivot of every step: with one
// step a block finds the best of its own rows, sends it, and takes the best of what all have sent.
// Ties are broken by position, so that nothing depends on which block holds a row.
template <class T, int W, int R, int kThreads, class Mail>
class PivotedPanel {
  static constexpr int warps = kThreads / warp_size;
  // Of the candidates of blocks every warp keeps the best one's row, or the block all of them.
  static constexpr int kept = Mail::is_near ? warps : Mail::most_blocks;

 public:
  struct Memory {
    SharedCandidate<T, W> of_warp[2][warps], of_block[kept];
    Index origin[W];  // of the pivot of each step
    typename Mail::Memory mail;
  };

  __device__ PivotedPanel(const Panel<T>& panel, Memory& memory)
      : panel_(panel), memory_(memory), mail_(panel.mailbox, memory.mail) {}

  __device__ void run() {
#pragma unroll
    for (int r = 0; r < R; ++r) {
      const Index row = row_of(r);
      load_row(panel_, rows_, r, row, row < panel_.rows);
    }
    mail_.open();
#pragma unroll 1
    for (Index step = 0; step < panel_.columns; ++step) eliminate(step, find_pivot(step));
    store_rows(panel_, rows_);
    note_end();
    exchange_left_columns();
    mail_.close();
  }

 private:
  __device__ static Index row_of(int r) {
    return (static_cast<Index>(blockIdx.x) * R + r) * kThreads + static_cast<Index>(threadIdx.x);
  }

  // One barrier of the block, or two where there are several blocks. Of what is written before the
  // first, `of_warp`, there are two, since with one block others may still read the last step's.
  __device__ const SharedCandidate<T, W>& find_pivot(Index step) {
    SharedCandidate<T, W>* const own = memory_.of_warp[step % 2];
    offer_best(
        rows_, step, W - step, [](int r) { return row_of(r); }, own[warp_of_block()]);
    __syncthreads();
    if (gridDim.x == 1) return best_candidate(own, warps);
    send(step, best_candidate(own, warps));
    if constexpr (Mail::is_near) {
      return receive_best(step);
    } else {
      receive(step);
      __syncthreads();
      return best_candidate(memory_.of_block, static_cast<int>(gridDim.x));
    }
  }

  // Every warp looks at all messages, a lane each, and takes the best one's row: no barrier.
  __device__ const SharedCandidate<T, W>& receive_best(Index step) const {
    const unsigned stamp = mail_.stamp(step);
    const int lane = lane_of_warp();
    TwoWords places{}, entry{};
    Candidate<T> own;
    if (lane < static_cast<int>(gridDim.x)) {
      const auto block = static_cast<unsigned>(lane);
      do {
        places = mail_.places(step, block);
        entry = mail_.entry(step, block, 0);
      } while (!has_stamp(places, stamp) || !has_stamp(entry, stamp));
      T value;
      unpack(entry, value);
      const auto position = static_cast<Index>(static_cast<unsigned>(places.first));
      if (position != no_position) own.take_better(pivot_key(value), position);
    }
    __syncwarp();
    const Index position = best_position(own);
    const int holder =
        __ffs(static_cast<int>(__ballot_sync(full_warp, own.position == position))) - 1;
    const auto origin =
        static_cast<Index>(__shfl_sync(full_warp, static_cast<unsigned>(places.second), holder));
    SharedCandidate<T, W>& best = memory_.of_block[warp_of_block()];
    if (lane < W) {
      do {
        entry = mail_.entry(step, static_cast<unsigned>(holder), lane);
      } while (!has_stamp(entry, stamp));
      unpack(entry, best.row[lane]);
    }
    if (lane == 0) {
      best.position = position;
      best.origin = origin;
    }
    __syncwarp();
    return best;
  }

  __device__ void send(Index step, const SharedCandidate<T, W>& best) const {
    const unsigned stamp = mail_.stamp(step);
    const int lane = lane_of_warp();
    MessagePart part{};
    part.lane = lane;
    part.has_entry = lane < W;
    part.places = {stamped(static_cast<unsigned>(best.position), stamp),
                   stamped(static_cast<unsigned>(best.origin), stamp)};
    if (part.has_entry) part.entry = pack(best.row[lane], stamp);
    mail_.send(step, part);
  }

  // Warp w takes the messages of blocks w, w + warps, ...; several at a time, since each may
  // be a way to the second-level cache and back.
  __device__ void receive(Index step) const {
    constexpr int at_once = 4;
    const int blocks = static_cast<int>(gridDim.x), lane = lane_of_warp();
    const unsigned stamp = mail_.stamp(step);
    for (int first = warp_of_block(); first < blocks; first += at_once * warps) {
      TwoWords places[at_once], entry[at_once];
      bool complete = false;
      while (!complete) {
        complete = true;
#pragma unroll
        for (int k = 0; k < at_once; ++k) {
          const int block = first + k * warps;
          if (block >= blocks) continue;
          places[k] = mail_.places(step, static_cast<unsigned>(block));
          entry[k] = mail_.entry(step, static_cast<unsigned>(block), lane < W ? lane : 0);
          complete = complete && has_stamp(places[k], stamp) && has_stamp(entry[k], stamp);
        }
      }
      __syncwarp();
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        const int block = first + k * warps;
        if (block < blocks) take(memory_.of_block[block], places[k], entry[k]);
      }
    }
  }
  __device__ static void take(SharedCandidate<T, W>& to, const TwoWords& places,
                              const TwoWords& entry) {
    const int lane = lane_of_warp();
    T value;
    unpack(entry, value);
    if (lane < W) to.row[lane] = value;
    if (lane != 0) return;
    to.position = static_cast<Index>(static_cast<unsigned>(places.first));
    to.origin = static_cast<Index>(static_cast<unsigned>(places.second));
    to.key = to.position == no_position ? 0 : pivot_key(value);
  }

  __device__ void eliminate(Index step, const SharedCandidate<T, W>& pivot) {
    const Divisor<T> divisor = divisor_of(pivot.row[0]);
    rows_.exchange(step, pivot.position);
    top_ = rows_.exchanged(top_, step, pivot.position);
    if (threadIdx.x == 0) {
      memory_.origin[step] = pivot.origin;
      if (blockIdx.x == 0) note(step, pivot);
    }
    rows_.eliminate(step, pivot.row, divisor);
  }

  __device__ void note(Index step, const SharedCandidate<T, W>& pivot) {
    panel_.pivots[step] = panel_.first + pivot.position + 1;
    panel_.origin[step] = panel_.first + pivot.origin;
    zero_.look_at(step, pivot.row[0] == T(0));
  }

  __device__ void note_end() const {
    if (blockIdx.x != 0) return;
    if (threadIdx.x == 0) zero_.report(panel_);
    if (threadIdx.x < panel_.columns) panel_.destination[threadIdx.x] = panel_.first + top_;
  }

  // A column a warp of the grid, four at a time.
  __device__ void exchange_left_columns() const {
    if (panel_.left == 0) return;
    __syncthreads();
    constexpr int at_once = 4;
    const int lane = lane_of_warp();
    const RowMove move{panel_.columns, lane < panel_.columns ? memory_.origin[lane] : 0, top_};
    const Index all_warps = static_cast<Index>(gridDim.x) * warps;
    const Index own = static_cast<Index>(blockIdx.x) * warps + warp_of_block();
    for (Index column = own; column < panel_.left; column += at_once * all_warps) {
      const Index count = (panel_.left - column + all_warps - 1) / all_warps;
      move_rows<at_once>(panel_.a + (column - panel_.left) * panel_.ld, all_warps * panel_.ld,
                         min(count, at_once), move);
    }
  }

  const Panel<T>& panel_;
  Memory& memory_;
  const Mail mail_;
  PanelRows<T, W, R> rows_;
  Index top_ = static_cast<Index>(threadIdx.x % warp_size);  // where this row of the first is now
  ZeroPivot zero_;
};

template <class T, int W, int R, int kThreads, class Mail>
__global__ void __launch_bounds__(kThreads, 1)
    pivoted_panel_kernel(const __grid_constant__ Panel<T> panel) {
  static_assert(W <= warp_size && W <= widest_message);
  __shared__ typename PivotedPanel<T, W, R, kThreads, Mail>::Memory memory;
  PivotedPanel<T, W, R, kThreads, Mail>(panel, memory).run();
}

// Whether this block is the last whose threads have read the panel's first rows: it may overwrite
// them. By all threads of the block.
__device__ bool is_last_to_load(unsigned* loaded) {
  __shared__ bool is_last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> count(*loaded);
    is_last = count.fetch_add(1, cuda::memory_order_acq_rel) + 1 == gridDim.x;
    if (is_last) count.store(0, cuda::memory_order_relaxed);
  }
  __syncthreads();
  return is_last;
}

// Without pivoting. Threads below W hold the panel's first rows, in every block, so that no block
// waits for another; panel_threads more hold the block's own.
template <class T, int W>
__global__ void __launch_bounds__(W + panel_threads, 1)
    plain_panel_kernel(const __grid_constant__ Panel<T> panel) {
  __shared__ alignas(16) T pivot_row[2][W];
  const auto thread = static_cast<Index>(threadIdx.x);
  const bool is_top = thread < W;
  const Index row =
      is_top ? thread : panel.columns + static_cast<Index>(blockIdx.x) * panel_threads + thread - W;
  PanelRows<T, W, 1> rows;
  load_row(panel, rows, 0, row, row < (is_top ? panel.columns : panel.rows));
  const bool stores_top = is_last_to_load(panel.loaded);
  ZeroPivot zero;
#pragma unroll 1
  for (Index step = 0; step < panel.columns; ++step) {
    T* const shared = pivot_row[step % 2];
    if (thread == step) {
#pragma unroll
      for (int c = 0; c < W; ++c) shared[c] = c < W - step ? rows.entry(0, c) : T(0);
    }
    __syncthreads();
    zero.look_at(step, shared[0] == T(0));
    rows.eliminate(step, shared, divisor_of(shared[0]));
  }
  if (is_top && !stores_top) rows.place(0, -1);
  store_rows(panel, rows);
  if (blockIdx.x == 0 && thread == 0) zero.report(panel);
}

template <class T>
using PanelKernel = void (*)(Panel<T>);

template <class T>
PanelKernel<T> grid_kernel(int rows_per_thread) {
  switch (rows_per_thread) {
    case 2:
      return pivoted_panel_kernel<T, 32, 2, panel_threads, GridMail>;
    case 4:
      return pivoted_panel_kernel<T, 16, 4, panel_threads, GridMail>;
    case 8:
      return pivoted_panel_kernel<T, 8, 8, panel_threads, GridMail>;
    case 16:
      return pivoted_panel_kernel<T, 4, 16, panel_threads, GridMail>;
    default:
      return pivoted_panel_kernel<T, 2, 32, panel_threads, GridMail>;
  }
}
template <class T>
PanelKernel<T> cluster_kernel(int threads) {
  return threads == few_threads ? pivoted_panel_kernel<T, 32, 2, few_threads, ClusterMail>
                                : pivoted_panel_kernel<T, 32, 2, panel_threads, ClusterMail>;
}

constexpr std::array pivoted_shapes{PanelShape{32, 2}, PanelShape{16, 4}, PanelShape{8, 8},
                                    PanelShape{4, 16}, PanelShape{2, 32}};
constexpr PanelShape plain_shape{64, 1};
constexpr int enough_blocks = 8;  // a smaller cluster finds room sooner

constexpr Offset rows_of_block(int threads, int rows_per_thread) {
  return Offset{threads} * rows_per_thread;
}

cudaLaunchConfig_t cluster_launch(cudaStream_t stream, Offset blocks, int threads,
                                  cudaLaunchAttribute& size) {
  size.id = cudaLaunchAttributeClusterDimension;
  size.val.clusterDim = {static_cast<unsigned>(blocks), 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.stream = stream;
  config.attrs = &size;
  config.numAttrs = 1;
  return config;
}

template <class T>
bool holds_cluster(int blocks) {
  const auto kernel = cluster_kernel<T>(panel_threads);
  cudaLaunchAttribute size{};
  const cudaLaunchConfig_t config = cluster_launch(nullptr, blocks, panel_threads, size);
  int clusters = 0;
  const cudaError_t status = cudaOccupancyMaxActiveClusters(&clusters, kernel, &config);
  cudaGetLastError();
  return status == cudaSuccess && clusters > 0;
}

// The largest cluster that the card can run; 0 where it, or the code compiled for it, has none.
template <class T>
int largest_cluster() {
  const auto kernel = cluster_kernel<T>(panel_threads);
  if (!can_start_early(reinterpret_cast<const void*>(kernel))) return 0;
  LUFACT_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  int blocks = most_cluster_blocks;
  while (blocks > 1 && !holds_cluster<T>(blocks)) blocks /= 2;
  return blocks > 1 ? blocks : 0;
}

template <class T>
void launch_pivoted(cudaStream_t stream, const PanelShape& shape, const Panel<T>& panel) {
  const int each = shape.rows_per_thread;
  const bool few = panel.rows <= enough_blocks * rows_of_block(few_threads, each);
  const int threads = few ? few_threads : panel_threads;
  const Offset blocks = ceil_div(panel.rows, rows_of_block(threads, each));
  if (blocks <= shape.cluster_blocks) {
    cudaLaunchAttribute size{};
    const cudaLaunchConfig_t config = cluster_launch(stream, blocks, threads, size);
    LUFACT_CUDA(cudaLaunchKernelEx(&config, cluster_kernel<T>(threads), panel));
  } else {
    launch_cooperative_on(stream,
                          {ceil_div(panel.rows, rows_of_block(panel_threads, each)), panel_threads},
                          grid_kernel<T>(each), panel);
  }
}

}  // namespace

template <class T>
PanelShape panel_shape(const DeviceSession& session, ArrayPivoting pivoting, Index rows) {
  if (pivoting == ArrayPivoting::none) return plain_shape;
  const int blocks = std::min(session.sm_count(), most_panel_blocks);
  for (PanelShape shape : pivoted_shapes) {
    if (rows > rows_of_block(panel_threads, shape.rows_per_thread) * blocks) continue;
    if (shape.rows_per_thread == 2) shape.cluster_blocks = largest_cluster<T>();
    return shape;
  }
  throw Error(
      Outcome::unsupported, "too_tall",
      "this card holds panels of at most " +
          std::to_string(rows_of_block(panel_threads, pivoted_shapes.back().rows_per_thread) *
                         blocks) +
          " rows, the matrix has " + std::to_string(rows));
}

template <class T>
void factor_panel(cudaStream_t stream, ArrayPivoting pivoting, const PanelShape& shape,
                  const Panel<T>& panel) {
  if (pivoting == ArrayPivoting::partial) return launch_pivoted(stream, shape, panel);
  const Offset below = panel.rows - panel.columns;
  launch_on(
      stream,
      {std::max(Offset{1}, ceil_div(below, panel_threads)), plain_shape.width + panel_threads},
      plain_panel_kernel<T, plain_shape.width>, panel);
}

template PanelShape panel_shape<float>(const DeviceSession&, ArrayPivoting, Index);
template PanelShape panel_shape<double>(const DeviceSession&, ArrayPivoting, Index);
template void factor_panel(cudaStream_t, ArrayPivoting, const PanelShape&, const Panel<float>&);
template void factor_panel(cudaStream_t, ArrayPivoting, const PanelShape&, const Panel<double>&);

}  // namespace lufact::gpu::blocked
