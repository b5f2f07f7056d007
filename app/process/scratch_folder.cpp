// SPDX-License-Identifier: BSD-3-Clause
#include "app/process/scratch_folder.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "core/base/error.hpp"

namespace lufact {

ScratchFolder::ScratchFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "lufact-peer-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    throw Error(Outcome::error, "cannot_write",
                fmt::format("{}: {}; set TMPDIR to a folder that can be written", name,
                            std::strerror(errno)));
  }
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace lufact
