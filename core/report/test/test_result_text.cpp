// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "core/base/error.hpp"
#include "core/report/result_text.hpp"

namespace lufact {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class ResultTextTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "lufact-text-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return (folder_ / name).string();
  }
  // What read_result_json says of a file of these bytes.
  std::string message(const std::string& bytes) const {
    const std::string path = write("r", bytes);
    try {
      read_result_json(path);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), "bad_result");
      EXPECT_THAT(error.what(), StartsWith(path));
      return error.what();
    }
    return "no exception";
  }

  fs::path folder_;
};

// Long enough that a compressed file can be cut and damaged in its middle.
std::string numbers() {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (unsigned k = 0, x = 1; k < 5000; ++k, x = x * 1664525u + 1013904223u) json.push_back(x);
  return json.dump();
}

TEST_F(ResultTextTest, TheEndingSaysTheCompression) {
  EXPECT_EQ(compression_of("r.json"), Compression::none);
  EXPECT_EQ(compression_of("r.json.gz"), Compression::gzip);
  EXPECT_EQ(compression_of("a.gz/r.json.xz"), Compression::xz);
}

TEST_F(ResultTextTest, ReadsWhatItCompressed) {
  const std::string text = numbers();
  EXPECT_EQ(compress(text, Compression::none), text);
  for (const Compression compression : {Compression::gzip, Compression::xz}) {
    const std::string bytes = compress(text, compression);
    EXPECT_LT(bytes.size(), text.size());
    EXPECT_EQ(read_result_json(write("r", bytes)).dump(), text);
    EXPECT_EQ(read_result_json(write("r", compress("[]", compression))).dump(), "[]");
  }
}

TEST_F(ResultTextTest, SaysThatAFileIsCutShort) {
  for (const Compression compression : {Compression::gzip, Compression::xz}) {
    const std::string bytes = compress(numbers(), compression);
    for (const std::size_t kept : {bytes.size() / 2, bytes.size() - 1}) {
      EXPECT_THAT(message(bytes.substr(0, kept)), HasSubstr("end too early"));
    }
  }
  EXPECT_THAT(message("{\"runs\": ["), AllOf(HasSubstr("as JSON"), HasSubstr("line 1")));
}

TEST_F(ResultTextTest, SaysThatAFileIsDamaged) {
  for (const Compression compression : {Compression::gzip, Compression::xz}) {
    std::string bytes = compress(numbers(), compression);
    bytes[bytes.size() / 2] ^= 0x55;
    EXPECT_THAT(message(bytes), HasSubstr("data are corrupt"));
    EXPECT_THAT(message(compress("no JSON", compression)), HasSubstr("cannot be read as JSON"));
  }
}

TEST_F(ResultTextTest, SaysThatThereIsNoFile) {
  const auto message_of = [&](const fs::path& path) {
    try {
      read_result_json(path.string());
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no exception");
  };
  EXPECT_THAT(message_of(folder_ / "absent.json"), HasSubstr("No such file"));
  EXPECT_THAT(message_of(folder_), HasSubstr("is a folder"));
}

}  // namespace
}  // namespace lufact
