// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "baselines/peers/plugins/mkl_library.hpp"

namespace lufact::peers {
namespace {

namespace fs = std::filesystem;

class MklLibraryTest : public ::testing::Test {
 protected:
  MklLibraryTest() : folder_(::testing::TempDir() + "mkl-" + std::to_string(getpid())) {
    fs::create_directory(folder_);
    fs::copy_file(LUFACT_FAKE_MKL, folder_ + "/libmkl_rt.so.3");
  }
  ~MklLibraryTest() override { fs::remove_all(folder_); }

  MklLibrary load(MklLibrary::Threading threading) const { return {folder_.c_str(), threading, 1}; }

  std::string folder_;
};

// The library itself would end the process on its first call.
TEST_F(MklLibraryTest, WithoutTheFileOfItsThreadsIsUnsupported) {
  try {
    load(MklLibrary::Threading::sequential);
    FAIL() << "loaded without libmkl_sequential.so.3";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.status(), LUFACT_PEER_UNSUPPORTED);
    EXPECT_NE(std::string(failure.what()).find("without libmkl_sequential.so.3"), std::string::npos)
        << failure.what();
  }
}

TEST_F(MklLibraryTest, TakesTheFileFromBesideItsOwn) {
  std::ofstream(folder_ + "/libmkl_sequential.so.3") << "the library opens it, not we";
  EXPECT_EQ(load(MklLibrary::Threading::sequential).threading(), "sequential");
  EXPECT_THROW(load(MklLibrary::Threading::gnu), Failure);
}

}  // namespace
}  // namespace lufact::peers
