// SPDX-License-Identifier: BSD-3-Clause
#include "app/config/typed_values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>

#include "core/base/error.hpp"
#include "core/base/suggestion.hpp"

namespace lufact {

void refuse_repeated(const std::string& option, const std::vector<std::string>& names) {
  std::set<std::string> seen;
  for (const std::string& name : names) {
    if (seen.insert(name).second) continue;
    throw UsageError(fmt::format("{}: '{}' is given twice; once is enough", option, name));
  }
}

void require_known(const std::string& option, const std::string& name,
                   const std::vector<std::string>& accepted) {
  if (std::ranges::find(accepted, name) != accepted.end()) return;
  throw UsageError(fmt::format("{} '{}' is not known{}; accepted: {}", option, name,
                               did_you_mean(name, accepted), fmt::join(accepted, ", ")));
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

void check_written_files(const std::vector<WrittenFile>& files, bool one_run) {
  std::map<std::string, std::string> seen;
  for (const WrittenFile& file : files) {
    if (!file.path) continue;
    if (!file.nothing.empty()) {
      throw UsageError(fmt::format("{} has nothing to write {}", file.option, file.nothing));
    }
    if (!one_run) {
      throw UsageError(fmt::format(
          "{} takes one size and one variant, or one peer and --variant none", file.option));
    }
    require_writable(file.option, *file.path);
    const auto [other, is_new] = seen.emplace(*file.path, file.option);
    if (!is_new) {
      throw UsageError(
          fmt::format("{} and {} name one file, {}", other->second, file.option, *file.path));
    }
  }
}

}  // namespace lufact
