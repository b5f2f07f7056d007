// SPDX-License-Identifier: BSD-3-Clause
// Files of NumPy: all accepted forms, and what is wrong with the others, by byte.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

#include "core/base/error.hpp"
#include "core/batch/npy.hpp"

namespace lufact {
namespace {

using testing::HasSubstr;

std::string head(const std::string& dictionary, int version = 1) {
  std::string file = "\x93NUMPY";
  file += static_cast<char>(version);
  file += '\0';
  const std::size_t digits = version == 1 ? 2 : 4;
  for (std::size_t d = 0; d < digits; ++d) {
    file += static_cast<char>(dictionary.size() >> (8 * d) & 255U);
  }
  return file + dictionary;
}

std::string dictionary(const std::string& type, bool fortran, const std::string& shape) {
  return "{'descr': '" + type + "', 'fortran_order': " + (fortran ? "True" : "False") +
         ", 'shape': " + shape + ", }    \n";
}

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

// Two matrices of order 2 whose entry (i, j) of k is 100 k + 10 i + j, by columns.
const std::vector<double> expected{0, 10, 1, 11, 100, 110, 101, 111};
const std::vector<double> in_c_order{0, 1, 10, 11, 100, 101, 110, 111};
const std::vector<double> in_fortran_order{0, 100, 10, 110, 1, 101, 11, 111};

TEST(Npy, EveryVersionOrderAndType) {
  for (const int version : {1, 2, 3}) {
    for (const char* shape : {"(2, 2, 2)", "(2,2,2,)", "( 2 , 2 , 2 )"}) {
      const GivenMatrices c =
          parse_npy(head(dictionary("<f8", false, shape), version) + bytes_of(in_c_order), "c.npy");
      EXPECT_EQ(c.n, 2);
      EXPECT_EQ(c.count, 2);
      EXPECT_EQ(c.values, expected);
      const std::vector<float> narrow(in_fortran_order.begin(), in_fortran_order.end());
      EXPECT_EQ(parse_npy(head(dictionary("<f4", true, shape), version) + bytes_of(narrow), "f.npy")
                    .values,
                expected);
    }
  }
}

TEST(Npy, KeysInAnyOrderAndOneMatrix) {
  const std::string text = "{\"shape\": (2, 2), \"fortran_order\": True, \"descr\": \"<f8\"}";
  const GivenMatrices one = parse_npy(head(text) + bytes_of(std::vector<double>{1, 2, 3, 4}), "x");
  EXPECT_EQ(one.count, 1);
  EXPECT_EQ(one.values, (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(
      parse_npy(
          head(dictionary("=f8", false, "(2, 2)")) + bytes_of(std::vector<double>{1, 2, 3, 4}), "x")
          .values,
      (std::vector<double>{1, 3, 2, 4}));
}

TEST(Npy, NanAndInfinityAreValues) {
  const std::vector<double> values{std::numeric_limits<double>::infinity()};
  EXPECT_EQ(parse_npy(head(dictionary("<f8", false, "(1, 1, 1)")) + bytes_of(values), "x").values,
            values);
}

void expect_bad(const std::string& file, std::size_t byte, const std::string& why) {
  try {
    parse_npy(file, "a.npy");
    FAIL() << "accepted; expected: " << why;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "bad_matrix");
    EXPECT_EQ(error.outcome(), Outcome::error);
    EXPECT_THAT(error.what(), HasSubstr("a.npy: byte " + std::to_string(byte) + ": "));
    EXPECT_THAT(error.what(), HasSubstr(why));
  }
}

TEST(Npy, ForeignAndCutHeads) {
  const std::string good = head(dictionary("<f8", false, "(2, 2, 2)")) + bytes_of(in_c_order);
  expect_bad("", 0, "not an array of NumPy");
  expect_bad("%%MatrixMarket matrix", 0, "not an array of NumPy");
  expect_bad("PK\x03\x04", 0, "not an array of NumPy");  // .npz
  expect_bad(good.substr(0, 7), 7, "cut in its version");
  expect_bad(good.substr(0, 9), 9, "cut in the length of its header");
  expect_bad(good.substr(0, 40), 40, "cut in its header");
  expect_bad(head("{}", 4), 6, "version 4");
  expect_bad(head("{}", 0), 6, "version 0");
  std::string huge = head("{}", 2);
  huge[10] = '\x7f';
  expect_bad(huge, 8, "a header of");
  expect_bad(head(std::string(70000, ' '), 3), 8, "a header of 70000 bytes");
}

TEST(Npy, MalformedDictionaries) {
  expect_bad(head(""), 10, "expected '{'");
  expect_bad(head("[1, 2]"), 10, "expected '{'");
  expect_bad(head("{}"), 12, "no 'descr'");
  expect_bad(head("{'descr': '<f8'"), 25, "expected '}'");
  expect_bad(head("{'descr' '<f8'}"), 19, "expected ':'");
  expect_bad(head("{'descr': '<f8, 'shape': (1,)"), 27, "expected '}'");
  expect_bad(head("{'descr': '<f8}"), 20, "without its closing quote");
  expect_bad(head("{'descr': [('a', '<f8')]}"), 20, "structured");
  expect_bad(head("{'descr': '<f8', 'fortran_order': 0}"), 44, "True or False");
  expect_bad(head("{'descr': '<f8', 'fortran_order': False}"), 50, "no 'shape'");
  expect_bad(head("{'descr': '<f8', 'shape': (1, 1)}"), 43, "no 'fortran_order'");
  expect_bad(head("{'other': 1}"), 11, "a key 'other'");
  expect_bad(head("{'shape': (-1, 2, 2)}"), 21, "expected a dimension");
  expect_bad(head("{'shape': (1.5, 2, 2)}"), 22, "expected ')'");
  expect_bad(head("{'shape': (99999999999999999999, 2, 2)}"), 21, "beyond 64 bits");
  expect_bad(head("{'shape': 2}"), 20, "expected '('");
  expect_bad(head("{'shape': (2, 2"), 25, "expected ')'");
  expect_bad(head(dictionary("<f8", false, "(1, 1)") + "rubbish"), 74, "goes on");
}

TEST(Npy, TypesOrdersAndShapes) {
  const auto file = [](const char* type, const char* shape) {
    return head(dictionary(type, false, shape)) + std::string(64, '\0');
  };
  expect_bad(file(">f8", "(2, 2, 2)"), 20, "big-endian");
  expect_bad(file("<i8", "(2, 2, 2)"), 20, "type <i8; accepted: <f8, <f4");
  expect_bad(file("<c16", "(2, 2, 2)"), 20, "type <c16");
  expect_bad(file("|O", "(2, 2, 2)"), 20, "type |O");
  const std::size_t shape = 60;
  expect_bad(file("<f8", "()"), shape, "0 dimensions");
  expect_bad(file("<f8", "(8,)"), shape, "1 dimensions");
  expect_bad(file("<f8", "(2, 2, 1, 2)"), shape, "4 dimensions");
  expect_bad(file("<f8", "(2, 2, 3)"), shape, "not equal");
  expect_bad(file("<f8", "(2, 3)"), shape, "not equal");
  expect_bad(file("<f8", "(1, 65, 65)"), shape, "order 65; accepted: 1 to 64");
  expect_bad(file("<f8", "(2, 0, 0)"), shape, "order 0");
  expect_bad(file("<f8", "(0, 2, 2)"), shape, "no matrices");
}

TEST(Npy, DataThatAreCutOrTooLong) {
  const std::string start = head(dictionary("<f8", false, "(2, 2, 2)"));
  const std::string data = bytes_of(in_c_order);
  expect_bad(start + data.substr(0, 63), start.size() + 63, "cut: of 2 matrices there are 1");
  expect_bad(start, start.size(), "cut: of 2 matrices there are 0");
  expect_bad(start + data + "x", start.size() + 64, "more bytes");
  // count x n x n x 8 is 0 in 64 bits
  expect_bad(head(dictionary("<f8", false, "(9223372036854775808, 2, 2)")) + data,
             start.size() + 18 + 64, "cut");
}

class NpyFile : public testing::Test {
 protected:
  std::string path(const char* name) const {
    return (std::filesystem::path(testing::TempDir()) / name).string();
  }
  static std::string content(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  // The path of a file of these bytes.
  std::string with(const std::string& bytes) const {
    const std::string file = path("rows.npy");
    std::ofstream(file, std::ios::binary) << bytes;
    return file;
  }
};

TEST_F(NpyFile, RowsAreReadInEitherOrderAndType) {
  const std::vector<double> second{4, 5, 6};
  const std::string c = with(head(dictionary("<f8", false, "(2, 3)")) +
                             bytes_of(std::vector<double>{1, 2, 3, 4, 5, 6}));
  const NpyRows rows(c);
  EXPECT_EQ(rows.rows(), 2);
  EXPECT_EQ(rows.columns(), 3);
  EXPECT_EQ(rows.row(1), second);
  const std::string f = with(head(dictionary("<f4", true, "(2, 3)")) +
                             bytes_of(std::vector<float>{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(NpyRows(f).row(1), second);
}

TEST_F(NpyFile, OfNoRowsIsRefused) {
  const auto refusal = [this](const std::string& bytes) -> std::string {
    try {
      const NpyRows rows(with(bytes));
      return "no refusal";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), "bad_matrix");
      return error.what();
    }
  };
  const std::string six = bytes_of(std::vector<double>{1, 2, 3, 4, 5, 6});
  EXPECT_THAT(refusal("1 2 3"), HasSubstr("byte 0: not an array of NumPy"));
  EXPECT_THAT(refusal(head(dictionary("<i8", false, "(2, 3)")) + six), HasSubstr("accepted: <f8"));
  EXPECT_THAT(refusal(head(dictionary("<f8", false, "(6,)")) + six), HasSubstr("accepted: (m, n)"));
  EXPECT_THAT(refusal(head(dictionary("<f8", false, "(0, 6)")) + six), HasSubstr("(m, n)"));
  EXPECT_THAT(refusal(head(dictionary("<f8", false, "(3, 3)")) + six), HasSubstr("cut"));
  EXPECT_THAT(refusal(head(dictionary("<f8", false, "(2, 2)")) + six), HasSubstr("more bytes"));
}

TEST_F(NpyFile, IsReadAsItWasWritten) {
  for (const NpyType type : {NpyType::float64, NpyType::float32}) {
    const std::string file = path("matrices.npy");
    NpyWriter writer(file, type, {2, 2, 2});
    writer.add_matrix(std::span(expected).first(4));
    writer.add_matrix(std::span(expected).subspan(4));
    writer.commit();
    const GivenMatrices given = read_npy(file);
    EXPECT_EQ(given.values, expected);
    EXPECT_EQ(content(file).find('\n'), 127U);  // the data begin at a multiple of 64
  }
}

TEST_F(NpyFile, PivotsAndRightHandSides) {
  const std::string pivots = path("pivots.npy"), solution = path("solution.npy");
  NpyWriter integers(pivots, NpyType::int32, {2, 3});
  const std::vector<std::int32_t> rows{1, 3, 3, 2, 2, 3};
  integers.add_row(std::span(rows).first(3));
  integers.add_row(std::span(rows).subspan(3));
  integers.commit();
  EXPECT_THAT(content(pivots),
              HasSubstr("{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), }"));
  EXPECT_THAT(content(pivots), testing::EndsWith(bytes_of(rows)));
  NpyWriter sides(solution, NpyType::float64, {1, 3, 2});
  const std::vector<double> by_columns{1, 2, 3, 4, 5, 6};
  sides.add_matrix(by_columns);
  sides.commit();
  EXPECT_THAT(content(solution),
              testing::EndsWith(bytes_of(std::vector<double>{1, 4, 2, 5, 3, 6})));
}

TEST_F(NpyFile, AppearsWholeOrNotAtAll) {
  const std::string file = path("half.npy");
  std::filesystem::remove(file);
  {
    NpyWriter writer(file, NpyType::float64, {2, 2, 2});
    writer.add_matrix(std::span(expected).first(4));
    EXPECT_THROW(writer.commit(), std::logic_error);
    EXPECT_THROW(writer.add_matrix(std::span(expected).first(3)), std::invalid_argument);
    EXPECT_THROW(writer.add_row({}), std::invalid_argument);
  }
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_THROW(NpyWriter("/nowhere/x.npy", NpyType::float64, {1, 1, 1}), Error);
}

TEST_F(NpyFile, ThatCannotBeReadIsABadMatrix) {
  try {
    read_npy(path("missing.npy"));
    FAIL() << "a file that is not there";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "bad_matrix");
  }
}

}  // namespace
}  // namespace lufact
