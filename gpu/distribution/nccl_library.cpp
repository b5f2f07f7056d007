// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/distribution/nccl_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

#include "core/base/error.hpp"

namespace lufact::gpu {
namespace {

constexpr const char* file_name = "libnccl.so.2";
constexpr const char* root_variable = "LUFACT_NCCL_ROOT";

std::string fault_of_loader() {
  const char* const fault = dlerror();
  return fault != nullptr ? fault : "the library cannot be loaded";
}

// Whoever names a folder wants the library that is there, and no other.
std::string file_in(const std::string& root) {
  for (const char* const folder : {"/", "/lib/"}) {
    std::string file = root + folder + file_name;
    if (access(file.c_str(), R_OK) == 0) return file;
  }
  return {};
}

class Loader {
 public:
  explicit Loader(NcclLibrary& library) : library_(library) { open(); }

  template <class Function>
  void take(Function& function, const char* name) {
    if (!library_.fault.empty()) return;
    function = reinterpret_cast<Function>(dlsym(handle_, name));
    if (function != nullptr) return;
    library_.fault = fmt::format("{} has no function {}", library_.path, name);
  }

 private:
  void open() {
    library_.path = file_name;
    if (const char* const root = std::getenv(root_variable)) library_.path = file_in(root);
    if (library_.path.empty()) {
      library_.fault = fmt::format("no {} in {}={}, nor in lib below it", file_name, root_variable,
                                   std::getenv(root_variable));
      return;
    }
    handle_ = dlopen(library_.path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr) library_.fault = fault_of_loader();
  }

  NcclLibrary& library_;
  void* handle_ = nullptr;
};

// The file that the loader took.
std::string file_of(const void* function, const std::string& otherwise) {
  Dl_info info{};
  if (dladdr(function, &info) == 0 || info.dli_fname == nullptr) return otherwise;
  return info.dli_fname;
}

void ask_version(NcclLibrary& library) {
  if (!library.fault.empty()) return;
  library.path = file_of(reinterpret_cast<const void*>(library.get_version), library.path);
  const int status = library.get_version(&library.version);
  if (status == nccl_success && library.version > 0) return;
  library.fault = fmt::format("{} does not tell its version (status {})", library.path, status);
}

}  // namespace

void NcclLibrary::require(int status, const char* call) const {
  if (status == nccl_success) return;
  throw Error(Outcome::error, "nccl",
              fmt::format("{} failed: {} ({}); NCCL_DEBUG=WARN says more, --exchange mpi does "
                          "without NCCL",
                          call, error_string(status), status));
}

NcclLibrary load_nccl() {
  // Nothing here is sent to several devices at once, so that NVLink's multicast memory, which NCCL
  // sets up for that and not every machine grants, would be taken in vain.
  setenv("NCCL_NVLS_ENABLE", "0", 0);
  NcclLibrary library;
  Loader loader(library);
  loader.take(library.get_version, "ncclGetVersion");
  loader.take(library.get_unique_id, "ncclGetUniqueId");
  loader.take(library.init_rank, "ncclCommInitRank");
  loader.take(library.send, "ncclSend");
  loader.take(library.receive, "ncclRecv");
  loader.take(library.group_start, "ncclGroupStart");
  loader.take(library.group_end, "ncclGroupEnd");
  loader.take(library.error_string, "ncclGetErrorString");
  ask_version(library);
  return library;
}

const NcclLibrary& nccl_library() {
  static const NcclLibrary library = load_nccl();
  return library;
}

std::string nccl_version_text(int version) {
  // Up to 2.8 a digit less for the minor version.
  const int minor_unit = 100, major_unit = version < 10'000 ? 1'000 : 10'000;
  return fmt::format("{}.{}.{}", version / major_unit, version % major_unit / minor_unit,
                     version % minor_unit);
}

std::string nccl_advice() {
  return fmt::format(
      "install NCCL 2.7 or newer (the package libnccl2, or nvidia-nccl-cu13 or nvidia-nccl-cu12 of "
      "pip) on every host and set {} to the folder of {}, or use --exchange mpi",
      root_variable, file_name);
}

NcclFinding nccl_finding(const NcclLibrary& library) {
  NcclFinding finding;
  if (!library.fault.empty()) {
    finding.reason = library.fault + "; " + nccl_advice();
    return finding;
  }
  finding.library = library.path;
  finding.version = nccl_version_text(library.version);
  return finding;
}

}  // namespace lufact::gpu
