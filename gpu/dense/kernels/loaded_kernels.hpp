// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <filesystem>

#include "gpu/dense/kernels/kernel_table.hpp"

namespace lufact::gpu {

// The library of this program: lib/lufact/dense/dense_kernels.so in the folder of the program, or
// in one above it.
std::filesystem::path kernel_library(const std::filesystem::path& program);

// The table of that library, which is loaded by the first call, into the context of the calling
// thread's device, and stays. Throws Error{unsupported, "no_dense_kernels"} where it is missing,
// cannot be loaded, or is of another build. The functions that launch its kernels are defined
// beside this one: whoever calls them loads it.
const KernelTable& loaded_kernels();

}  // namespace lufact::gpu
