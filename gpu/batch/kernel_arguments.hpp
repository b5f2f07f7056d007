// SPDX-License-Identifier: BSD-3-Clause
// What every kernel on a batch of small matrices takes: one struct by value. No CUDA here.
#pragma once
#include <cstdint>

#include "core/array/array_problem.hpp"

namespace lufact::gpu {

struct BatchKernelArguments {
  void* a = nullptr;  // as in ArrayOperands; of type double or float
  void* result = nullptr;
  void* b = nullptr;
  std::int32_t* pivots = nullptr;
  std::int32_t* info = nullptr;
  Offset count = 0;  // matrices; of an interleaved layout also the stride
  std::int32_t ld = 0;
  std::int32_t rhs = 0;
  std::int32_t layout = 0;  // of ArrayLayout
  std::int32_t flags = 0;   // the kernel's own
};

BatchKernelArguments inline kernel_arguments(const ArrayProblem& problem,
                                             const ArrayOperands& operands, Offset count,
                                             std::int32_t flags = 0) {
  return {operands.a,
          operands.result,
          operands.b,
          operands.pivots,
          operands.info,
          count,
          problem.ld,
          problem.rhs,
          static_cast<std::int32_t>(problem.layout),
          flags};
}

}  // namespace lufact::gpu
