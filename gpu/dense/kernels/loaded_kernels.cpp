// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/dense/kernels/loaded_kernels.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <string>

#include "core/base/error.hpp"
#include "gpu/runtime/check.hpp"
#include "gpu/runtime/program_files.hpp"

namespace lufact::gpu {
namespace fs = std::filesystem;
namespace {

constexpr const char* folder_name = "lib/lufact/dense";

[[noreturn]] void throw_not_loaded(const fs::path& library, const std::string& reason) {
  throw Error(Outcome::unsupported, "no_dense_kernels",
              fmt::format("the kernels for one large matrix are not there: {}: {}; build the "
                          "target lufact_dense_kernels, and keep {} beside the program",
                          library.string(), reason, folder_name));
}

// Is never closed: kernels may run until the process ends.
const KernelTable& load() {
  const fs::path library = kernel_library(running_program());
  void* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) throw_not_loaded(library, dlerror());
  auto* const entry = reinterpret_cast<KernelTableEntry*>(dlsym(handle, kernel_table_entry));
  if (entry == nullptr) throw_not_loaded(library, dlerror());
  const KernelTable& table = *entry();
  if (table.form != kernel_form) throw_not_loaded(library, "it is of another build");
  int device = 0;
  LUFACT_CUDA(cudaGetDevice(&device));
  table.open(device);
  return table;
}

}  // namespace

fs::path kernel_library(const fs::path& program) {
  const fs::path folder = folder_beside(program, folder_name);
  return (folder.empty() ? fs::path(folder_name) : folder) / "dense_kernels.so";
}

const KernelTable& loaded_kernels() {
  static const KernelTable& table = load();
  return table;
}

}  // namespace lufact::gpu
