// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/runtime/program_files.hpp"

namespace lufact::gpu {
namespace fs = std::filesystem;

fs::path running_program() {
  std::error_code ignored;
  return fs::read_symlink("/proc/self/exe", ignored);
}

fs::path folder_beside(const fs::path& program, std::string_view name) {
  std::error_code ignored;
  for (fs::path folder = program.parent_path();; folder = folder.parent_path()) {
    if (fs::is_directory(folder / name, ignored)) return folder / name;
    if (folder == folder.parent_path()) return {};
  }
}

}  // namespace lufact::gpu
