// SPDX-License-Identifier: BSD-3-Clause
// What the reader makes of well-formed texts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/random.hpp"
#include "core/matrix/generator_comment.hpp"
#include "core/matrix/reader.hpp"

namespace lufact {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string text(const std::string& kind, const std::string& body) {
  return "%%MatrixMarket matrix coordinate " + kind + "\n" + body;
}

InputMatrix parse(const std::string& source, const ReadOptions& options = {}) {
  InputMatrix input = parse_matrix(source, "test", options);
  EXPECT_EQ(find_pattern_fault(input.matrix.pattern.view()), "");
  EXPECT_EQ(input.matrix.values.size(), input.matrix.pattern.col_idx.size());
  EXPECT_EQ(input.facts.nnz, input.matrix.pattern.nnz());
  return input;
}

template <class Read>
std::string message_of(const Read& read) {
  try {
    read();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Reader, PutsEntriesInRowsWithAscendingColumns) {
  const InputMatrix input =
      parse(text("real general", "3 3 5\n3 1 7\n1 3 3\n2 2 5\n1 1 1\n3 3 9\n"));
  EXPECT_THAT(input.matrix.pattern.row_ptr, ElementsAre(0, 2, 3, 5));
  EXPECT_THAT(input.matrix.pattern.col_idx, ElementsAre(0, 2, 1, 0, 2));
  EXPECT_THAT(input.matrix.values, ElementsAre(1, 3, 5, 7, 9));
  EXPECT_EQ(input.facts.name, "test");
  EXPECT_EQ(input.facts.field, "real");
  EXPECT_EQ(input.facts.file_symmetry, "general");
  EXPECT_EQ(input.facts.nnz_stored, 5);
  EXPECT_EQ(input.facts.missing_diagonals, 0);
  EXPECT_EQ(input.facts.structural_symmetry, 1);
}

// A file of this text, until the test ends.
class TextFile {
 public:
  explicit TextFile(const std::string& content)
      : path_(testing::TempDir() + "lines-" +
              testing::UnitTest::GetInstance()->current_test_info()->name() + ".mtx") {
    std::ofstream(path_) << content;
  }
  ~TextFile() { std::filesystem::remove(path_); }
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

TEST(ReaderLineNumbers, AreThoseOfTheEntriesInTheirOrder) {
  const TextFile general(text("real general", "2 2 4\n2 2 5\n1 2 0\n2 1 7\n1 1 9\n"));
  EXPECT_THAT(read_line_numbers(general.path(), {}).values, ElementsAre(4, 2, 3, 1));
}

TEST(ReaderLineNumbers, AreSharedWithTheMirrorImage) {
  const TextFile symmetric(text("real symmetric", "3 3 4\n3 1 1\n1 1 1\n2 2 1\n3 3 1\n"));
  EXPECT_THAT(read_line_numbers(symmetric.path(), {}).values, ElementsAre(2, 1, 3, 1, 4));
  ReadOptions stored;
  stored.symmetry = SymmetryMode::stored;
  EXPECT_THAT(read_line_numbers(symmetric.path(), stored).values, ElementsAre(2, 3, 1, 4));
}

TEST(ReaderLineNumbers, AreNegativeWhereTheSignTurns) {
  const TextFile skew(text("real skew-symmetric", "2 2 1\n2 1 3\n"));
  EXPECT_THAT(read_line_numbers(skew.path(), {}).values, ElementsAre(-1, 1));
}

TEST(ReaderLineNumbers, AreThoseOfAPatternToo) {
  const TextFile pattern(text("pattern general", "2 2 3\n2 2\n1 1\n2 1\n"));
  EXPECT_THAT(read_line_numbers(pattern.path(), {}).values, ElementsAre(2, 3, 1));
}

TEST(ReaderLineNumbers, AreRefusedWhereAnEntryHasTwo) {
  const TextFile twice(text("real general", "2 2 3\n2 2 5\n1 1 1\n2 2 5\n"));
  EXPECT_THAT(message_of([&] { read_line_numbers(twice.path(), {}); }), HasSubstr("listed twice"));
}

TEST(Reader, TakesAMatrixAsItsFile) {
  const std::string source = text("real general", "3 3 5\n1 1 0\n1 3 3\n3 1 0\n3 2 2\n2 2 5\n");
  ReadOptions keep;
  keep.explicit_zeros = ExplicitZeros::keep;
  const CsrMatrix whole = parse(source, keep).matrix;
  for (const ExplicitZeros zeros : {ExplicitZeros::drop, ExplicitZeros::keep}) {
    for (const std::optional<double> diagonal : {std::optional<double>(), std::optional(0.5)}) {
      ReadOptions options;
      options.explicit_zeros = zeros;
      options.zero_diagonals = diagonal;
      const InputMatrix read = parse(source, options), taken = as_if_read(whole, options);
      EXPECT_EQ(taken.matrix.pattern.row_ptr, read.matrix.pattern.row_ptr);
      EXPECT_EQ(taken.matrix.pattern.col_idx, read.matrix.pattern.col_idx);
      EXPECT_EQ(taken.matrix.values, read.matrix.values);
      EXPECT_EQ(taken.facts.n, 3);
      EXPECT_EQ(taken.facts.nnz, read.facts.nnz);
      EXPECT_EQ(taken.facts.missing_diagonals, read.facts.missing_diagonals);
      EXPECT_EQ(taken.facts.zero_diagonals_replaced, read.facts.zero_diagonals_replaced);
    }
  }
  EXPECT_EQ(as_if_read(CsrMatrix(), {}).facts.n, 0);
}

TEST(Reader, AddsDuplicatesInTheOrderOfTheFile) {
  const InputMatrix input = parse(text("real general", "1 1 3\n1 1 1e16\n1 1 3.0\n1 1 -1e16\n"));
  EXPECT_THAT(input.matrix.values, ElementsAre((1e16 + 3.0) - 1e16));
  EXPECT_EQ(input.facts.duplicates_summed, 2);
  EXPECT_EQ(input.facts.nnz_stored, 3);
}

TEST(Reader, DropsOrKeepsStoredZerosAndSumsThatAreZero) {
  const std::string source = text("real general", "2 2 5\n1 1 1\n2 2 0\n1 2 3\n1 2 -3\n2 1 -0.0\n");
  const InputMatrix dropped = parse(source);
  EXPECT_THAT(dropped.matrix.pattern.col_idx, ElementsAre(0));
  EXPECT_EQ(dropped.facts.explicit_zeros_dropped, 3);
  EXPECT_EQ(dropped.facts.missing_diagonals, 1);
  ReadOptions options;
  options.explicit_zeros = ExplicitZeros::keep;
  const InputMatrix kept = parse(source, options);
  EXPECT_THAT(kept.matrix.pattern.col_idx, ElementsAre(0, 1, 0, 1));
  EXPECT_EQ(kept.facts.explicit_zeros_dropped, 0);
  EXPECT_EQ(kept.facts.missing_diagonals, 0);
}

TEST(Reader, MirrorsSymmetricFilesOrTakesThemAsStored) {
  const std::string source = text("real symmetric", "3 3 4\n1 1 4\n2 1 -1\n3 2 -2\n2 1 -5\n");
  const InputMatrix expanded = parse(source);
  EXPECT_THAT(expanded.matrix.pattern.row_ptr, ElementsAre(0, 2, 4, 5));
  EXPECT_THAT(expanded.matrix.values, ElementsAre(4, -6, -6, -2, -2));
  EXPECT_EQ(expanded.facts.duplicates_summed, 1);
  EXPECT_EQ(expanded.facts.missing_diagonals, 2);
  ReadOptions options;
  options.symmetry = SymmetryMode::stored;
  const InputMatrix stored = parse(source, options);
  EXPECT_THAT(stored.matrix.pattern.row_ptr, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(stored.matrix.values, ElementsAre(4, -6, -2));
  EXPECT_EQ(stored.facts.structural_symmetry, 0);
  EXPECT_EQ(stored.facts.file_symmetry, "symmetric");
}

TEST(Reader, MirrorsSkewSymmetricFilesWithTheOppositeSign) {
  const InputMatrix input = parse(text("real skew-symmetric", "2 2 1\n2 1 3\n"));
  EXPECT_THAT(input.matrix.pattern.col_idx, ElementsAre(1, 0));
  EXPECT_THAT(input.matrix.values, ElementsAre(-3, 3));
}

TEST(Reader, ReadsTheNearestDouble) {
  const std::string digits = "0.1000000000000000055511151231257827021181583404541015625";
  const InputMatrix input = parse(text("real general", "6 6 6\n1 1 " + digits +
                                                           "\n2 2 1.7976931348623157D308\n3 3 "
                                                           "4.9e-324\n4 4 1e-400\n5 5 -.5d+1\n6 6 "
                                                           "9007199254740993\n"),
                                  [] {
                                    ReadOptions options;
                                    options.explicit_zeros = ExplicitZeros::keep;
                                    return options;
                                  }());
  EXPECT_THAT(input.matrix.values, ElementsAre(0.1, std::numeric_limits<double>::max(),
                                               std::numeric_limits<double>::denorm_min(), 0.0, -5.0,
                                               9007199254740992.0));
}

TEST(Reader, RoundsIntegersBeyondTheMantissa) {
  const InputMatrix input = parse(text(
      "integer general", "3 3 3\n1 1 9223372036854775807\n2 2 -9223372036854775809\n3 3 +12\n"));
  EXPECT_THAT(input.matrix.values, ElementsAre(0x1p63, -0x1p63, 12));
  EXPECT_EQ(input.facts.field, "integer");
}

TEST(Reader, GivesAPatternDominantValues) {
  const InputMatrix input = parse(text("pattern general", "3 3 6\n1 1\n1 2\n1 3\n2 1\n3 3\n1 1\n"));
  EXPECT_THAT(input.matrix.pattern.col_idx, ElementsAre(0, 1, 2, 0, 2));
  const std::vector<double>& values = input.matrix.values;
  for (const std::size_t k : {1u, 2u, 3u}) {
    EXPECT_GE(std::fabs(values[k]), 0.1);
    EXPECT_LT(std::fabs(values[k]), 1.0);
  }
  EXPECT_EQ(values[0], 1 + (std::fabs(values[1]) + std::fabs(values[2])));
  EXPECT_EQ(values[4], 1);
  EXPECT_NE(values[1], values[3]) << "a general file hashes (i, j) and (j, i) apart";
  EXPECT_EQ(input.facts.missing_diagonals, 1) << "a missing diagonal stays missing";
  EXPECT_EQ(input.facts.duplicates_summed, 1);
}

TEST(Reader, HashesPatternValuesFromSeedRowAndColumn) {
  const std::string source = text("pattern general", "2 2 1\n2 1\n");
  for (const std::uint64_t seed : {1u, 2u, 77u}) {
    ReadOptions options;
    options.seed = seed;
    const std::uint64_t bits = hash64(seed, 1, 0);
    const double magnitude = 0.1 + 0.9 * unit_interval(bits);
    EXPECT_THAT(parse(source, options).matrix.values,
                ElementsAre((bits & 1U) != 0 ? -magnitude : magnitude));
  }
}

TEST(Reader, KeepsThePatternValuesOfASymmetricFileSymmetric) {
  for (const double sign : {1.0, -1.0}) {
    const std::string kind = sign > 0 ? "pattern symmetric" : "pattern skew-symmetric";
    const InputMatrix lower = parse(text(kind, "3 3 2\n2 1\n3 1\n"));
    const InputMatrix upper = parse(text(kind, "3 3 2\n1 2\n1 3\n"));
    EXPECT_EQ(lower.matrix.values, upper.matrix.values);
    const std::vector<double>& values = lower.matrix.values;
    EXPECT_THAT(values, ElementsAre(values[0], values[1], sign * values[0], sign * values[1]));
  }
}

TEST(Reader, GivesAPatternOnesWhereAsked) {
  ReadOptions options;
  options.pattern_values = PatternValues::ones;
  EXPECT_THAT(parse(text("pattern general", "2 2 4\n1 1\n2 1\n2 2\n2 1\n"), options).matrix.values,
              ElementsAre(1, 1, 1));
  EXPECT_THAT(parse(text("pattern skew-symmetric", "2 2 1\n2 1\n"), options).matrix.values,
              ElementsAre(-1, 1));
}

TEST(Reader, ReplacesMissingAndZeroDiagonalsWhereAsked) {
  const std::string source = text("real general", "4 4 5\n1 1 0\n2 1 1\n2 3 1\n3 3 8\n4 1 2\n");
  ReadOptions options;
  options.zero_diagonals = 0.5;
  for (const ExplicitZeros zeros : {ExplicitZeros::drop, ExplicitZeros::keep}) {
    options.explicit_zeros = zeros;
    const InputMatrix input = parse(source, options);
    EXPECT_THAT(input.matrix.pattern.row_ptr, ElementsAre(0, 1, 4, 5, 7));
    EXPECT_THAT(input.matrix.pattern.col_idx, ElementsAre(0, 0, 1, 2, 2, 0, 3));
    EXPECT_THAT(input.matrix.values, ElementsAre(0.5, 1, 0.5, 1, 8, 2, 0.5));
    EXPECT_EQ(input.facts.zero_diagonals_replaced, 3);
    EXPECT_EQ(input.facts.explicit_zeros_dropped, 0);
    EXPECT_EQ(input.facts.missing_diagonals, 0);
  }
  const InputMatrix pattern = parse(text("pattern general", "2 2 2\n1 1\n1 2\n"), options);
  EXPECT_EQ(pattern.matrix.values.back(), 0.5);
  EXPECT_EQ(pattern.facts.zero_diagonals_replaced, 1);
}

TEST(Reader, RefusesAReplacementThatIsNoNumberToDivideBy) {
  for (const double value : {0.0, std::numeric_limits<double>::infinity(), std::nan("")}) {
    ReadOptions options;
    options.zero_diagonals = value;
    EXPECT_THROW(parse_matrix(text("real general", "1 1 0\n"), "test", options), UsageError);
  }
}

TEST(Reader, ReadsAFileWithoutBannerOnlyUnderItsOption) {
  const std::string source = "% by hand\n2 2 2\n1 1 1.5\n2 2 2.5\n";
  EXPECT_THAT(message_of([&] { parse_matrix(source, "test", {}); }), HasSubstr("--without-banner"));
  ReadOptions options;
  options.without_banner = true;
  EXPECT_THAT(parse(source, options).matrix.values, ElementsAre(1.5, 2.5));
  EXPECT_THAT(parse(source.substr(10), options).matrix.values, ElementsAre(1.5, 2.5));
  const std::string with_banner = text("integer symmetric", "2 2 1\n2 1 3\n");
  EXPECT_EQ(parse(with_banner, options).facts.file_symmetry, "symmetric");
  EXPECT_THAT(message_of([&] { parse_matrix("no sizes\n", "test", options); }),
              HasSubstr("test:1: the line of sizes needs 3 numbers"));
}

TEST(Reader, ReportsTheFirstOfSeveralFaults) {
  std::string source = text("real general", "9 9 3\n1 1 1\n");
  for (int k = 0; k < 1000; ++k) source += "% filler\n";
  EXPECT_THAT(message_of([&] { parse_matrix(source + "1 1 x\n0 1 1\n", "file", {}); }),
              HasSubstr("file:1004: value 'x'"));
}

TEST(Reader, ChecksTheAnnouncedEntriesBeforeItAllocates) {
  const std::string sizes = "2147483647 2147483647 9223372036854775807\n";
  EXPECT_THAT(message_of([&] { parse_matrix(text("real general", sizes), "test", {}); }),
              HasSubstr("test:2: 9223372036854775807 entries are announced"));
}

TEST(GeneratorComment, IsReadInAnyOrderOfItsKeys) {
  const auto facts = matrix_market::parse_generator_comment(
      "% lufact generator: { \"seed\" : 18446744073709551615, "
      R"("sizes":{"nx":30,"ny":-2},"kind":"g"})");
  ASSERT_TRUE(facts.has_value());
  EXPECT_EQ(facts->kind, "g");
  EXPECT_EQ(facts->seed, std::numeric_limits<std::uint64_t>::max());
  EXPECT_THAT(facts->sizes, ElementsAre(std::pair<std::string, Offset>("nx", 30),
                                        std::pair<std::string, Offset>("ny", -2)));
  const auto none = matrix_market::parse_generator_comment(
      R"(%lufact generator: {"kind":"k","sizes":{},"seed":0})");
  ASSERT_TRUE(none.has_value());
  EXPECT_THAT(none->sizes, IsEmpty());
}

TEST(GeneratorComment, IsIgnoredWhereItIsNotWellFormed) {
  for (const char* line :
       {"% a comment", "% lufact generator:", "% lufact generator: {}",
        R"(% lufact generator: {"kind":"g","sizes":{"n":1}})",
        R"(% lufact generator: {"kind":"g","sizes":{"n":1},"seed":-1})",
        R"(% lufact generator: {"kind":"g","sizes":{"n":1},"seed":1} more)",
        R"(% lufact generator: {"kind":"g","kind":"h","sizes":{"n":1},"seed":1})",
        R"(% lufact generator: {"kind":"g","sizes":{"n":1},"seed":1,"more":2})",
        R"(% lufact generator: {"kind":"g\"","sizes":{"n":1},"seed":1})",
        R"(% lufact generator: {"kind":"g","sizes":{"n":1,},"seed":1})",
        R"(% see lufact generator: {"kind":"g","sizes":{"n":1},"seed":1})"}) {
    EXPECT_FALSE(matrix_market::parse_generator_comment(line).has_value()) << line;
  }
}

TEST(GeneratorComment, ReachesTheFacts) {
  const std::string comment =
      "% made by a program\n"
      "% lufact generator: {\"kind\":\"grid2d\",\"sizes\":{\"nx\":1,\"ny\":1},\"seed\":5}\r\n";
  const InputMatrix input = parse(text("real general", comment + "1 1 1\n1 1 1\n"));
  ASSERT_TRUE(input.facts.generator.has_value());
  EXPECT_EQ(input.facts.generator->kind, "grid2d");
  EXPECT_EQ(input.facts.generator->seed, 5u);
  EXPECT_FALSE(parse(text("real general", "1 1 1\n1 1 1\n")).facts.generator.has_value());
}

}  // namespace
}  // namespace lufact
