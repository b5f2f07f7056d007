// SPDX-License-Identifier: BSD-3-Clause
// NVIDIA's management library, loaded at run time, and the parts of its stable C interface that are
// used here.
#pragma once
#include <string>

namespace lufact::gpu {

using NvmlDevice = void*;
struct NvmlMemory {
  unsigned long long total, free, used;
};
// That of nvmlDeviceGetComputeRunningProcesses_v2 and _v3.
struct NvmlProcess {
  unsigned pid;
  unsigned long long used_bytes;
  unsigned gpu_instance, compute_instance;
};
inline constexpr int nvml_success = 0, nvml_insufficient_size = 7;
inline constexpr unsigned long long nvml_not_available = ~0ULL;

inline constexpr const char* nvml_file = "libnvidia-ml.so.1";

class NvmlLibrary {
 public:
  explicit NvmlLibrary(const std::string& file = nvml_file);
  ~NvmlLibrary();
  NvmlLibrary(const NvmlLibrary&) = delete;
  NvmlLibrary& operator=(const NvmlLibrary&) = delete;

  bool ready() const noexcept { return ready_; }
  // Null where the library has none of this name.
  template <class Signature>
  Signature* function(const char* name) const {
    return reinterpret_cast<Signature*>(address(name));
  }
  // `uuid` as "GPU-..."; null where there is none.
  NvmlDevice find(const std::string& uuid) const;

 private:
  void* address(const char* name) const;

  void* handle_;
  bool ready_ = false;
};

}  // namespace lufact::gpu
