// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/batch/kernel_module.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "gpu/batch/driver_calls.hpp"
#include "gpu/batch/kernel_files.hpp"
#include "gpu/runtime/check.hpp"

namespace lufact::gpu {
namespace {

constexpr Offset most_blocks_in_a_row = 0x7fffffff;
constexpr std::size_t free_shared_bytes = std::size_t{48} << 10;  // without asking

int attribute(CUfunction function, CUfunction_attribute name) {
  int value = 0;
  check_driver(driver_calls().func_get_attribute(&value, name, function), "cuFuncGetAttribute");
  return value;
}

BatchKernelAttributes read_attributes(CUfunction function) {
  BatchKernelAttributes attributes;
  attributes.registers = attribute(function, CU_FUNC_ATTRIBUTE_NUM_REGS);
  attributes.static_shared_bytes =
      static_cast<std::size_t>(attribute(function, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES));
  attributes.max_threads = attribute(function, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  return attributes;
}

[[noreturn]] void throw_not_loaded(const std::string& file, CUresult status) {
  const bool other_device =
      status == CUDA_ERROR_NO_BINARY_FOR_GPU || status == CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
  if (!other_device) check_driver(status, "cuModuleLoadData");
  throw Error(Outcome::unsupported, "no_batch_kernels",
              fmt::format("{} has no code for this device; build lufact with its architecture in "
                          "CMAKE_CUDA_ARCHITECTURES",
                          file));
}

}  // namespace

class LoadedKernels {
 public:
  LoadedKernels(DeviceSession& session, std::string file, const std::vector<char>& contents)
      : session_(session), file_(std::move(file)) {
    LUFACT_CUDA(cudaSetDevice(session.device()));  // the runtime's context, which is the session's
    const CUresult status = driver_calls().module_load_data(&module_, contents.data());
    if (status != CUDA_SUCCESS) throw_not_loaded(file_, status);
  }
  ~LoadedKernels() {
    LUFACT_CUDA_NOEXCEPT(cudaSetDevice(session_.device()));
    LUFACT_CUDA_NOEXCEPT(cudaStreamSynchronize(session_.stream()));  // kernels may still run
    driver_calls().module_unload(module_);
  }
  LoadedKernels(const LoadedKernels&) = delete;
  LoadedKernels& operator=(const LoadedKernels&) = delete;

  const std::string& file() const noexcept { return file_; }
  // Null where there is none of that name.
  CUfunction find(const std::string& name) const {
    CUfunction function = nullptr;
    const CUresult status = driver_calls().module_get_function(&function, module_, name.c_str());
    if (status == CUDA_ERROR_NOT_FOUND) return nullptr;
    check_driver(status, "cuModuleGetFunction");
    return function;
  }
  // Dynamic shared memory beyond 48 KB with the static one must be asked for, once. Invalid value:
  // the device has not so much.
  CUresult allow_shared_bytes(CUfunction function, std::size_t static_bytes, std::size_t bytes) {
    if (bytes + static_bytes <= free_shared_bytes) return CUDA_SUCCESS;
    std::size_t& allowed = allowed_[function];
    if (bytes <= allowed) return CUDA_SUCCESS;
    const Index as_index = checked_index(static_cast<Offset>(bytes), "shared memory of a block");
    const CUresult status = driver_calls().func_set_attribute(
        function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, as_index);
    if (status == CUDA_SUCCESS) allowed = bytes;
    return status;
  }

 private:
  DeviceSession& session_;
  std::string file_;
  CUmodule module_ = nullptr;
  std::map<CUfunction, std::size_t> allowed_;
};

BatchKernel::BatchKernel(std::shared_ptr<LoadedKernels> kernels, void* function, std::string name)
    : kernels_(std::move(kernels)),
      function_(function),
      name_(std::move(name)),
      attributes_(read_attributes(static_cast<CUfunction>(function))) {}

int BatchKernel::resident_blocks(int threads, std::size_t shared_bytes) const {
  const CUresult allowed = kernels_->allow_shared_bytes(
      static_cast<CUfunction>(function_), attributes_.static_shared_bytes, shared_bytes);
  if (allowed == CUDA_ERROR_INVALID_VALUE) return 0;
  check_driver(allowed, "cuFuncSetAttribute");
  int blocks = 0;
  check_driver(driver_calls().max_active_blocks(&blocks, static_cast<CUfunction>(function_),
                                                threads, shared_bytes),
               "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  return blocks;
}

Offset BatchKernel::resident_warps(int threads, std::size_t shared_bytes) const {
  constexpr int warp = 32;
  return Offset{resident_blocks(threads, shared_bytes)} * ((threads + warp - 1) / warp);
}

void BatchKernel::launch(DeviceSession& session, Offset blocks, dim3 threads,
                         std::size_t shared_bytes, const BatchKernelArguments& arguments) const {
  if (blocks == 0) return;
  check_driver(kernels_->allow_shared_bytes(static_cast<CUfunction>(function_),
                                            attributes_.static_shared_bytes, shared_bytes),
               name_.c_str());
  const Offset in_a_row = std::min(blocks, most_blocks_in_a_row);
  const Offset rows = (blocks + in_a_row - 1) / in_a_row;
  BatchKernelArguments by_value = arguments;
  void* parameters[] = {&by_value};
  check_driver(driver_calls().launch_kernel(
                   static_cast<CUfunction>(function_), static_cast<unsigned>(in_a_row),
                   static_cast<unsigned>(rows), 1, threads.x, threads.y, threads.z,
                   static_cast<unsigned>(shared_bytes), session.stream(), parameters, nullptr),
               name_.c_str());
#ifndef NDEBUG
  LUFACT_CUDA(cudaStreamSynchronize(session.stream()));
#endif
}

KernelModule::KernelModule(DeviceSession& session, std::string_view family, Precision precision,
                           Index order)
    : kernels_(std::make_shared<LoadedKernels>(session,
                                               batch_kernel_file_name(family, precision, order),
                                               read_batch_kernels(family, precision, order))) {}

BatchKernel KernelModule::kernel(const std::string& name) const {
  const CUfunction function = kernels_->find(name);
  if (function == nullptr) {
    throw Error(Outcome::error, "no_batch_kernel",
                fmt::format("{} has no kernel {}; it is of another build of lufact: build the "
                            "target lufact_batch_kernels again",
                            kernels_->file(), name));
  }
  return {kernels_, function, name};
}

}  // namespace lufact::gpu
