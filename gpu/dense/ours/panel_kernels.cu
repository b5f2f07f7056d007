// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <string>

#include "core/base/error.hpp"
#include "gpu/components/stream_launch.cuh"
#include "gpu/dense/ours/panel_kernels.hpp"
#include "gpu/dense/ours/pivoted_panel.cuh"
#include "gpu/dense/ours/plain_panel.cuh"
#include "gpu/runtime/block_memory.hpp"

namespace lufact::gpu::blocked {
namespace {

template <class T, class Rows, class Mail>
__global__ void __launch_bounds__(panel_threads, 1)
    pivoted_panel_kernel(const __grid_constant__ Panel<T> panel) {
  static_assert(Rows::width <= warp_size && Rows::width <= widest_message);
  extern __shared__ __align__(32) char bytes[];
  using Pivoted = PivotedPanel<T, Rows, Mail>;
  Pivoted(panel, *reinterpret_cast<typename Pivoted::Memory*>(bytes)).run();
}

template <class T>
struct PanelKernel {
  void (*start)(Panel<T>);
  std::size_t shared_bytes;

  const void* address() const { return reinterpret_cast<const void*>(start); }
};

template <class T, class Rows, class Mail = GridMail>
PanelKernel<T> kernel_of() {
  return {pivoted_panel_kernel<T, Rows, Mail>,
          sizeof(typename PivotedPanel<T, Rows, Mail>::Memory)};
}

// As many columns as shared memory has room for.
template <class T>
constexpr int shared_width(int rows_per_thread) {
  return static_cast<int>(512 / sizeof(T)) / rows_per_thread;
}
template <class T, int R>
using TallRows = SharedRows<T, shared_width<T>(R), R>;

template <class T>
PanelKernel<T> grid_kernel(int rows_per_thread) {
  switch (rows_per_thread) {
    case 1:
      return kernel_of<T, PanelRows<T, 32, 1>>();
    case 2:
      return kernel_of<T, PanelRows<T, 32, 2>>();
    case 4:
      return kernel_of<T, PanelRows<T, 16, 4>>();
    case 8:
      return kernel_of<T, TallRows<T, 8>>();
    case 16:
      return kernel_of<T, TallRows<T, 16>>();
    default:
      return kernel_of<T, TallRows<T, 32>>();
  }
}
template <class T>
PanelKernel<T> cluster_kernel(int rows_per_thread) {
  return rows_per_thread == 1 ? kernel_of<T, PanelRows<T, 32, 1>, ClusterMail>()
                              : kernel_of<T, PanelRows<T, 32, 2>, ClusterMail>();
}

template <class T>
void allow_shared(const PanelKernel<T>& kernel) {
  LUFACT_CUDA(cudaFuncSetAttribute(kernel.address(), cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(kernel.shared_bytes)));
}

template <class T>
constexpr std::array pivoted_shapes{
    PanelShape{32, 2}, PanelShape{16, 4}, PanelShape{shared_width<T>(8), 8},
    PanelShape{shared_width<T>(16), 16}, PanelShape{shared_width<T>(32), 32}};
constexpr int plain_width = 64, few_plain_threads = 64;  // without pivoting
// Panels of more blocks are given two rows a thread: every block reads the messages of all others,
// and a smaller cluster finds room sooner. So are those of two blocks, which then need no messages.
constexpr int enough_blocks = 8;

constexpr Offset rows_of_block(int rows_per_thread) {
  return Offset{panel_threads} * rows_per_thread;
}

int rows_per_thread(const PanelShape& shape, Index rows) {
  const Offset blocks = ceil_div(rows, rows_of_block(1));
  const bool few = shape.rows_per_thread == 2 && blocks != 2 && blocks <= enough_blocks;
  return few ? 1 : shape.rows_per_thread;
}

cudaLaunchConfig_t cluster_launch(cudaStream_t stream, int blocks, std::size_t shared_bytes,
                                  cudaLaunchAttribute& size) {
  size.id = cudaLaunchAttributeClusterDimension;
  size.val.clusterDim = {static_cast<unsigned>(blocks), 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(panel_threads);
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  config.attrs = &size;
  config.numAttrs = 1;
  return config;
}

template <class T>
bool holds_cluster(int blocks) {
  const PanelKernel<T> kernel = cluster_kernel<T>(2);
  cudaLaunchAttribute size{};
  const cudaLaunchConfig_t config = cluster_launch(nullptr, blocks, kernel.shared_bytes, size);
  int clusters = 0;
  const cudaError_t status = cudaOccupancyMaxActiveClusters(&clusters, kernel.start, &config);
  cudaGetLastError();
  return status == cudaSuccess && clusters > 0;
}

// The largest cluster that the card can run; 0 where it, or the code compiled for it, has none.
template <class T>
int largest_cluster() {
  if (!has_code_for_9_0(cluster_kernel<T>(2).address())) return 0;
  for (const int rows : {1, 2}) {
    const PanelKernel<T> kernel = cluster_kernel<T>(rows);
    allow_shared(kernel);
    LUFACT_CUDA(
        cudaFuncSetAttribute(kernel.address(), cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  }
  int blocks = most_cluster_blocks;
  while (blocks > 1 && !holds_cluster<T>(blocks)) blocks /= 2;
  return blocks > 1 ? blocks : 0;
}

// As few rows in a block as make no more blocks than run at once: what a block does for its own
// rows takes as long as it has warps.
template <class T>
void launch_plain(cudaStream_t stream, const PanelShape& shape, const Panel<T>& panel) {
  const Offset below = panel.rows - panel.columns;
  const bool few = below <= Offset{few_plain_threads} * shape.resident_blocks;
  const int threads = few ? few_plain_threads : panel_threads;
  const auto kernel = few ? plain_panel_kernel<T, plain_width, few_plain_threads>
                          : plain_panel_kernel<T, plain_width, panel_threads>;
  launch_on(stream,
            {std::max(Offset{1}, ceil_div(below, threads)), plain_width + threads,
             sizeof(PlainPanelMemory<T, plain_width>)},
            kernel, panel);
}

template <class T>
void launch_pivoted(cudaStream_t stream, const PanelShape& shape, const Panel<T>& panel) {
  const int rows = rows_per_thread(shape, panel.rows);
  const Offset blocks = ceil_div(panel.rows, rows_of_block(rows));
  if (blocks > 1 && blocks <= shape.cluster_blocks) {
    const PanelKernel<T> kernel = cluster_kernel<T>(rows);
    cudaLaunchAttribute size{};
    const cudaLaunchConfig_t config =
        cluster_launch(stream, static_cast<int>(blocks), kernel.shared_bytes, size);
    LUFACT_CUDA(cudaLaunchKernelEx(&config, kernel.start, panel));
  } else {
    const PanelKernel<T> kernel = grid_kernel<T>(rows);
    allow_shared(kernel);
    launch_cooperative_on(stream, {blocks, panel_threads, kernel.shared_bytes}, kernel.start,
                          panel);
  }
}

}  // namespace

template <class T>
PanelShape panel_shape(const DeviceSession& session, ArrayPivoting pivoting, Index rows) {
  if (pivoting == ArrayPivoting::none) {
    return {.width = plain_width, .rows_per_thread = 1, .resident_blocks = session.sm_count()};
  }
  const int blocks = std::min(session.sm_count(), most_panel_blocks);
  const std::size_t shared_bytes = most_shared_bytes();
  Offset most = 0;
  for (PanelShape shape : pivoted_shapes<T>) {
    if (grid_kernel<T>(shape.rows_per_thread).shared_bytes > shared_bytes) continue;
    most = rows_of_block(shape.rows_per_thread) * blocks;
    if (rows > most) continue;
    if (shape.rows_per_thread == 2) shape.cluster_blocks = largest_cluster<T>();
    return shape;
  }
  throw Error(Outcome::unsupported, "too_tall",
              "this card holds panels of at most " + std::to_string(most) +
                  " rows, the matrix has " + std::to_string(rows));
}

template <class T>
void factor_panel(cudaStream_t stream, ArrayPivoting pivoting, const PanelShape& shape,
                  const Panel<T>& panel) {
  if (pivoting == ArrayPivoting::partial) return launch_pivoted(stream, shape, panel);
  launch_plain(stream, shape, panel);
}

template PanelShape panel_shape<float>(const DeviceSession&, ArrayPivoting, Index);
template PanelShape panel_shape<double>(const DeviceSession&, ArrayPivoting, Index);
template void factor_panel(cudaStream_t, ArrayPivoting, const PanelShape&, const Panel<float>&);
template void factor_panel(cudaStream_t, ArrayPivoting, const PanelShape&, const Panel<double>&);

}  // namespace lufact::gpu::blocked
