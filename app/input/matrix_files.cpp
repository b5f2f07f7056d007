// SPDX-License-Identifier: BSD-3-Clause
#include "app/input/matrix_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <system_error>

namespace lufact {

namespace fs = std::filesystem;

namespace {

constexpr const char* matrix_endings[] = {"", ".mtx", ".mtx.gz", ".mtx.xz", ".tar.gz", ".tgz"};

}  // namespace

std::string file_stem(const std::string& path) {
  std::string name = path.substr(path.find_last_of('/') + 1);
  for (const char* ending : {".tar.gz", ".tgz", ".gz", ".xz", ".mtx", ".npy"}) {
    if (name.size() > std::string(ending).size() && name.ends_with(ending)) {
      name.resize(name.size() - std::string(ending).size());
    }
  }
  return name;
}

std::string find_matrix_file(const std::string& file, const std::vector<std::string>& folders) {
  const std::string base = file.substr(file.find_last_of('/') + 1);
  for (const std::string& folder : folders) {
    for (const fs::path& stem :
         {fs::path(folder) / file, fs::path(folder) / base, fs::path(folder) / base / base}) {
      for (const char* ending : matrix_endings) {
        const std::string path = stem.string() + ending;
        std::error_code ignored;
        if (fs::is_regular_file(path, ignored)) return path;
      }
    }
  }
  return "";
}

std::string missing_matrix_file(const std::string& file, const std::vector<std::string>& folders) {
  return fmt::format(
      "{} is in no folder of --matrix-dir ({}), as .mtx, .mtx.gz, .mtx.xz or "
      ".tar.gz; fetch it or name its folder",
      file, fmt::join(folders, ", "));
}

}  // namespace lufact
