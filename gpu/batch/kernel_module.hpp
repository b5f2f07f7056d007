// SPDX-License-Identifier: BSD-3-Clause
// Kernels that are loaded from a file when a stage asks for them, and unloaded with their last
// owner. The driver is reached through the runtime, so that nothing links libcuda.
#pragma once
#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/types.hpp"
#include "gpu/batch/kernel_arguments.hpp"
#include "gpu/runtime/session.hpp"

namespace lufact::gpu {

struct BatchKernelAttributes {
  int registers = 0;                    // of a thread
  std::size_t static_shared_bytes = 0;  // of a block
  int max_threads = 0;                  // of a block
};

class LoadedKernels;  // the module in the driver

// Holds its module.
class BatchKernel {
 public:
  // `function` is the driver's CUfunction.
  BatchKernel(std::shared_ptr<LoadedKernels> kernels, void* function, std::string name);

  const std::string& name() const noexcept { return name_; }
  const BatchKernelAttributes& attributes() const noexcept { return attributes_; }
  // Blocks of so many threads and dynamic shared bytes that a multiprocessor holds at once; 0 where
  // the device cannot run one.
  int resident_blocks(int threads, std::size_t shared_bytes) const;
  // The same in warps, of one multiprocessor.
  Offset resident_warps(int threads, std::size_t shared_bytes) const;
  // Puts the kernel on the session's stream, without waiting. `blocks` may be beyond 2^31: kernels
  // number theirs with batch_block() and leave the surplus ones idle. No blocks: does nothing.
  void launch(DeviceSession& session, Offset blocks, dim3 threads, std::size_t shared_bytes,
              const BatchKernelArguments& arguments) const;

 private:
  std::shared_ptr<LoadedKernels> kernels_;
  void* function_;
  std::string name_;
  BatchKernelAttributes attributes_;
};

class KernelModule {
 public:
  // Loads <family>_<precision>_<order>.fatbin into the session's context; the session must outlive
  // it and its kernels. Throws Error{unsupported, "no_batch_kernels"} where the file is missing or
  // has no code for this device.
  KernelModule(DeviceSession& session, std::string_view family, Precision precision, Index order);

  // Throws Error{error, "no_batch_kernel"} where the module has none of that name.
  BatchKernel kernel(const std::string& name) const;

 private:
  std::shared_ptr<LoadedKernels> kernels_;
};

}  // namespace lufact::gpu
