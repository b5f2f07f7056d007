// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "core/base/error.hpp"
#include "gpu/batch/kernel_files.hpp"

namespace lufact::gpu {
namespace {
namespace fs = std::filesystem;
using testing::HasSubstr;

TEST(BatchKernelFiles, NamesSayFamilyPrecisionAndOrder) {
  EXPECT_EQ(batch_kernel_file_name("paper", Precision::float64, 12), "paper_f64_12.fatbin");
  EXPECT_EQ(batch_kernel_file_name("ours", Precision::float32, 7), "ours_f32_7.fatbin");
}

TEST(BatchKernelFiles, TheNearestFolderAboveTheProgramIsTaken) {
  const fs::path root = fs::path(testing::TempDir()) / "lufact_batch_kernel_files";
  fs::create_directories(root / "lib/lufact/batch");
  fs::create_directories(root / "gpu/batch");
  EXPECT_EQ(batch_kernel_folder(root / "bin/lufact"), root / "lib/lufact/batch");
  EXPECT_EQ(batch_kernel_folder(root / "gpu/batch/test_it"), root / "lib/lufact/batch");
  fs::create_directories(root / "gpu/lib/lufact/batch");
  EXPECT_EQ(batch_kernel_folder(root / "gpu/batch/test_it"), root / "gpu/lib/lufact/batch");
  fs::remove_all(root);
}

TEST(BatchKernelFiles, AMissingFileIsUnsupportedAndNamed) {
  try {
    read_batch_kernels("no_such_family", Precision::float64, 9);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.outcome(), Outcome::unsupported);
    EXPECT_EQ(error.code(), "no_batch_kernels");
    EXPECT_THAT(error.what(), HasSubstr("no_such_family_f64_9.fatbin"));
    EXPECT_THAT(error.what(), HasSubstr("LUFACT_BATCH_SIZES"));
  }
}

TEST(BatchKernelFiles, TheBuildLeavesItsFilesWhereItsProgramsLook) {
  const std::vector<char> contents = read_batch_kernels("probe", Precision::float64, 1);
  ASSERT_GT(contents.size(), 4U);
  EXPECT_EQ(static_cast<unsigned char>(contents[0]), 0x50);  // the mark of a fatbin
  EXPECT_EQ(static_cast<unsigned char>(contents[1]), 0xed);
}

}  // namespace
}  // namespace lufact::gpu
