// SPDX-License-Identifier: BSD-3-Clause
// Kernels of gpu/dense/schemes, by the library's.
#include "gpu/dense/kernels/loaded_kernels.hpp"

namespace lufact::gpu::schemes {
namespace {

template <class Real>
const SchemeKernels<Real>& kernels() {
  if constexpr (sizeof(Real) == sizeof(float)) {
    return loaded_kernels().of_float_schemes;
  } else {
    return loaded_kernels().of_double_schemes;
  }
}

}  // namespace

template <class Real>
void launch_step(DeviceSession& session, const StepGrid& grid, const RowMatrix<Real>& a, Offset k) {
  kernels<Real>().launch_step(session, grid, a, k);
}
template <class Real>
cudaGraphNode_t add_step(cudaGraph_t graph, cudaGraphNode_t before, const StepGrid& grid,
                         const RowMatrix<Real>& a, Offset k) {
  return kernels<Real>().add_step(graph, before, grid, a, k);
}
template <class Real>
void launch_all_steps(DeviceSession& session, const StepGrid& grid, const RowMatrix<Real>& a) {
  kernels<Real>().launch_all_steps(session, grid, a);
}
void launch_barriers(DeviceSession& session, const StepGrid& grid, Index barriers) {
  kernels<double>().launch_barriers(session, grid, barriers);
}
template <class Real>
Offset resident_step_blocks(const DeviceSession& session, int threads) {
  return kernels<Real>().resident_step_blocks(session, threads);
}
template <class Real>
void subtract_product(cudaStream_t stream, DenseProduct product, Offset most_blocks,
                      const RowMatrix<Real>& l, const RowMatrix<Real>& u, const RowMatrix<Real>& a,
                      SchemeCounts& counts) {
  kernels<Real>().subtract_product(stream, product, most_blocks, l, u, a, counts);
}
template <class Real>
void solve_with_lower(cudaStream_t stream, const SolveSettings& settings,
                      const RowMatrix<Real>& factors, const RowMatrix<Real>& a,
                      SchemeCounts& counts) {
  kernels<Real>().solve_with_lower(stream, settings, factors, a, counts);
}
template <class Real>
void solve_with_upper(cudaStream_t stream, const SolveSettings& settings,
                      const RowMatrix<Real>& factors, const RowMatrix<Real>& a,
                      SchemeCounts& counts) {
  kernels<Real>().solve_with_upper(stream, settings, factors, a, counts);
}
template <class Real>
void copy_to_rows(DeviceSession& session, Real* columns, Index ld, const RowMatrix<Real>& rows) {
  kernels<Real>().copy_to_rows(session, columns, ld, rows);
}
template <class Real>
void copy_to_columns(DeviceSession& session, const RowMatrix<Real>& rows, Real* columns, Index ld) {
  kernels<Real>().copy_to_columns(session, rows, columns, ld);
}

#define LUFACT_LOADED_SCHEMES_OF(Real)                                                           \
  template void launch_step(DeviceSession&, const StepGrid&, const RowMatrix<Real>&, Offset);    \
  template cudaGraphNode_t add_step(cudaGraph_t, cudaGraphNode_t, const StepGrid&,               \
                                    const RowMatrix<Real>&, Offset);                             \
  template void launch_all_steps(DeviceSession&, const StepGrid&, const RowMatrix<Real>&);       \
  template Offset resident_step_blocks<Real>(const DeviceSession&, int);                         \
  template void subtract_product(cudaStream_t, DenseProduct, Offset, const RowMatrix<Real>&,     \
                                 const RowMatrix<Real>&, const RowMatrix<Real>&, SchemeCounts&); \
  template void solve_with_lower(cudaStream_t, const SolveSettings&, const RowMatrix<Real>&,     \
                                 const RowMatrix<Real>&, SchemeCounts&);                         \
  template void solve_with_upper(cudaStream_t, const SolveSettings&, const RowMatrix<Real>&,     \
                                 const RowMatrix<Real>&, SchemeCounts&);                         \
  template void copy_to_rows(DeviceSession&, Real*, Index, const RowMatrix<Real>&);              \
  template void copy_to_columns(DeviceSession&, const RowMatrix<Real>&, Real*, Index);
LUFACT_LOADED_SCHEMES_OF(float)
LUFACT_LOADED_SCHEMES_OF(double)
#undef LUFACT_LOADED_SCHEMES_OF

}  // namespace lufact::gpu::schemes
