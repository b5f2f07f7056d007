// SPDX-License-Identifier: BSD-3-Clause
// Of the library alone, which exports the entry at the end.
#include "gpu/dense/kernels/kernel_table.hpp"
#include "gpu/runtime/check.hpp"

namespace lufact::gpu {
namespace {

__global__ void first_kernel() {}

// The first call of a runtime loads all of its kernels, which must not happen while a stream is
// recorded.
void open_device(int device) {
  LUFACT_CUDA(cudaSetDevice(device));
  cudaFuncAttributes attributes{};
  LUFACT_CUDA(cudaFuncGetAttributes(&attributes, first_kernel));
}

template <class T>
constexpr RealKernels<T> kernels_of() {
  return {.find_zero_pivot = &find_zero_pivot<T>,
          .panel_shape = &blocked::panel_shape<T>,
          .factor_panel = &blocked::factor_panel<T>,
          .subtract_product = &blocked::subtract_product<T>,
          .apply_block = &blocked::apply_block<T>,
          .exchange_left_rows = &blocked::exchange_left_rows<T>,
          .solve_in_chain = &blocked::solve_in_chain<T>,
          .spoil_if_singular = &blocked::spoil_if_singular<T>,
          .resident_front_blocks = &blocked::resident_front_blocks<T>,
          .resident_chained_blocks = &blocked::resident_chained_blocks<T>,
          .factor_front = &blocked::factor_front<T>};
}

template <class T>
constexpr SchemeKernels<T> scheme_kernels_of() {
  return {.launch_step = &schemes::launch_step<T>,
          .add_step = &schemes::add_step<T>,
          .launch_all_steps = &schemes::launch_all_steps<T>,
          .launch_barriers = &schemes::launch_barriers,
          .resident_step_blocks = &schemes::resident_step_blocks<T>,
          .subtract_product = &schemes::subtract_product<T>,
          .solve_with_lower = &schemes::solve_with_lower<T>,
          .solve_with_upper = &schemes::solve_with_upper<T>,
          .copy_to_rows = &schemes::copy_to_rows<T>,
          .copy_to_columns = &schemes::copy_to_columns<T>};
}

constexpr VectorKernels vector_kernels() {
  return {.measure_rows = &blocked::measure_rows,
          .largest_magnitudes = &blocked::largest_magnitudes,
          .round_matrix = &blocked::round_matrix,
          .widen_matrix = &blocked::widen_matrix,
          .scale_residuals = &blocked::scale_residuals,
          .add_corrections = &blocked::add_corrections,
          .multiply_vectors = &blocked::multiply_vectors,
          .subtract_vectors = &blocked::subtract_vectors,
          .scale_vector = &blocked::scale_vector};
}

}  // namespace
}  // namespace lufact::gpu

extern "C" __attribute__((visibility("default"))) const lufact::gpu::KernelTable*
lufact_dense_kernels() {
  using namespace lufact::gpu;
  static const KernelTable table{.form = kernel_form,
                                 .open = open_device,
                                 .of_float = kernels_of<float>(),
                                 .of_double = kernels_of<double>(),
                                 .of_float_schemes = scheme_kernels_of<float>(),
                                 .of_double_schemes = scheme_kernels_of<double>(),
                                 .of_vectors = vector_kernels()};
  return &table;
}
