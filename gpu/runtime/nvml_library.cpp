// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/runtime/nvml_library.hpp"

#include <dlfcn.h>

namespace lufact::gpu {

NvmlLibrary::NvmlLibrary(const std::string& file)
    : handle_(dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL)) {
  const auto init = function<int()>("nvmlInit_v2");
  ready_ = init != nullptr && init() == nvml_success;
}

NvmlLibrary::~NvmlLibrary() {
  if (ready_) {
    const auto shutdown = function<int()>("nvmlShutdown");
    if (shutdown != nullptr) shutdown();
  }
  if (handle_ != nullptr) dlclose(handle_);
}

void* NvmlLibrary::address(const char* name) const {
  return handle_ == nullptr ? nullptr : dlsym(handle_, name);
}

NvmlDevice NvmlLibrary::find(const std::string& uuid) const {
  NvmlDevice device = nullptr;
  const auto get = function<int(const char*, NvmlDevice*)>("nvmlDeviceGetHandleByUUID");
  if (!ready_ || get == nullptr || get(uuid.c_str(), &device) != nvml_success) return nullptr;
  return device;
}

}  // namespace lufact::gpu
