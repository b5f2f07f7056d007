// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/sha256.hpp"
#include "core/generate/generate.hpp"
#include "core/generate/matrix_market_writer.hpp"
#include "core/matrix/reader.hpp"

namespace lufact {
namespace {

namespace fs = std::filesystem;

class MatrixMarketWriter : public testing::Test {
 protected:
  MatrixMarketWriter()
      : folder_(fs::path(testing::TempDir()) / ("lufact-writer-" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
  }
  ~MatrixMarketWriter() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  static std::string bytes_of(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  }

  // What gunzip would make of the file.
  static std::string inflated(const std::string& file) {
    std::string text;
    std::vector<char> buffer(1 << 16);
    gzFile stream = gzopen(file.c_str(), "rb");
    for (int got = 1; stream != nullptr && got > 0;) {
      got = gzread(stream, buffer.data(), static_cast<unsigned>(buffer.size()));
      if (got > 0) text.append(buffer.data(), static_cast<std::size_t>(got));
    }
    gzclose(stream);
    return text;
  }

  std::string generate_file(const GeneratorFacts& request, const std::string& name) const {
    const GeneratorFacts facts = complete_generator_facts(request);
    write_matrix_market(path(name), generate_matrix(facts), facts);
    return path(name);
  }

  fs::path folder_;
};

TEST_F(MatrixMarketWriter, WritesBannerCommentSizesAndEntries) {
  CsrMatrix matrix;
  matrix.pattern = {2, 2, {0, 2, 3}, {0, 1, 1}};
  matrix.values = {0.1, -1e300, 0.0};
  write_matrix_market(path("a.mtx"), matrix, GeneratorFacts{"grid2d", {{"nx", 30}, {"ny", 20}}, 1});
  EXPECT_EQ(bytes_of(path("a.mtx")),
            "%%MatrixMarket matrix coordinate real general\n"
            "% lufact generator: {\"kind\":\"grid2d\",\"sizes\":{\"nx\":30,\"ny\":20},\"seed\":1}\n"
            "2 2 3\n1 1 0.1\n1 2 -1e+300\n2 2 0\n");
}

TEST_F(MatrixMarketWriter, LeavesTheCommentOutWhereNothingWasGenerated) {
  write_matrix_market(path("empty.mtx"), CsrMatrix{}, std::nullopt);
  EXPECT_EQ(bytes_of(path("empty.mtx")), "%%MatrixMarket matrix coordinate real general\n0 0 0\n");
}

TEST_F(MatrixMarketWriter, TheLargestSeedIsWrittenInFull) {
  EXPECT_EQ(generator_comment({"planar", {{"n", 3}}, std::numeric_limits<std::uint64_t>::max()}),
            "% lufact generator: {\"kind\":\"planar\",\"sizes\":{\"n\":3},"
            "\"seed\":18446744073709551615}");
}

TEST_F(MatrixMarketWriter, GzipHoldsTheSameTextReproducibly) {
  const GeneratorFacts request{"grid2d", {{"nx", 300}, {"ny", 200}}, 1};
  const std::string plain = bytes_of(generate_file(request, "a.mtx"));
  const std::string packed = bytes_of(generate_file(request, "a.mtx.gz"));
  EXPECT_GT(plain.size(), std::size_t{1} << 22) << "several buffers must be crossed";
  EXPECT_EQ(inflated(path("a.mtx.gz")), plain);
  EXPECT_EQ(packed.substr(0, 8), std::string("\x1f\x8b\x08\0\0\0\0\0", 8)) << "no name, no time";
  EXPECT_EQ(bytes_of(generate_file(request, "b.mtx.gz")), packed);
}

TEST_F(MatrixMarketWriter, LeavesNothingButTheFileBehind) {
  generate_file({"hex", {{"nx", 3}, {"ny", 3}}, 1}, "a.mtx");
  generate_file({"hex", {{"nx", 4}, {"ny", 4}}, 1}, "a.mtx");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
  EXPECT_THAT(bytes_of(path("a.mtx")), testing::HasSubstr("\n16 16 "));
}

TEST_F(MatrixMarketWriter, AnotherEndingIsWrongUsage) {
  EXPECT_THROW(write_matrix_market(path("a.txt"), CsrMatrix{}, std::nullopt), UsageError);
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(MatrixMarketWriter, AFileThatCannotBeWrittenSaysWhy) {
  try {
    write_matrix_market(path("missing/a.mtx"), CsrMatrix{}, std::nullopt);
    FAIL() << "the folder does not exist";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "cannot_write");
    EXPECT_THAT(error.what(), testing::HasSubstr("No such file"));
  }
}

TEST_F(MatrixMarketWriter, AFailedRenameKeepsNoHalfFile) {
  fs::create_directories(folder_ / "a.mtx" / "full");
  EXPECT_THROW(write_matrix_market(path("a.mtx"), CsrMatrix{}, std::nullopt), Error);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

TEST_F(MatrixMarketWriter, TheReaderGetsBackWhatWasGenerated) {
  ReadOptions options;
  options.explicit_zeros = ExplicitZeros::keep;
  for (const GeneratorKind& kind : generator_kinds()) {
    GeneratorFacts request{std::string(kind.name), {}, 11};
    for (const GeneratorSize& size : kind.sizes) {
      request.sizes.emplace_back(size.name, size.name == "n" ? 900 : size.name == "nnz" ? 4500 : 6);
    }
    for (const char* ending : {".mtx", ".mtx.gz"}) {
      const InputMatrix input = read_matrix(generate_file(request, request.kind + ending), options);
      const CsrMatrix matrix = generate_matrix(request);
      EXPECT_EQ(input.matrix.pattern.row_ptr, matrix.pattern.row_ptr) << request.kind << ending;
      EXPECT_EQ(input.matrix.pattern.col_idx, matrix.pattern.col_idx) << request.kind << ending;
      EXPECT_EQ(input.matrix.values, matrix.values) << request.kind << ending;
      ASSERT_TRUE(input.facts.generator.has_value()) << request.kind << ending;
      EXPECT_EQ(input.facts.generator->kind, request.kind);
      EXPECT_EQ(input.facts.generator->sizes, request.sizes);
      EXPECT_EQ(input.facts.generator->seed, 11u);
    }
  }
}

// The bytes of a file are part of what lufact promises: a seed names the same matrix for ever.
TEST_F(MatrixMarketWriter, EveryKindKeepsTheBytesOfItsFiles) {
  const std::vector<std::pair<GeneratorFacts, std::string>> known{
      {{"grid2d", {{"nx", 30}, {"ny", 20}}, 1},
       "af4760d66301fbea4d7d669d6697c1b5be9954bd93fb982e6bb56264787e8082"},
      {{"grid3d", {{"nx", 7}, {"ny", 5}, {"nz", 6}}, 1},
       "a6a9cd65d8f181584b88563f8e6ad4ef9e024ae0dd653dc13f0c4ea2860fcd31"},
      {{"fem3d", {{"nx", 4}, {"ny", 3}, {"nz", 5}, {"unknowns", 3}}, 1},
       "e6e3aa0f7e95e3601609be6778cee23058ec8da215d80c0a8aa2598a0afa5bae"},
      {{"cfd", {{"nx", 9}, {"ny", 11}, {"unknowns", 4}}, 1},
       "0bf4b06ec17ba755ebd4e66e981ce372c73360ba18cadcf98a1a727c2ad41d96"},
      {{"circuit", {{"n", 1000}}, 1},
       "c381f443b0e300e22aebfa995b9ecd32f07d6fdac3fbf0df6779f783770bb7da"},
      {{"planar", {{"n", 500}}, 1},
       "418d2b6c9580506b8e31aeb6c21b44cd1f2b830471ff037b0e592158681fbaf2"},
      {{"hex", {{"nx", 20}, {"ny", 31}}, 1},
       "ab92a5d13b4790eab680a03d82ffb128f2185ef337f3e58ca83d24d2df87b805"},
      {{"random", {{"n", 300}, {"nnz_per_row", 4}}, 1},
       "06c088ffceec14c5eed0fd089f7f4a1f96e8ce3a889cb5cf936664cb528353c7"},
      {{"planar-graph", {{"n", 500}}, 1},
       "4c2979278bcfdf739646398ed145c4dc3a72e660ff5b613f72225406744fb809"},
      {{"hex-graph", {{"nx", 20}, {"ny", 31}}, 1},
       "b8882c87c31ff8cec7a4538fe7b6d2a8d76aead69178d1fb5abe4807e211fbeb"},
      {{"netlist", {{"n", 1000}, {"nnz", 5001}}, 1},
       "b707540b508267e5971c474e434c3b712d142daa3a3f83aef5eed5d7e074fd67"},
      {{"harmonic", {{"n", 400}, {"nnz", 3001}, {"harmonics", 3}}, 1},
       "c8b66296a7eff1fbf67f6be48fc97602e17ea0710af579f65bcd31fd7e266d9f"},
      {{"economic", {{"n", 400}, {"nnz", 4001}, {"periods", 7}}, 1},
       "5f3b0153908702517080c296d9e023139d960f6b1b762205deb1daaf46d7abaf"},
      {{"structural", {{"n", 400}, {"nnz", 9000}, {"unknowns", 3}, {"layers", 2}}, 1},
       "aa5d2f085ad8cc71ce59ffc3d99bfbc36c9fed49d4be3c9effdcc74766f87648"},
      {{"flow", {{"n", 400}, {"nnz", 9001}, {"unknowns", 5}, {"layers", 2}}, 1},
       "e6e7544b5076c7511aced5e9d89363bb140769bb3234833600e5f4aa29bf56f3"}};
  ASSERT_EQ(known.size(), generator_kinds().size());
  for (const auto& [request, sha256] : known) {
    const std::string file = generate_file(request, request.kind + ".mtx");
    EXPECT_EQ(sha256_of_text(bytes_of(file)), sha256) << request.kind;
  }
}

}  // namespace
}  // namespace lufact
