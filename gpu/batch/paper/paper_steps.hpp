// SPDX-License-Identifier: BSD-3-Clause
// The steps of BATCH (Abdelfattah, Haidar, Tomov and Dongarra 2017, "Factorization and Inversion of
// a Million Matrices using GPUs"), by what sets them apart. No CUDA here.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/array/array_stage.hpp"

namespace lufact::gpu::paper {

inline constexpr Index largest_order = 32;

// How the threads of a block share its matrices.
enum class BlockShape {
  rows_of_lanes,  // butterfly_width(n) lanes a matrix, one a row; any number of matrices
  row_a_thread,   // n threads, one matrix
  entry_a_thread  // n x n threads, one matrix
};

struct PaperKernel {
  std::string name;
  bool uses_tile = false;  // an InverseTile of dynamic shared memory a matrix
};

struct PaperStep {
  ArrayStageFacts facts;
  BlockShape shape = BlockShape::rows_of_lanes;
  SwapRule swap = SwapRule::lazy;
  // Launched one after the other. Where `kernel_of_other_swap` is not empty, a step of one launch
  // can also be had under the other rule.
  std::vector<PaperKernel> kernels;
  std::string kernel_of_other_swap{};
};

std::span<const PaperStep> paper_steps();
// The step of that name.
const PaperStep& paper_step(std::string_view name);

}  // namespace lufact::gpu::paper
