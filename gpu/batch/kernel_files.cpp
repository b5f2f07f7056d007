// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/batch/kernel_files.hpp"

#include <fmt/format.h>

#include <fstream>

#include "core/base/error.hpp"
#include "gpu/runtime/program_files.hpp"

namespace lufact::gpu {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view folder_name = "lib/lufact/batch";

[[noreturn]] void throw_missing(const fs::path& file, const fs::path& program, Index order) {
  throw Error(Outcome::unsupported, "no_batch_kernels",
              fmt::format("the kernels for matrices of order {} are missing: there is no {} for "
                          "{}; build the target lufact_batch_kernels with {} in "
                          "LUFACT_BATCH_SIZES, and keep {} beside the program",
                          order, file.string(), program.string(), order, folder_name));
}

}  // namespace

std::string batch_kernel_file_name(std::string_view family, Precision precision, Index order) {
  return fmt::format("{}_{}_{}.fatbin", family, precision == Precision::float32 ? "f32" : "f64",
                     order);
}

fs::path batch_kernel_folder(const fs::path& program) {
  return folder_beside(program, folder_name);
}

std::vector<char> read_batch_kernels(std::string_view family, Precision precision, Index order) {
  const fs::path program = running_program();
  const fs::path folder = batch_kernel_folder(program);
  const fs::path file = (folder.empty() ? fs::path(folder_name) : folder) /
                        batch_kernel_file_name(family, precision, order);
  std::error_code absent;
  const std::uintmax_t bytes = fs::file_size(file, absent);
  if (folder.empty() || absent || bytes == 0) throw_missing(file, program, order);
  std::vector<char> contents(bytes);
  std::ifstream stream(file, std::ios::binary);
  if (!stream.read(contents.data(), static_cast<std::streamsize>(bytes))) {
    throw_missing(file, program, order);
  }
  return contents;
}

}  // namespace lufact::gpu
