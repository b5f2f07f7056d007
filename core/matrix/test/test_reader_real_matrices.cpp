// SPDX-License-Identifier: BSD-3-Clause
// The real matrices under LUFACT_TEST_DATA, against their table.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/matrix/reader.hpp"

namespace lufact {
namespace {

struct KnownMatrix {
  std::string name, field, symmetry;
  Index n = 0;
  Offset nnz = 0, missing_diagonals = 0;
  double pattern_symmetry = 0;
};

// Columns: name n nnz field symmetry kind pattern_symmetry missing_diagonals.
std::vector<KnownMatrix> read_index(const std::string& folder) {
  std::ifstream file(folder + "/INDEX.tsv");
  std::vector<KnownMatrix> known;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    std::vector<std::string> cell;
    for (std::string text; std::getline(cells, text, '\t');) cell.push_back(text);
    known.push_back({cell.at(0), cell.at(3), cell.at(4), std::stoi(cell.at(1)),
                     std::stoll(cell.at(2)), std::stoll(cell.at(7)), std::stod(cell.at(6))});
  }
  return known;
}

class RealMatrices : public testing::Test {
 protected:
  void SetUp() override {
    const char* const data = std::getenv("LUFACT_TEST_DATA");
    if (data == nullptr) GTEST_SKIP() << "LUFACT_TEST_DATA is not set";
    folder_ = std::string(data) + "/matrices";
    known_ = read_index(folder_);
    ASSERT_FALSE(known_.empty()) << folder_ << "/INDEX.tsv";
  }
  std::string path(const KnownMatrix& matrix) const {
    return folder_ + "/" + matrix.name + ".mtx.xz";
  }

  std::string folder_;
  std::vector<KnownMatrix> known_;
};

ReadOptions everything(int threads) {
  ReadOptions options;
  options.explicit_zeros = ExplicitZeros::keep;
  options.threads = threads;
  return options;
}

TEST_F(RealMatrices, HaveTheFactsOfTheirTable) {
  for (const KnownMatrix& known : known_) {
    SCOPED_TRACE(known.name);
    if (known.field == "complex") {
      try {
        read_matrix(path(known), everything(2));
        ADD_FAILURE() << "a complex matrix was read";
      } catch (const Error& error) {
        EXPECT_EQ(error.outcome(), Outcome::unsupported);
        EXPECT_EQ(error.code(), "complex_matrix");
      }
      continue;
    }
    const InputMatrix input = read_matrix(path(known), everything(2));
    EXPECT_EQ(find_pattern_fault(input.matrix.pattern.view()), "");
    EXPECT_EQ(input.facts.name, known.name);
    EXPECT_EQ(input.facts.field, known.field);
    EXPECT_EQ(input.facts.file_symmetry, known.symmetry);
    EXPECT_EQ(input.facts.n, known.n);
    EXPECT_EQ(input.facts.nnz, known.nnz);
    EXPECT_EQ(input.facts.missing_diagonals, known.missing_diagonals);
    EXPECT_NEAR(input.facts.structural_symmetry, known.pattern_symmetry, 5.1e-5);
  }
}

TEST_F(RealMatrices, AreTheSameForAnyNumberOfThreads) {
  for (const KnownMatrix& known : known_) {
    SCOPED_TRACE(known.name);
    if (known.field == "complex" || known.nnz > 600000) continue;
    ReadOptions options;
    options.threads = 1;
    const InputMatrix one = read_matrix(path(known), options);
    for (const int threads : {2, 5}) {
      options.threads = threads;
      const InputMatrix more = read_matrix(path(known), options);
      EXPECT_EQ(more.matrix.pattern.row_ptr, one.matrix.pattern.row_ptr);
      EXPECT_EQ(more.matrix.pattern.col_idx, one.matrix.pattern.col_idx);
      EXPECT_EQ(more.matrix.values, one.matrix.values);
      EXPECT_EQ(more.facts.sha256, one.facts.sha256);
      EXPECT_EQ(more.facts.structural_symmetry, one.facts.structural_symmetry);
    }
  }
}

TEST_F(RealMatrices, LoseTheirExplicitZerosByDefault) {
  const InputMatrix input = read_matrix(folder_ + "/memplus.mtx.xz", {});
  EXPECT_EQ(input.facts.nnz_stored, 126150);
  EXPECT_EQ(input.facts.nnz, 99147);
  EXPECT_EQ(input.facts.explicit_zeros_dropped, 27003);
}

}  // namespace
}  // namespace lufact
