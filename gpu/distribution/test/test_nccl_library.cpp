// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "core/base/error.hpp"
#include "gpu/distribution/nccl_library.hpp"

namespace lufact::gpu {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;

// Loads stand-ins that were built beside the test.
class NcclLoader : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(fakes_)) GTEST_SKIP() << "the stand-ins for NCCL are not here";
  }
  void TearDown() override { unsetenv("LUFACT_NCCL_ROOT"); }

  static NcclLibrary load_from(const std::string& root) {
    setenv("LUFACT_NCCL_ROOT", root.c_str(), 1);
    return load_nccl();
  }

  const std::string fakes_ = LUFACT_FAKE_NCCL;
};

TEST_F(NcclLoader, TakesTheLibraryOfTheFolderOrOfLibInIt) {
  for (const std::string& root : {fakes_ + "/whole", fakes_ + "/whole/lib"}) {
    SCOPED_TRACE(root);
    const NcclLibrary nccl = load_from(root);
    EXPECT_THAT(nccl.fault, IsEmpty());
    EXPECT_THAT(nccl.path, EndsWith("/whole/lib/libnccl.so.2"));
    EXPECT_EQ(nccl.version, 22304);
    NcclUniqueId id{};
    EXPECT_EQ(nccl.get_unique_id(&id), nccl_success);
    EXPECT_EQ(id.internal[127], 7);
    const NcclFinding finding = nccl_finding(nccl);
    EXPECT_EQ(finding.version, "2.23.4");
    EXPECT_EQ(finding.library, nccl.path);
    EXPECT_FALSE(finding.reason.has_value());
  }
}

TEST_F(NcclLoader, AFailedCallIsAnErrorInTheWordsOfTheLibrary) {
  const NcclLibrary nccl = load_from(fakes_ + "/whole");
  NcclCommunicator communicator = nullptr;
  try {
    nccl.require(nccl.init_rank(&communicator, 1, {}, 0), "ncclCommInitRank");
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.outcome(), Outcome::error);
    EXPECT_EQ(error.code(), "nccl");
    EXPECT_THAT(error.what(), HasSubstr("ncclCommInitRank failed: internal error (3)"));
  }
}

TEST_F(NcclLoader, RefusesALibraryWithoutMessages) {
  const NcclLibrary nccl = load_from(fakes_ + "/part");
  EXPECT_THAT(nccl.fault, HasSubstr("has no function ncclSend"));
  EXPECT_THAT(nccl_finding(nccl).reason.value_or(""), HasSubstr("--exchange mpi"));
  EXPECT_FALSE(nccl_finding(nccl).version.has_value());
}

TEST_F(NcclLoader, TakesNoOtherLibraryThanThatOfTheFolder) {
  EXPECT_THAT(load_from("/nowhere").fault,
              HasSubstr("no libnccl.so.2 in LUFACT_NCCL_ROOT=/nowhere"));
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "no-nccl";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "libnccl.so.2") << "no library";
  EXPECT_THAT(load_from(folder.string()).fault, HasSubstr((folder / "libnccl.so.2").string()));
  std::filesystem::remove_all(folder);
}

TEST_F(NcclLoader, LeavesMulticastOffUnlessToldOtherwise) {
  unsetenv("NCCL_NVLS_ENABLE");
  load_from(fakes_ + "/whole");
  EXPECT_STREQ(std::getenv("NCCL_NVLS_ENABLE"), "0");
  setenv("NCCL_NVLS_ENABLE", "1", 1);
  load_from(fakes_ + "/whole");
  EXPECT_STREQ(std::getenv("NCCL_NVLS_ENABLE"), "1");
  unsetenv("NCCL_NVLS_ENABLE");
}

TEST(NcclVersion, IsWrittenAsNcclDoes) {
  EXPECT_EQ(nccl_version_text(2708), "2.7.8");
  EXPECT_EQ(nccl_version_text(21104), "2.11.4");
  EXPECT_EQ(nccl_version_text(23203), "2.32.3");
}

}  // namespace
}  // namespace lufact::gpu
