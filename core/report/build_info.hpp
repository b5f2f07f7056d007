// SPDX-License-Identifier: BSD-3-Clause
// What this program was built from and with.
#pragma once
#include <map>
#include <optional>
#include <string>

namespace lufact {

struct BuildInfo {
  std::string version;  // of lufact
  std::string git_sha;  // of the commit that was checked out; "unknown" outside a git checkout
  std::optional<bool> git_dirty;  // tracked files differed from it; empty where that is not known
  std::string type;               // CMake's build type
  std::string cxx_compiler;       // id and version
  std::optional<std::string> cuda_compiler, cuda_architectures;  // empty: built without CUDA
  std::string flags;
  std::optional<std::string> cuda_flags;
  std::map<std::string, std::string> libraries;  // name to version
};

const BuildInfo& build_info();

}  // namespace lufact
