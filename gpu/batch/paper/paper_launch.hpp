// SPDX-License-Identifier: BSD-3-Clause
// The loaded kernels of a step, and how many matrices a block of them has.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "gpu/batch/kernel_module.hpp"
#include "gpu/batch/paper/paper_steps.hpp"

namespace lufact::gpu::paper {

// Code of the error where the device has no room for so many matrices a block.
inline constexpr const char* block_too_large = "block_too_large";

class PaperLaunch {
 public:
  // Throws Error{unsupported, "no_batch_kernels"} as KernelModule does, UsageError where the step
  // does not take what the options say, Error{unsupported, block_too_large} where the device does
  // not.
  PaperLaunch(const PaperStep& step, const ArrayProblem& problem, ArrayContext& context);

  // Kernel `index` of the step on arguments.count matrices.
  void run(std::size_t index, const BatchKernelArguments& arguments) const;
  ArrayLaunchFacts facts() const;

 private:
  struct Kernel {
    BatchKernel kernel;
    std::size_t tile_bytes = 0;  // of dynamic shared memory, a matrix
  };
  dim3 threads(int matrices) const;
  int thread_count(int matrices) const;
  // Matrices that a multiprocessor holds at once under the kernel that allows the fewest; 0: some
  // kernel does not run.
  int resident_matrices(int matrices) const;
  void load_kernels(const ArrayProblem& problem);
  void choose_matrices(const ArrayProblem& problem, ArrayContext& context);
  void choose_by_occupancy();

  const PaperStep& step_;
  DeviceSession& session_;
  Index n_;
  SwapRule swap_;
  std::vector<Kernel> kernels_;
  int matrices_ = 1;
};

}  // namespace lufact::gpu::paper
