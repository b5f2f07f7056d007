// SPDX-License-Identifier: BSD-3-Clause
#include "app/config/typed_values.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>

#include "core/base/error.hpp"

namespace lufact {

void refuse_repeated(const std::string& option, const std::vector<std::string>& names) {
  std::set<std::string> seen;
  for (const std::string& name : names) {
    if (seen.insert(name).second) continue;
    throw UsageError(fmt::format("{}: '{}' is given twice; once is enough", option, name));
  }
}

void require_writable(const std::string& option, const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (fs::is_directory(status)) {
    throw UsageError(fmt::format("{} {}: it is a folder", option, path));
  }
  const fs::path folder = fs::path(path).parent_path();
  const std::string place =
      fs::exists(status) ? path : (folder.empty() ? std::string(".") : folder.string());
  if (::access(place.c_str(), W_OK) == 0) return;
  throw UsageError(fmt::format("{} {}: cannot be written: {}", option, path, std::strerror(errno)));
}

}  // namespace lufact
