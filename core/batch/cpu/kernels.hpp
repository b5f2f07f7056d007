// SPDX-License-Identifier: BSD-3-Clause
// The kernels of the stage `cpu`, one set for each width of vectors.
#pragma once
#include <cstdint>
#include <vector>

#include "core/array/array_problem.hpp"
#include "core/base/types.hpp"

namespace lufact {

// A run over a batch, with what ArrayProblem and ArrayOperands say.
struct CpuBatchTask {
  ArrayOperation operation;
  ArrayLayout layout;
  Index n, ld, rhs;
  Offset count;
  void* a;
  void* result;
  void* b;
  std::int32_t* pivots;  // may be null for inverse and solve
  std::int32_t* info;
};

template <class Real>
struct CpuBatchKernel {
  const char* name;  // of the instruction set
  int lanes;         // matrices that are factored together
  // Entries of workspace, on a boundary of 64 bytes, that one thread needs.
  Offset (*workspace)(const CpuBatchTask& task);
  // Matrices [begin, end); `begin` is a multiple of `lanes`.
  void (*run)(const CpuBatchTask& task, Offset begin, Offset end, Real* workspace);
};

struct CpuBatchKernels {
  CpuBatchKernel<float> float32;
  CpuBatchKernel<double> float64;
};

// Those that this machine can run, the widest last. All of them give the same bits.
std::vector<CpuBatchKernels> cpu_batch_kernels();

// Compiled for one instruction set each; to be called only where it is there.
CpuBatchKernels baseline_batch_kernels();
CpuBatchKernels avx2_batch_kernels();
CpuBatchKernels avx512_batch_kernels();

}  // namespace lufact
