// SPDX-License-Identifier: BSD-3-Clause
// Kernels of gpu/dense/ours, by the library's.
#include "gpu/dense/kernels/loaded_kernels.hpp"

namespace lufact::gpu {
namespace {

template <class T>
const RealKernels<T>& kernels() {
  if constexpr (sizeof(T) == sizeof(float)) {
    return loaded_kernels().of_float;
  } else {
    return loaded_kernels().of_double;
  }
}

const VectorKernels& vectors() {
  return loaded_kernels().of_vectors;
}

}  // namespace

template <class T>
void find_zero_pivot(DeviceSession& session, const T* lu, Index ld, Index order,
                     std::int32_t* info) {
  kernels<T>().find_zero_pivot(session, lu, ld, order, info);
}

namespace blocked {

template <class T>
PanelShape panel_shape(const DeviceSession& session, ArrayPivoting pivoting, Index rows) {
  return kernels<T>().panel_shape(session, pivoting, rows);
}
template <class T>
void factor_panel(cudaStream_t stream, ArrayPivoting pivoting, const PanelShape& shape,
                  const Panel<T>& panel) {
  kernels<T>().factor_panel(stream, pivoting, shape, panel);
}
template <class T>
void subtract_product(cudaStream_t stream, const Product<T>& product, ProductNumbers numbers) {
  kernels<T>().subtract_product(stream, product, numbers);
}
template <class T>
void apply_block(cudaStream_t stream, Triangle triangle, const BlockRows<T>& rows) {
  kernels<T>().apply_block(stream, triangle, rows);
}
template <class T>
void exchange_left_rows(cudaStream_t stream, const LeftRows<T>& left) {
  kernels<T>().exchange_left_rows(stream, left);
}
template <class T>
void solve_in_chain(cudaStream_t stream, Triangle triangle, const ChainSystem<T>& system) {
  kernels<T>().solve_in_chain(stream, triangle, system);
}
template <class T>
void spoil_if_singular(cudaStream_t stream, T* x, Offset size, const std::int32_t* info) {
  kernels<T>().spoil_if_singular(stream, x, size, info);
}
template <class T>
Offset resident_front_blocks(const DeviceSession& session) {
  return kernels<T>().resident_front_blocks(session);
}
template <class T>
Offset resident_chained_blocks(const DeviceSession& session) {
  return kernels<T>().resident_chained_blocks(session);
}
template <class T>
void factor_front(DeviceSession& session, Offset blocks, const FrontProblem<T>& problem,
                  const FrontShape& shape, const ChainedTiles<T>& tiles) {
  kernels<T>().factor_front(session, blocks, problem, shape, tiles);
}

void measure_rows(cudaStream_t stream, const double* a, Offset ld, Index n, double* sums,
                  double* largest) {
  vectors().measure_rows(stream, a, ld, n, sums, largest);
}
void largest_magnitudes(cudaStream_t stream, const double* x, Index n, Index columns,
                        double* largest) {
  vectors().largest_magnitudes(stream, x, n, columns, largest);
}
void round_matrix(cudaStream_t stream, const double* from, Offset ld_from, double factor, float* to,
                  Offset ld_to, Index n) {
  vectors().round_matrix(stream, from, ld_from, factor, to, ld_to, n);
}
void widen_matrix(cudaStream_t stream, const float* from, Offset ld_from, double* to, Offset ld_to,
                  Index n, int* nonfinite) {
  vectors().widen_matrix(stream, from, ld_from, to, ld_to, n, nonfinite);
}
void scale_residuals(cudaStream_t stream, const RefinementStep& step) {
  vectors().scale_residuals(stream, step);
}
void add_corrections(cudaStream_t stream, const RefinementStep& step, double factor) {
  vectors().add_corrections(stream, step, factor);
}
void multiply_vectors(cudaStream_t stream, const double* several, Index n, int count,
                      const double* x, double* products) {
  vectors().multiply_vectors(stream, several, n, count, x, products);
}
void subtract_vectors(cudaStream_t stream, const double* several, Index n, int count,
                      const double* factors, double* x) {
  vectors().subtract_vectors(stream, several, n, count, factors, x);
}
void scale_vector(cudaStream_t stream, const double* from, double factor, Index n, double* to) {
  vectors().scale_vector(stream, from, factor, n, to);
}

}  // namespace blocked

#define LUFACT_LOADED_KERNELS_OF(T)                                                             \
  template void find_zero_pivot(DeviceSession&, const T*, Index, Index, std::int32_t*);         \
  namespace blocked {                                                                           \
  template PanelShape panel_shape<T>(const DeviceSession&, ArrayPivoting, Index);               \
  template void factor_panel(cudaStream_t, ArrayPivoting, const PanelShape&, const Panel<T>&);  \
  template void subtract_product(cudaStream_t, const Product<T>&, ProductNumbers);              \
  template void apply_block(cudaStream_t, Triangle, const BlockRows<T>&);                       \
  template void exchange_left_rows(cudaStream_t, const LeftRows<T>&);                           \
  template void solve_in_chain(cudaStream_t, Triangle, const ChainSystem<T>&);                  \
  template void spoil_if_singular(cudaStream_t, T*, Offset, const std::int32_t*);               \
  template Offset resident_front_blocks<T>(const DeviceSession&);                               \
  template Offset resident_chained_blocks<T>(const DeviceSession&);                             \
  template void factor_front(DeviceSession&, Offset, const FrontProblem<T>&, const FrontShape&, \
                             const ChainedTiles<T>&);                                           \
  }
LUFACT_LOADED_KERNELS_OF(float)
LUFACT_LOADED_KERNELS_OF(double)
#undef LUFACT_LOADED_KERNELS_OF

}  // namespace lufact::gpu
