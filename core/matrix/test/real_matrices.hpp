// SPDX-License-Identifier: BSD-3-Clause
// The real matrices that tests find through LUFACT_TEST_DATA.
#pragma once
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace lufact::test {

// Paths in `data`/matrices, sorted, without the complex one.
inline std::vector<std::string> real_matrices(const std::string& data) {
  std::vector<std::string> paths;
  for (const auto& file : std::filesystem::directory_iterator(data + "/matrices")) {
    const std::string name = file.path().filename().string();
    if (name.ends_with(".mtx.xz") && !name.starts_with("gun_T")) paths.push_back(file.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace lufact::test
