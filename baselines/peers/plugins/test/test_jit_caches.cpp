// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "baselines/peers/plugins/jit_caches.hpp"

namespace lufact::peers {
namespace {

namespace fs = std::filesystem;
using testing::StartsWith;

class JitCaches : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("jit-caches-" + std::to_string(getpid()));
    fs::create_directories(folder_ / "deep");
    for (const char* name : names) unsetenv(name);
  }
  void TearDown() override {
    fs::remove_all(folder_);
    for (const char* name : names) unsetenv(name);
  }
  void fill() const { std::ofstream(folder_ / "deep/kernel") << "code"; }

  static constexpr const char* names[] = {"CUDA_CACHE_DISABLE", "CUDA_CACHE_PATH",
                                          "CUDSS_JIT_CACHE_DIR", "CUDSS_JIT_DISABLE"};
  fs::path folder_;
};

TEST_F(JitCaches, AreWarmWhereThereIsAFileAtAnyDepth) {
  setenv("CUDA_CACHE_PATH", folder_.c_str(), 1);
  setenv("CUDSS_JIT_CACHE_DIR", folder_.c_str(), 1);
  EXPECT_THAT(cuda_jit_cache(), StartsWith("cold"));
  EXPECT_THAT(cudss_jit_cache(), StartsWith("cold"));
  fill();
  EXPECT_THAT(cuda_jit_cache(), StartsWith("warm: 1 files"));
  EXPECT_THAT(cudss_jit_cache(), StartsWith("warm: 1 files"));
  setenv("CUDA_CACHE_PATH", (folder_ / "nowhere").c_str(), 1);
  EXPECT_THAT(cuda_jit_cache(), StartsWith("cold"));
}

TEST_F(JitCaches, SayWhereTheyAreSwitchedOffOrNotSet) {
  EXPECT_EQ(cudss_jit_cache(), "CUDSS_JIT_CACHE_DIR is not set");
  setenv("CUDA_CACHE_DISABLE", "1", 1);
  setenv("CUDSS_JIT_DISABLE", "1", 1);
  EXPECT_EQ(cuda_jit_cache(), "off by CUDA_CACHE_DISABLE");
  EXPECT_EQ(cudss_jit_cache(), "off by CUDSS_JIT_DISABLE");
}

TEST_F(JitCaches, TheDriversIsInTheHomeFolder) {
  const std::string home = std::getenv("HOME") == nullptr ? "" : std::getenv("HOME");
  setenv("HOME", folder_.c_str(), 1);
  EXPECT_EQ(cuda_jit_cache(), "cold: nothing in " + (folder_ / ".nv/ComputeCache").string());
  home.empty() ? unsetenv("HOME") : setenv("HOME", home.c_str(), 1);
}

}  // namespace
}  // namespace lufact::peers
