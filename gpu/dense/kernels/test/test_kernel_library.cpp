// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>

#include "core/base/error.hpp"
#include "gpu/dense/kernels/loaded_kernels.hpp"
#include "gpu/runtime/program_files.hpp"

namespace lufact::gpu {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::string contents_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

template <class T>
void expect_all(const RealKernels<T>& kernels) {
  EXPECT_NE(kernels.find_zero_pivot, nullptr);
  EXPECT_NE(kernels.panel_shape, nullptr);
  EXPECT_NE(kernels.factor_panel, nullptr);
  EXPECT_NE(kernels.subtract_product, nullptr);
  EXPECT_NE(kernels.apply_block, nullptr);
  EXPECT_NE(kernels.solve_in_chain, nullptr);
  EXPECT_NE(kernels.spoil_if_singular, nullptr);
  EXPECT_NE(kernels.resident_front_blocks, nullptr);
  EXPECT_NE(kernels.factor_front, nullptr);
}

template <class T>
void expect_all(const SchemeKernels<T>& kernels) {
  EXPECT_NE(kernels.launch_step, nullptr);
  EXPECT_NE(kernels.add_step, nullptr);
  EXPECT_NE(kernels.launch_all_steps, nullptr);
  EXPECT_NE(kernels.launch_barriers, nullptr);
  EXPECT_NE(kernels.resident_step_blocks, nullptr);
  EXPECT_NE(kernels.subtract_product, nullptr);
  EXPECT_NE(kernels.solve_with_lower, nullptr);
  EXPECT_NE(kernels.solve_with_upper, nullptr);
  EXPECT_NE(kernels.copy_to_rows, nullptr);
  EXPECT_NE(kernels.copy_to_columns, nullptr);
}

TEST(KernelLibrary, IsLoadedWithoutADevice) {
  const fs::path library = kernel_library(running_program());
  void* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(handle, nullptr) << dlerror();
  auto* const entry = reinterpret_cast<KernelTableEntry*>(dlsym(handle, kernel_table_entry));
  ASSERT_NE(entry, nullptr) << dlerror();
  const KernelTable& table = *entry();
  EXPECT_EQ(table.form, kernel_form);
  expect_all(table.of_float);
  expect_all(table.of_double);
  expect_all(table.of_float_schemes);
  expect_all(table.of_double_schemes);
}

// Without a device the first call of the runtime fails, with one the number of blocks is refused.
TEST(KernelLibrary, ThrowsErrorsOfTheProgram) {
  const fs::path library = kernel_library(running_program());
  void* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(handle, nullptr) << dlerror();
  auto* const entry = reinterpret_cast<KernelTableEntry*>(dlsym(handle, kernel_table_entry));
  constexpr Index largest = std::numeric_limits<Index>::max();
  const blocked::Product<double> product{.rows = largest, .columns = largest, .depth = 1};
  EXPECT_THROW(entry()->of_double.subtract_product(nullptr, product, blocked::ProductNumbers::own),
               Error);
}

TEST(KernelLibrary, OfAProgramWithoutOneIsNamed) {
  EXPECT_EQ(kernel_library("/nowhere/bin/lufact").string(), "lib/lufact/dense/dense_kernels.so");
}

// No other command pays for kernels on one large matrix.
TEST(KernelLibrary, HasWhatTheProgramHasNot) {
  const std::string program = contents_of(LUFACT_PROGRAM);
  const std::string library = contents_of(kernel_library(running_program()));
  ASSERT_FALSE(program.empty());
  for (const char* kernel : {"pivoted_panel_kernel", "plain_panel_kernel", "dense_front_kernel",
                             "diagonal_tiles_kernel", "measure_rows_kernel", "all_steps_kernel"}) {
    EXPECT_THAT(library, HasSubstr(kernel));
    EXPECT_EQ(program.find(kernel), std::string::npos) << kernel;
  }
}

}  // namespace
}  // namespace lufact::gpu
