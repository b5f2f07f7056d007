// SPDX-License-Identifier: BSD-3-Clause
// Whether kernels that are compiled at run time were there before: a first run on a machine pays
// for them, a later one does not, and a reader of the record should know which one it was.
#pragma once
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace lufact::peers {

// "warm: 12 files in DIR", or "cold: nothing in DIR".
inline std::string cache_state(const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  std::error_code fault;
  std::size_t files = 0;
  constexpr auto readable = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator at(folder, readable, fault), end; !fault && at != end;
       at.increment(fault)) {
    std::error_code ignored;
    if (at->is_regular_file(ignored)) ++files;
  }
  if (files == 0) return "cold: nothing in " + folder.string();
  return "warm: " + std::to_string(files) + " files in " + folder.string();
}

// The CUDA driver's cache of code that it compiled from PTX.
inline std::string cuda_jit_cache() {
  const char* disabled = std::getenv("CUDA_CACHE_DISABLE");
  if (disabled != nullptr && std::string(disabled) == "1") return "off by CUDA_CACHE_DISABLE";
  if (const char* path = std::getenv("CUDA_CACHE_PATH")) return cache_state(path);
  const char* home = std::getenv("HOME");
  if (home == nullptr) return "not known: HOME is not set";
  return cache_state(std::filesystem::path(home) / ".nv/ComputeCache");
}

// cuDSS 1.0 compiles kernels with NVRTC; the folder that it keeps them in is known only where it
// was told one.
inline std::string cudss_jit_cache() {
  if (std::getenv("CUDSS_JIT_DISABLE") != nullptr) return "off by CUDSS_JIT_DISABLE";
  const char* path = std::getenv("CUDSS_JIT_CACHE_DIR");
  if (path == nullptr || *path == '\0') return "CUDSS_JIT_CACHE_DIR is not set";
  return cache_state(path);
}

}  // namespace lufact::peers
