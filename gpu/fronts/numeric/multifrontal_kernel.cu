// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "gpu/fronts/numeric/multifrontal_kernel.hpp"
#include "gpu/fronts/numeric/take_tickets.cuh"

namespace lufact::gpu {
namespace {

template <class T, Pivoting pivoting, ProductWay way>
__global__ void __launch_bounds__(tile_threads, elimination_blocks)
    multifrontal_kernel(const __grid_constant__ FrontProblem<T> problem) {
  take_tickets<T, pivoting, way>(problem);
}

template <class T, ProductWay way>
auto kernel_by(Pivoting pivoting) {
  return pivoting == Pivoting::fixed_rows ? multifrontal_kernel<T, Pivoting::fixed_rows, way>
                                          : multifrontal_kernel<T, Pivoting::diagonal_block, way>;
}
template <class T>
auto kernel_with(Pivoting pivoting, ProductWay way) {
  if constexpr (std::is_same_v<T, double>) {
    if (way == ProductWay::ring) return kernel_by<T, ProductWay::ring>(pivoting);
  }
  return kernel_by<T, ProductWay::panels>(pivoting);
}

}  // namespace

template <class T>
Offset resident_blocks(DeviceSession& session, Pivoting pivoting, ProductWay way) {
  const auto kernel = kernel_with<T>(pivoting, way);
  LUFACT_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   task_memory_bytes<T>));
  int resident = 0;
  LUFACT_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, tile_threads,
                                                            task_memory_bytes<T>));
  return Offset{resident} * session.sm_count();
}

template <class T>
void eliminate_fronts(DeviceSession& session, const FrontProblem<T>& problem, Pivoting pivoting,
                      ProductWay way, Offset blocks) {
  launch_early(session,
               {std::min<Offset>(blocks, problem.plan.tickets), tile_threads,
                static_cast<std::size_t>(task_memory_bytes<T>)},
               kernel_with<T>(pivoting, way), problem);
}

template Offset resident_blocks<float>(DeviceSession&, Pivoting, ProductWay);
template Offset resident_blocks<double>(DeviceSession&, Pivoting, ProductWay);

template void eliminate_fronts(DeviceSession&, const FrontProblem<float>&, Pivoting, ProductWay,
                               Offset);
template void eliminate_fronts(DeviceSession&, const FrontProblem<double>&, Pivoting, ProductWay,
                               Offset);

}  // namespace lufact::gpu
