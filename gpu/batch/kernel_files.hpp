// SPDX-License-Identifier: BSD-3-Clause
// The files of kernels with the order of their matrices as a compile-time constant.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/types.hpp"

namespace lufact::gpu {

// "paper_f64_12.fatbin"
std::string batch_kernel_file_name(std::string_view family, Precision precision, Index order);

// The nearest folder lib/lufact/batch (folder_beside()); empty: there is none.
std::filesystem::path batch_kernel_folder(const std::filesystem::path& program);

// Contents of the file, for the running program. Throws Error{unsupported, "no_batch_kernels"} that
// names the file and says what to build.
std::vector<char> read_batch_kernels(std::string_view family, Precision precision, Index order);

}  // namespace lufact::gpu
