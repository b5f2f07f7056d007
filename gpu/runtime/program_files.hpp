// SPDX-License-Identifier: BSD-3-Clause
// Files that lie beside the program and are loaded when they are needed.
#pragma once
#include <filesystem>
#include <string_view>

namespace lufact::gpu {

std::filesystem::path running_program();

// The nearest folder of that name, such as lib/lufact/batch: in the folder of the program, or in
// one above it. So a build folder, an installed tree and a bundle all have their own. Empty: there
// is none.
std::filesystem::path folder_beside(const std::filesystem::path& program, std::string_view name);

}  // namespace lufact::gpu
