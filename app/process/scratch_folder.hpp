// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <filesystem>

namespace lufact {

// A folder of its own under the system's temporary one, removed with its contents.
class ScratchFolder {
 public:
  ScratchFolder();  // throws Error{error, "cannot_write"}
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace lufact
