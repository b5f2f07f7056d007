// SPDX-License-Identifier: BSD-3-Clause
// Every file of test/inputs gets the answer that its table promises.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/matrix/reader.hpp"

namespace lufact {
namespace {

using Row = std::map<std::string, std::string>;

std::vector<std::string> split(const std::string& line, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(line);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

std::vector<Row> read_table() {
  std::ifstream file(std::string(LUFACT_READER_INPUTS) + "/expected.tsv");
  std::string line;
  std::getline(file, line);
  const std::vector<std::string> keys = split(line, '\t');
  std::vector<Row> rows;
  while (std::getline(file, line)) {
    const std::vector<std::string> cells = split(line, '\t');
    EXPECT_EQ(cells.size(), keys.size()) << line;
    Row row;
    for (std::size_t k = 0; k < std::min(keys.size(), cells.size()); ++k) row[keys[k]] = cells[k];
    rows.push_back(row);
  }
  return rows;
}

std::string path_of(const Row& row) {
  return std::string(LUFACT_READER_INPUTS) + "/" + row.at("file");
}

std::optional<Error> error_of(const std::string& path, InputMatrix& input, int threads) {
  ReadOptions options;
  options.threads = threads;
  try {
    input = read_matrix(path, options);
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

// Messages are "path:line: ..." with a line, "path: ..." without; a member of an archive stands
// between path and line.
void expect_place(const std::string& message, const Row& row) {
  ASSERT_EQ(message.rfind(path_of(row), 0), 0u) << message;
  std::string rest = message.substr(path_of(row).size());
  if (rest.rfind("(", 0) == 0) rest = rest.substr(rest.find(')') + 1);
  const std::string place = row.at("line") == "-" ? ": " : ":" + row.at("line") + ": ";
  EXPECT_EQ(rest.rfind(place, 0), 0u) << message << "\nexpected line " << row.at("line");
}

void expect_error(const Row& row, const Error& error) {
  EXPECT_EQ(to_string(error.outcome()), row.at("outcome")) << error.what();
  EXPECT_EQ(error.code(), row.at("code")) << error.what();
  expect_place(error.what(), row);
  for (const std::string& words : split(row.at("words"), '|')) {
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos)
        << error.what() << "\nlacks: " << words;
  }
}

TEST(ReaderInputs, GetTheDocumentedAnswerEach) {
  for (const Row& row : read_table()) {
    SCOPED_TRACE(row.at("file"));
    for (const int threads : {1, 3}) {
      InputMatrix input;
      const std::optional<Error> error = error_of(path_of(row), input, threads);
      if (error) {
        expect_error(row, *error);
        continue;
      }
      EXPECT_EQ(row.at("outcome"), "ok");
      EXPECT_EQ(std::to_string(input.facts.n), row.at("n"));
      EXPECT_EQ(std::to_string(input.facts.nnz), row.at("nnz"));
      EXPECT_EQ(find_pattern_fault(input.matrix.pattern.view()), "");
      EXPECT_EQ(input.facts.path, path_of(row));
      EXPECT_EQ(input.facts.sha256, sha256_of_file(path_of(row)));
    }
  }
}

TEST(ReaderInputs, AreAllInTheTable) {
  std::set<std::string> listed, present;
  for (const Row& row : read_table()) {
    EXPECT_TRUE(listed.insert(row.at("file")).second) << row.at("file") << " is listed twice";
  }
  for (const auto& entry : std::filesystem::directory_iterator(LUFACT_READER_INPUTS)) {
    const std::string name = entry.path().filename();
    if (name != "expected.tsv" && name != ".gitattributes") present.insert(name);
  }
  EXPECT_EQ(listed, present);
  EXPECT_GE(listed.size(), 64u);
}

TEST(ReaderInputs, HaveTheExitStatusOfTheirOutcome) {
  for (const Row& row : read_table()) {
    const std::string& status = row.at("exit_status");
    const std::string& outcome = row.at("outcome");
    SCOPED_TRACE(row.at("file"));
    if (outcome == "ok") {
      EXPECT_TRUE(status == "0" || status == "-") << status;
    } else {
      EXPECT_EQ(status, outcome == "error" ? "4" : "3");
      EXPECT_EQ(row.at("code") == "bad_matrix", outcome == "error");
    }
  }
}

TEST(ReaderInputs, ThatAreNoFilesAreRefused) {
  InputMatrix input;
  const std::string folder = LUFACT_READER_INPUTS;
  for (const auto& [path, words] : std::vector<std::pair<std::string, std::string>>{
           {folder, "is a directory"},
           {folder + "/no_such_file.mtx", "No such file"},
           {folder + "/plain.mtx/inside", "Not a directory"},
           {"", "cannot be opened"},
           {"/dev/null", "not a regular file"}}) {
    const std::optional<Error> error = error_of(path, input, 1);
    ASSERT_TRUE(error.has_value()) << path;
    EXPECT_EQ(error->code(), "bad_matrix");
    EXPECT_NE(std::string(error->what()).find(words), std::string::npos) << error->what();
    EXPECT_THROW(sha256_of_file(folder), Error);
  }
}

TEST(ReaderInputs, AreNamedWithoutTheirEndings) {
  const std::string folder = LUFACT_READER_INPUTS;
  for (const auto& [file, name] : std::vector<std::pair<std::string, std::string>>{
           {"plain.mtx", "plain"},
           {"gzip.mtx.gz", "gzip"},
           {"xz.mtx.xz", "xz"},
           {"suitesparse.tar.gz", "suitesparse"},
           {"suitesparse_renamed.tgz", "suitesparse_renamed"},
           {"archive.tar", "archive"}}) {
    EXPECT_EQ(read_matrix(folder + "/" + file, {}).facts.name, name);
  }
}

}  // namespace
}  // namespace lufact
