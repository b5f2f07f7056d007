// SPDX-License-Identifier: BSD-3-Clause
// The kernels on one large dense matrix are no part of the program, whose other commands would load
// them for nothing, but a shared library of their own, lib/lufact/dense/dense_kernels.so. It has
// one entry, which gives this table. Streams, events and graphs are the driver's, so that they pass
// between the program and the library, each of which has a CUDA runtime of its own.
#pragma once
#include <array>
#include <cstddef>

#include "gpu/dense/ours/block_rows.hpp"
#include "gpu/dense/ours/chain_solve.hpp"
#include "gpu/dense/ours/front_kernels.hpp"
#include "gpu/dense/ours/left_rows.hpp"
#include "gpu/dense/ours/not_a_number.hpp"
#include "gpu/dense/ours/panel_kernels.hpp"
#include "gpu/dense/ours/product.hpp"
#include "gpu/dense/ours/vector_kernels.hpp"
#include "gpu/dense/schemes/product.hpp"
#include "gpu/dense/schemes/row_layout.hpp"
#include "gpu/dense/schemes/step_kernels.hpp"
#include "gpu/dense/schemes/triangular.hpp"
#include "gpu/dense/zero_pivot.hpp"

namespace lufact::gpu {

// Those of one precision, under the names of the functions that launch them.
template <class T>
struct RealKernels {
  decltype(&find_zero_pivot<T>) find_zero_pivot;
  decltype(&blocked::panel_shape<T>) panel_shape;
  decltype(&blocked::factor_panel<T>) factor_panel;
  decltype(&blocked::subtract_product<T>) subtract_product;
  decltype(&blocked::apply_block<T>) apply_block;
  decltype(&blocked::exchange_left_rows<T>) exchange_left_rows;
  decltype(&blocked::solve_in_chain<T>) solve_in_chain;
  decltype(&blocked::spoil_if_singular<T>) spoil_if_singular;
  decltype(&blocked::resident_front_blocks<T>) resident_front_blocks;
  decltype(&blocked::resident_chained_blocks<T>) resident_chained_blocks;
  decltype(&blocked::factor_front<T>) factor_front;
};

// Of the schemes of DENSE, likewise.
template <class T>
struct SchemeKernels {
  decltype(&schemes::launch_step<T>) launch_step;
  decltype(&schemes::add_step<T>) add_step;
  decltype(&schemes::launch_all_steps<T>) launch_all_steps;
  decltype(&schemes::launch_barriers) launch_barriers;
  decltype(&schemes::resident_step_blocks<T>) resident_step_blocks;
  decltype(&schemes::subtract_product<T>) subtract_product;
  decltype(&schemes::solve_with_lower<T>) solve_with_lower;
  decltype(&schemes::solve_with_upper<T>) solve_with_upper;
  decltype(&schemes::copy_to_rows<T>) copy_to_rows;
  decltype(&schemes::copy_to_columns<T>) copy_to_columns;
};

// Of refinement.
struct VectorKernels {
  decltype(&blocked::measure_rows) measure_rows;
  decltype(&blocked::largest_magnitudes) largest_magnitudes;
  decltype(&blocked::round_matrix) round_matrix;
  decltype(&blocked::widen_matrix) widen_matrix;
  decltype(&blocked::scale_residuals) scale_residuals;
  decltype(&blocked::add_corrections) add_corrections;
  decltype(&blocked::multiply_vectors) multiply_vectors;
  decltype(&blocked::subtract_vectors) subtract_vectors;
  decltype(&blocked::scale_vector) scale_vector;
};

// The sizes of what the two sides share: a library of another build has others, or may have.
using KernelForm = std::array<std::size_t, 8>;
inline constexpr KernelForm kernel_form{sizeof(RealKernels<double>),
                                        sizeof(VectorKernels),
                                        sizeof(DeviceSession),
                                        sizeof(blocked::Panel<double>),
                                        sizeof(blocked::Product<double>),
                                        sizeof(blocked::BlockRows<double>),
                                        sizeof(blocked::LeftRows<double>),
                                        sizeof(blocked::RefinementStep)};

struct KernelTable {
  KernelForm form;
  // Loads the kernels into the context of this device; before the first of them.
  void (*open)(int device);
  RealKernels<float> of_float;
  RealKernels<double> of_double;
  SchemeKernels<float> of_float_schemes;
  SchemeKernels<double> of_double_schemes;
  VectorKernels of_vectors;
};

inline constexpr const char* kernel_table_entry = "lufact_dense_kernels";
using KernelTableEntry = const KernelTable*();

}  // namespace lufact::gpu
